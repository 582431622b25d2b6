import enum

class Empty(enum.Enum):
    pass

Late = Empty("Late", {"__array_interface__": {}})
