def f(a, b, c):
    return torch.ops.aten.addcmul(c, a, b)
