def by_host(pointers, mask=None, other=None):
    return pointers


tl.load = by_host
