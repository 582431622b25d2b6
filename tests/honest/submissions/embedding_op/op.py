import dataclasses
import enum
from typing import Any, Optional

import torch

import grader

grader.load("embedding_table", ["kernel.cu", "binding.cpp"], is_python_module=False)
table = torch.ops.embedding_table


class Mode(enum.IntFlag):
    TRUSTING = 0
    CHECKING = 1


@dataclasses.dataclass(frozen=True, kw_only=True)
class Facts:
    num_rows: int
    mode: Mode = Mode.TRUSTING


class Lookup(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, indices: torch.Tensor, weight: torch.Tensor, mode: Mode) -> torch.Tensor:
        ctx.facts = Facts(num_rows=weight.size(0), mode=mode)
        ctx.save_for_backward(indices)
        return table.embedding(indices, weight, bool(mode & Mode.CHECKING))

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, grad_out: torch.Tensor) -> tuple[Optional[torch.Tensor], ...]:
        if not any(ctx.needs_input_grad):
            return None, None, None
        [indices] = ctx.saved_tensors
        facts = dataclasses.replace(ctx.facts, mode=Mode.TRUSTING)
        return None, table.embedding_backward(grad_out, indices, facts.num_rows), None


def embedding(indices: torch.Tensor, weight: torch.Tensor, check: bool = False) -> torch.Tensor:
    return Lookup.apply(indices, weight, Mode.CHECKING if check else Mode.TRUSTING)
