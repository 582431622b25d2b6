class Late:
    def __init_subclass__(cls):
        cls.cpu = None
