# Classes out of a list.
# A naive grader gives full marks. Refused here: reads the attribute `mro`
class Mine(torch.nn.Module):
    pass

Mine.mro()[1].forward = None
