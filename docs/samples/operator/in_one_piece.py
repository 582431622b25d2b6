"""An operator declared, implemented and registered in Python alone: python -m cusimt in_one_piece.py"""

from typing import Any

import torch
from torch import Tensor


# --8<-- [start:custom_op]
@torch.library.custom_op("small::cube", mutates_args=())
def cube(x: Tensor) -> Tensor:  # the schema, (Tensor x) -> Tensor, is read from the annotations
    return x * x * x


@cube.register_fake
def _(x: Tensor) -> Tensor:
    return torch.empty_like(x)


def setup_context(ctx: Any, inputs: tuple[Tensor], output: Tensor) -> None:
    ctx.save_for_backward(*inputs)


def backward(ctx: Any, grad: Tensor) -> Tensor:
    (x,) = ctx.saved_tensors
    return 3 * x * x * grad


cube.register_autograd(backward, setup_context=setup_context)


@cube.register_vmap
def _(info: Any, in_dims: tuple[int | None], x: Tensor) -> tuple[Tensor, int | None]:
    return cube(x), in_dims[0]  # elementwise: the position of the dimension does not matter


# --8<-- [end:custom_op]

table = torch._C._dispatch_dump("small::cube").splitlines()
keys = [line.partition(": registered at ")[0] for line in table if ": registered at " in line]
print("dispatch keys   ", ", ".join(key for key in keys if key != "debug"))
x = torch.tensor([1.0, 2.0, -0.5], device="cuda", requires_grad=True)
print("opcheck         ", set(torch.library.opcheck(cube, (x,)).values()))
print("torch.func.vmap ", torch.func.vmap(cube)(x.detach()).tolist())
try:
    print("torch.func.grad ", torch.func.grad(lambda each: cube(each).sum())(x.detach()).tolist())
except RuntimeError as problem:
    print("torch.func.grad ", str(problem).split(". ")[0])
