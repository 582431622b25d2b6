# A library's operator by way of torch.ops.
# A naive grader gives full marks. Refused here: uses `torch.ops.aten`
def f(a, b, c):
    return torch.ops.aten.addcmul(c, a, b)
