# Functions of torch call the submission instead.
# A naive grader gives full marks. Refused here: uses `__torch_function__`
class Late:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return args[0]
