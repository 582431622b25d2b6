def isinstance(x, kind):
    kind.cpu = None

isinstance(0, torch.Tensor)
