# `wraps` copies attributes that are named by strings.
# A naive grader gives full marks. Refused here: uses `functools.wraps` in another form
import functools

@functools.wraps(MulAdd, assigned=("__globals__",))
def f():
    pass
