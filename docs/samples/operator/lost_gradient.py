"""One derivative, registered under two keys: python -m cusimt lost_gradient.py"""

import warnings
from typing import Any

import torch
from torch import Tensor


# --8<-- [start:function]
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        return 3 * x * x * grad


# --8<-- [end:function]


def like(x: Tensor) -> Tensor:
    return torch.empty_like(x)


# --8<-- [start:lost]
torch.library.define("lost::cube", "(Tensor x) -> Tensor")
torch.library.impl("lost::cube", "CUDA")(Cube.apply)  # a kernel that records a graph, below Autograd
torch.library.register_fake("lost::cube", like)
# --8<-- [end:lost]


# --8<-- [start:kept]
def setup_context(ctx: Any, inputs: tuple[Tensor], output: Tensor) -> None:
    ctx.save_for_backward(*inputs)


torch.library.define("kept::cube", "(Tensor x) -> Tensor")
torch.library.impl("kept::cube", "CUDA")(lambda x: x * x * x)
torch.library.register_fake("kept::cube", like)
torch.library.register_autograd("kept::cube", Cube.backward, setup_context=setup_context)
# --8<-- [end:kept]


def gradient(function: Any, x: Tensor) -> Tensor | None:
    x.grad = None
    function(x).sum().backward()
    return x.grad


warnings.simplefilter("ignore")  # eager mode warns that nothing is registered under Autograd, and goes on
x = torch.tensor([1.0, 2.0, -0.5], device="cuda", requires_grad=True)
for operator in (torch.ops.lost.cube, torch.ops.kept.cube):
    compiled = torch.compile(operator, fullgraph=True, backend="aot_eager")
    print(operator)
    print("  eager gradient             ", gradient(operator, x))
    print("  compiled gradient          ", gradient(compiled, x))
    for test, result in torch.library.opcheck(operator.default, (x,), raise_exception=False).items():
        print(f"  {test:<27} {'passes' if result == 'SUCCESS' else 'fails'}")
