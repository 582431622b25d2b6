class Late:
    __match_args__ = ("__globals__",)

def f(x):
    match x:
        case Late(found):
            return found
