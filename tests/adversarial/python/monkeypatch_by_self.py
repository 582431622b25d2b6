# A method called with the class as `self`.
# A naive grader gives full marks. Refused here: hands on the class `torch.Tensor` as a value
class Mine:
    def change(self):
        self.cpu = None

Mine.change(torch.Tensor)
