import functools

def f(self):
    return {}

late = functools.cached_property(f)
late.attrname = "__array_interface__"
