def f(x):
    return x.untyped_storage()
