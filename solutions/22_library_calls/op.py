"""A layer of a graph network, A (x weight): both products are a library's."""

from typing import Any

import torch
from torch.autograd.function import once_differentiable

import grader

grader.load("graph_layer", ["kernel.cu", "binding.cpp"], is_python_module=False)
_ops = torch.ops.graph_layer

Gradients = tuple[None, None, None, torch.Tensor | None, torch.Tensor | None]


class GraphLayer(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        rows: torch.Tensor,
        columns: torch.Tensor,
        values: torch.Tensor,
        x: torch.Tensor,
        weight: torch.Tensor,
    ) -> torch.Tensor:
        offsets = _ops.offsets(rows, x.shape[1])
        ctx.save_for_backward(offsets, columns, values, x, weight)
        return _ops.propagate(offsets, columns, values, _ops.product(x, weight), False)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: torch.Tensor) -> Gradients:
        # --8<-- [start:backward]
        offsets, columns, values, x, weight = ctx.saved_tensors
        grad_x = grad_weight = None
        grad_hidden = _ops.propagate(offsets, columns, values, grad, True)
        if ctx.needs_input_grad[3]:
            grad_x = _ops.product(grad_hidden, weight.mT)
        if ctx.needs_input_grad[4]:
            grad_weight = _ops.product(x.flatten(0, 1).mT, grad_hidden.flatten(0, 1))
        return None, None, None, grad_x, grad_weight
        # --8<-- [end:backward]


def graph_layer(
    rows: torch.Tensor,
    columns: torch.Tensor,
    values: torch.Tensor,
    x: torch.Tensor,
    weight: torch.Tensor,
) -> torch.Tensor:
    """A[b] @ x[b] @ weight, (batch, nodes, out), for sparse matrices A of (nodes, nodes).

    rows, columns: (entries) int32, rows in ascending order: where the entries of A are. values: (entries), or
    (batch, entries) for a matrix A[b] of each graph; they get no gradient. x: (batch, nodes, in); weight:
    (in, out). float32, float64, float16 or bfloat16.
    """
    if x.dim() != 3:
        raise ValueError(
            f"x must have 3 dimensions, batch x nodes x features, but has shape {tuple(x.shape)}"
        )
    return GraphLayer.apply(rows, columns, values, x, weight)
