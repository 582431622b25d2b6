import functools
functools.update_wrapper(torch.Tensor, MulAdd, assigned=("apply",))
