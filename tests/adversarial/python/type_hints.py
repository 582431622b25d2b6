# Annotations are evaluated.
# A naive grader gives full marks. Refused here: uses `__import__`
import typing

def f(x: "__import__('os')"):
    pass

typing.get_type_hints(f)
