text = "{x.__globals__}".format_map({"x": torch.einsum})
