# The memory behind a tensor is exchanged.
# A naive grader gives full marks. Refused here: reads the attribute `untyped_storage`
def f(x):
    return x.untyped_storage()
