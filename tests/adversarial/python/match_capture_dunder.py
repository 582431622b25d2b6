# A pattern binds a name that Python gives a meaning.
# A naive grader gives full marks. Refused here: uses `__getattr__`
class Late:
    match {}:
        case __getattr__:
            pass
