"""Attention of one head in tiles, in plain PyTorch: what the kernel of exercise 28 does, on whole tiles."""

import math

import torch


def attention_in_tiles(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, size: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """softmax(q kᵀ / √dims) v, (queries, dims), and the log-sum-exp of each row of scores, (queries,).

    q: (queries, dims); k, v: (keys, dims), of which `size` keys at a time are looked at.
    """
    # --8<-- [start:tiles]
    largest = torch.full((len(q), 1), -math.inf, dtype=q.dtype)  # score of each query, so far
    total = torch.zeros((len(q), 1), dtype=q.dtype)  # of exp(score - largest)
    out = torch.zeros_like(q)  # of exp(score - largest) times the values
    for keys, values in zip(k.split(size), v.split(size), strict=True):
        scores = q @ keys.T / math.sqrt(q.shape[1])
        larger = torch.maximum(largest, scores.amax(1, keepdim=True))
        factor = torch.exp(largest - larger)  # brings what was kept to the larger score
        weights = torch.exp(scores - larger)
        total = total * factor + weights.sum(1, keepdim=True)
        out = out * factor + weights @ values
        largest = larger
    return out / total, (largest + torch.log(total)).squeeze(1)
    # --8<-- [end:tiles]
