"""What autograd hands to backward: lesson 02 shows this program and what it prints."""

import torch

# --8<-- [start:program]
x = torch.ones(2, 3, requires_grad=True)
y = x * 1
y.register_hook(lambda grad: print(tuple(grad.shape), grad.stride(), grad.is_contiguous()))
y.sum().backward()
# --8<-- [end:program]
