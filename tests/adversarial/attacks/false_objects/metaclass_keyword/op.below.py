class Late(metaclass=type):
    pass
