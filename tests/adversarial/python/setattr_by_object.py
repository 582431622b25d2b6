# A builtin class's own setattr.
# A naive grader gives full marks. Refused here: reads the attribute `__setattr__`
object.__setattr__(torch, "addcmul", None)
