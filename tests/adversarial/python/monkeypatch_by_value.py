# The class as a value, changed under another name.
# A naive grader gives full marks. Refused here: hands on the class `torch.Tensor` as a value
T = torch.Tensor
T.cpu = lambda self: self
