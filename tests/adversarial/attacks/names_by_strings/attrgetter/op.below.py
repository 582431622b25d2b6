import operator
space = operator.attrgetter("__globals__")(torch.einsum)
