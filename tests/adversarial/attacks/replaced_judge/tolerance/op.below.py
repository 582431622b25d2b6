import spec
spec.CASES.clear()
