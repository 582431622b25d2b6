class _ctypes:
    def f(self, x):
        return x.__data
