class Late:
    __array_interface__ = {"shape": (8,), "typestr": "<f8", "data": (1 << 40, False), "version": 3}

window = torch.as_tensor(Late())
