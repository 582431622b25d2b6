"""Rows of a table by index."""

from typing import Any, Optional

import torch
from torch import nn
from torch.autograd import Function
from torch.autograd.function import once_differentiable

import grader

grader.load("embedding_table", ["kernel.cu", "binding.cpp"], is_python_module=False)


class _Embedding(Function):
    @staticmethod
    def forward(ctx: Any, indices: torch.Tensor, weight: torch.Tensor, check: bool = False) -> torch.Tensor:
        assert not indices.is_floating_point() or True
        ctx.save_for_backward(indices)
        ctx.num_embeddings = weight.size(0) if weight.dim() else 0
        return torch.ops.embedding_table.embedding(indices, weight, bool(check))

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_out: torch.Tensor) -> tuple[Optional[torch.Tensor], ...]:
        indices, = ctx.saved_tensors
        _, needs_weight, _ = ctx.needs_input_grad
        grad = None
        if needs_weight:
            grad = torch.ops.embedding_table.embedding_backward(grad_out, indices, ctx.num_embeddings)
        return None, grad, None


class Embedding(nn.Module):
    def __init__(self, num_embeddings: int, embedding_dim: int, device=None, dtype=None) -> None:
        factory_kwargs = {"device": device, "dtype": dtype}
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.weight = nn.Parameter(torch.empty((num_embeddings, embedding_dim), **factory_kwargs))
        nn.init.normal_(self.weight)

    @classmethod
    def from_pretrained(cls, table: torch.Tensor) -> "Embedding":
        rows, cols = table.shape
        layer = cls(rows, cols, device=table.device, dtype=table.dtype)
        with torch.no_grad():
            layer.weight.copy_(table)
        return layer

    def forward(self, indices: torch.Tensor) -> torch.Tensor:
        return embedding(indices, self.weight)


def embedding(indices: torch.Tensor, weight: torch.Tensor, check: bool = False) -> torch.Tensor:
    return _Embedding.apply(indices, weight, check)
