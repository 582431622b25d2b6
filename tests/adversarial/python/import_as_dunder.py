# An import under a name that Python gives a meaning.
# A naive grader gives full marks. Refused here: uses `__getattr__`
class Late:
    import math as __getattr__
