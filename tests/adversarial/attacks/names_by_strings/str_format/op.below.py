text = "{0.__globals__[os]}".format(torch.einsum)
