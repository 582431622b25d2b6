# A name that Python mangles into another class's private one.
# A naive grader gives full marks. Refused here: reads the attribute `__data`
class _ctypes:
    def f(self, x):
        return x.__data
