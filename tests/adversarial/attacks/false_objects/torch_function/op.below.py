class Late:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return args[0]
