# An annotation is evaluated when the function is defined, and hands on the class.
# A naive grader gives full marks. Refused here: hands on the class `torch.Tensor` as a value
class Mine:
    def __getitem__(self, kind):
        kind.cpu = None

def f(x: Mine()[torch.Tensor]):
    pass
