from typing import Any, NewType, Optional, TypedDict, Union, cast, overload

import torch
from torch import Tensor
from torch.autograd.function import FunctionCtx, once_differentiable

import grader

LIBRARY = "fused_bias_gelu"
grader.load("fused_bias_gelu", ["kernel.cu", "binding.cpp"], is_python_module=False)

Columns = NewType("Columns", int)


class Grads(TypedDict, total=False):
    x: Optional[Tensor]
    bias: Optional[Tensor]


def columns_of(x: Tensor) -> Columns:
    return Columns(x.size(-1))


class BiasGeluFunction(torch.autograd.Function):
    generate_vmap_rule = False

    @staticmethod
    def forward(x: Tensor, bias: Tensor) -> Tensor:
        return cast(Tensor, torch.ops.fused_bias_gelu.bias_gelu(x, bias))

    @staticmethod
    def setup_context(ctx: FunctionCtx, inputs: tuple[Any, ...], output: Tensor) -> None:
        x, bias = inputs
        ctx.save_for_backward(x, bias)
        ctx.set_materialize_grads(True)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_out: Tensor) -> tuple[Optional[Tensor], ...]:
        x, bias = ctx.saved_tensors
        found: Grads = {}
        full = torch.ops.fused_bias_gelu.bias_gelu_backward(grad_out, x, bias)
        need_x, need_bias = ctx.needs_input_grad
        if need_x:
            found["x"] = full
        if need_bias:
            rows = full.reshape(-1, columns_of(x)) if x.numel() else full.flatten(0, -2)
            found["bias"] = rows.sum(dim=0)
        return found.get("x"), found.get("bias")


@overload
def bias_gelu(x: Tensor, bias: Tensor) -> Tensor: ...
@overload
def bias_gelu(x: Tensor, bias: torch.nn.Parameter) -> Tensor: ...
def bias_gelu(x: Tensor, bias: Union[Tensor, torch.nn.Parameter]) -> Tensor:
    """gelu(x + bias)."""
    return BiasGeluFunction.apply(x, bias)
