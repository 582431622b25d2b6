# A tensor that compares as equal.
# A naive grader gives full marks. Refused here: derives Late from `torch.Tensor`
class Late(torch.Tensor):
    pass
