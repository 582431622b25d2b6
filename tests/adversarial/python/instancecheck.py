# Whatever is asked for is an instance.
# A naive grader gives full marks. Refused here: uses `__instancecheck__`
class Late:
    def __instancecheck__(self, other):
        return True
