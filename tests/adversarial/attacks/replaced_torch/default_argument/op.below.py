torch.einsum.__defaults__ = (1,)
