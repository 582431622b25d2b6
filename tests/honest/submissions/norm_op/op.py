import dataclasses
from typing import Any, NamedTuple

import torch
from torch import nn

import grader

grader.load("layer_norm", ["kernel.cu", "binding.cpp"], is_python_module=False)


class Statistics(NamedTuple):
    mean: torch.Tensor
    rstd: torch.Tensor


@dataclasses.dataclass
class Wanted:
    x: bool
    weight: bool
    bias: bool

    def as_list(self) -> list[bool]:
        return [self.x, self.weight, self.bias]


class LayerNormFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float) -> torch.Tensor:
        out, *rest = torch.ops.layer_norm.layer_norm(x, weight, bias, eps)
        statistics = Statistics(*rest)
        ctx.save_for_backward(x, weight, *statistics)
        return out

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, grad_out: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        x, weight, *rest = ctx.saved_tensors
        statistics = Statistics(*rest)
        wanted = Wanted(*ctx.needs_input_grad[:3])
        gradients = torch.ops.layer_norm.layer_norm_backward(
            grad_out, x, weight, statistics.mean, statistics.rstd, wanted.as_list()
        )
        return *gradients, None


class LayerNorm(nn.Module):
    def __init__(self, columns: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.empty(columns))
        self.bias = nn.Parameter(torch.empty(columns))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        nn.init.ones_(self.weight)
        nn.init.zeros_(self.bias)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return layer_norm(x, self.weight, self.bias, self.eps)


def layer_norm(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float = 1e-5) -> torch.Tensor:
    return LayerNormFunction.apply(x, weight, bias, eps)
