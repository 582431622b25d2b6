import functools

@functools.wraps(MulAdd, assigned=("__globals__",))
def f():
    pass
