# Defaults of another function are changed.
# A naive grader gives full marks. Refused here: reads the attribute `__defaults__`
torch.einsum.__defaults__ = (1,)
