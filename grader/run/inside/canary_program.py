"""The canary's computation on every GPU in the worker (`grader.run.canary`)."""

from __future__ import annotations

import torch
from torch import Tensor


def beat(submission: object, sent: Tensor) -> Tensor:
    """`sent * sent + 1`, computed on each device that there is, one after the other."""
    answer = sent * sent + 1
    for device in range(torch.cuda.device_count()):
        moved = sent.to(f"cuda:{device}")
        answer = torch.where(answer == (moved * moved + 1).to(answer.device), answer, -1)
    return answer
