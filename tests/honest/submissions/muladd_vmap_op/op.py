from collections import Counter, defaultdict, deque
from typing import Any

import torch

import grader

grader.load("fused_muladd", ["kernel.cu", "binding.cpp"], is_python_module=False)

history: deque[torch.Size] = deque(maxlen=8)
calls: Counter[str] = Counter()
by_dtype: defaultdict[str, int] = defaultdict(int)


def note(name: str, tensor: torch.Tensor) -> None:
    calls.update([name])
    history.append(tensor.shape)
    by_dtype[str(tensor.dtype).rpartition(".")[2]] += 1


class MulAdd(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        note("forward", a)
        needs_grad = ctx.needs_input_grad
        ctx.save_for_backward(a if needs_grad[1] else None, b if needs_grad[0] else None)
        return torch.ops.fused_muladd.muladd(a, b, c)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, grad: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        note("backward", grad)
        a, b = ctx.saved_tensors
        grad = grad.contiguous()
        product = torch.ops.fused_muladd.multiply
        gradients = [None if other is None else product(grad, other) for other in (b, a)]
        return *gradients, (grad if ctx.needs_input_grad[2] else None)


def muladd(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    """a * b + c"""
    return MulAdd.apply(a, b, c)
