import enum

class Empty(enum.Enum):
    _ignore_ = ["A"]
    A = 1
