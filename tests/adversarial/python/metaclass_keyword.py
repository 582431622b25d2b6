# A metaclass decides what `isinstance` says.
# A naive grader gives full marks. Refused here: uses `type` as a value
class Late(metaclass=type):
    pass
