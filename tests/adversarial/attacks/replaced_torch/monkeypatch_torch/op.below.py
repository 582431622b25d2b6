torch.addcmul = lambda *rest, **named: rest[0]
