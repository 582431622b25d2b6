"""The gradients of attention, of one head, in plain PyTorch: what the kernels of exercise 29 do in tiles."""

import math

import torch

Tensor = torch.Tensor


def gradients(
    grad_out: Tensor, grad_lse: Tensor, q: Tensor, k: Tensor, v: Tensor, out: Tensor, lse: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of q, k and v, from those of out and lse.

    q, out: (queries, dims); k, v: (keys, dims); lse: (queries,), as `attention_in_tiles` returns them.
    """
    # --8<-- [start:gradients]
    scale = 1 / math.sqrt(q.shape[1])
    weights = torch.exp(scale * q @ k.T - lse[:, None])  # again: forward has kept lse alone
    delta = (grad_out * out).sum(1) - grad_lse
    grad_scores = weights * (grad_out @ v.T - delta[:, None])
    return scale * grad_scores @ k, scale * grad_scores.T @ q, weights.T @ grad_out
    # --8<-- [end:gradients]
