import operator
operator.methodcaller("__setattr__", "cpu", None)(torch.Tensor)
