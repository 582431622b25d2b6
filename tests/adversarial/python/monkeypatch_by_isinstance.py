# A function of one's own called isinstance is handed the class.
# A naive grader gives full marks. Refused here: gives the name `isinstance` another meaning
def isinstance(x, kind):
    kind.cpu = None

isinstance(0, torch.Tensor)
