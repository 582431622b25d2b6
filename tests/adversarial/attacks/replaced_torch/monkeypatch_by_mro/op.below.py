class Mine(torch.nn.Module):
    pass

Mine.mro()[1].forward = None
