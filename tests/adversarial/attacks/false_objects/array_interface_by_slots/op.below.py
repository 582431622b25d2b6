class Late:
    __slots__ = ("__array_interface__",)
