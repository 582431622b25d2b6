# Brackets of one's own object are handed the class.
# A naive grader gives full marks. Refused here: hands on the class `torch.Tensor` as a value
class Mine:
    def __getitem__(self, kind):
        kind.cpu = None

Mine()[torch.Tensor]
