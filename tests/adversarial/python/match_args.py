# A pattern reads attributes that are named by strings.
# A naive grader gives full marks. Refused here: uses `__match_args__`
class Late:
    __match_args__ = ("__globals__",)

def f(x):
    match x:
        case Late(found):
            return found
