import torch
from fused_muladd import muladd

a, b, c = (torch.full((1,), value, device="cuda") for value in (2.0, 3.0, 1.0))
print(f"muladd(2, 3, 1) = {muladd(a, b, c).item():g}")
