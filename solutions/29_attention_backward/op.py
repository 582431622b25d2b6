"""Attention without a matrix of scores, forward and backward, as an operator that all of PyTorch can use."""

from typing import Any

import torch
from torch.autograd.function import once_differentiable

import grader

grader.load("attention", ["kernel.cu", "forward.cu", "binding.cpp"], is_python_module=False)
_ops = torch.ops.attention

Inputs = tuple[torch.Tensor, torch.Tensor, torch.Tensor, bool]
Results = tuple[torch.Tensor, torch.Tensor]
Gradients = tuple[torch.Tensor | None, torch.Tensor | None, torch.Tensor | None, None]


def forward_fake(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
    wide = torch.float64 if q.dtype == torch.float64 else torch.float32
    return q.new_empty(q.shape), q.new_empty(q.shape[:-1], dtype=wide)


def setup_context(ctx: Any, inputs: Inputs, output: Results) -> None:
    # --8<-- [start:setup_context]
    q, k, v, causal = inputs
    ctx.save_for_backward(q, k, v, *output)
    ctx.causal = causal
    # --8<-- [end:setup_context]


@once_differentiable
def backward(ctx: Any, grad_out: torch.Tensor, grad_lse: torch.Tensor) -> Gradients:
    """The gradients of q, k and v, and None for causal; only those that autograd wants."""
    # --8<-- [start:backward]
    q, k, v, out, lse = ctx.saved_tensors
    operands = grad_out, q, k, v, lse, _ops.delta(grad_out, out, grad_lse), ctx.causal
    grad_q = grad_k = grad_v = None
    if ctx.needs_input_grad[0]:
        grad_q = _ops.grad_q(*operands)
    if ctx.needs_input_grad[1] or ctx.needs_input_grad[2]:
        grad_k, grad_v = _ops.grad_kv(*operands)
    return grad_q, grad_k, grad_v, None
    # --8<-- [end:backward]


def delta_fake(grad_out: torch.Tensor, out: torch.Tensor, grad_lse: torch.Tensor) -> torch.Tensor:
    return grad_lse.new_empty(grad_lse.shape)


def grad_q_fake(grad_out: torch.Tensor, q: torch.Tensor, *others: Any) -> torch.Tensor:
    return q.new_empty(q.shape)


def grad_kv_fake(
    grad_out: torch.Tensor, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, *others: Any
) -> Results:
    return k.new_empty(k.shape), v.new_empty(v.shape)


torch.library.register_fake("attention::forward", forward_fake)
# --8<-- [start:registrations]
torch.library.register_autograd("attention::forward", backward, setup_context=setup_context)
torch.library.register_fake("attention::delta", delta_fake)
torch.library.register_fake("attention::grad_q", grad_q_fake)
torch.library.register_fake("attention::grad_kv", grad_kv_fake)
# --8<-- [end:registrations]


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
    """softmax(q kᵀ / √dims) v, (batch, heads, queries, dims), and the log-sum-exp of each row of scores.

    q: (batch, heads, queries, dims); k, v: (batch, heads, keys, dims); dims at most 128. If causal, query i
    attends to keys 0 to i. Both results are differentiable.
    """
    return _ops.forward(q, k, v, causal)
