(lambda: 0).__globals__
