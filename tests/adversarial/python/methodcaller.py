# Methods by strings.
# A naive grader gives full marks. Refused here: uses `operator.methodcaller`
import operator
operator.methodcaller("__setattr__", "cpu", None)(torch.Tensor)
