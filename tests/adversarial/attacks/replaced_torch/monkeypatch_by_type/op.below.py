def f(x):
    T = type(x)
    T.cpu = lambda self: self
