"""The reference's autograd graph in float64, which yields the correct gradients."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch

from cusimt.support.words import listed
from grader.checks.bench import Bench, Call
from grader.checks.outcome import Outcome
from grader.checks.values.expected import call_reference
from grader.checks.values.inputs import Inputs
from grader.specification import Case
from grader.verdict import Status


@dataclass(frozen=True)
class Tape:
    """The reference's graph in float64: ``outputs`` depend on ``leaves`` (by input name)."""

    outputs: tuple[torch.Tensor, ...]
    leaves: dict[str, torch.Tensor]

    def gradients(self, cotangents: list[torch.Tensor]) -> dict[str, torch.Tensor]:
        """The gradient of every leaf; zeros where the result does not depend on it."""
        pairs = [(out, cot) for out, cot in zip(self.outputs, cotangents, strict=True) if out.requires_grad]
        found = torch.autograd.grad(
            [out for out, _ in pairs],
            list(self.leaves.values()),
            [cot.to(out.dtype) for out, cot in pairs],
            retain_graph=True,
            allow_unused=True,
        )
        return {
            name: torch.zeros_like(leaf) if grad is None else grad
            for (name, leaf), grad in zip(self.leaves.items(), found, strict=True)
        }

    def uncancelled(self, cotangents: list[torch.Tensor]) -> dict[str, float]:
        """For every leaf, the rms of its gradient after a random sign for each element of the cotangents.

        Under a constant cotangent the gradient of a softmax is zero, because large terms cancel: a right
        answer still holds their rounding errors. With random signs they do not cancel, so this is their
        size. Where nothing cancels, it is about the rms of the gradient itself, or less.
        """
        generator = torch.Generator().manual_seed(0)
        signs = [torch.randint(0, 2, each.shape, generator=generator) * 2 - 1 for each in cotangents]
        found = self.gradients([each * sign for each, sign in zip(cotangents, signs, strict=True)])
        finite = {name: grad[grad.isfinite()] for name, grad in found.items()}
        return {
            name: float(grad.abs().square().mean().sqrt()) if grad.numel() else 0.0
            for name, grad in finite.items()
        }

    def depends_on(self, names: list[str]) -> bool:
        """Whether any result depends on any of the leaves `names`."""
        outputs = [out for out in self.outputs if out.requires_grad]
        found = torch.autograd.grad(
            outputs,
            [self.leaves[name] for name in names],
            [torch.ones_like(out) for out in outputs],
            retain_graph=True,
            allow_unused=True,
        )
        return any(grad is not None for grad in found)


@dataclass(frozen=True)
class Recorded:
    """A case with its inputs and the reference's graph of it."""

    bench: Bench
    case: Case
    inputs: Inputs
    tape: Tape


def record_tape(
    bench: Bench, inputs: Inputs, names: list[str], case: str,
    replaced: Mapping[str, torch.Tensor] | None = None,
    reference: Callable[..., Any] | None = None,
) -> Tape:  # fmt: skip
    """Evaluate the reference with the inputs `names` as leaves, in double precision.

    ``replaced`` has tensors that take the place of inputs, ``reference`` takes that of the reference.
    """
    others = {name: values.clone() for name, values in (replaced or {}).items()}
    leaves = {
        each.name: others.get(each.name, each.seen)
        .detach()
        .to(torch.promote_types(each.tensor.dtype, torch.float64), copy=True)
        for each in inputs.tensors()
        if each.name in names
    }
    for leaf in leaves.values():
        leaf.requires_grad_()
    # Copies, because the reference may change its arguments in place, which autograd refuses for a leaf.
    copies = {name: leaf.clone() for name, leaf in leaves.items()}
    arguments = inputs.for_reference(replaced={**others, **copies})
    spec = bench.spec if reference is None else replace(bench.spec, reference=reference)
    return Tape(call_reference(spec, arguments, case), leaves)


def dense(call: Call) -> list[torch.Tensor]:
    """The tensors that a call returned."""
    return [output.tensor for output in call.reply.outputs if output.tensor is not None]


def unlike(call: Call, tape: Tape) -> Outcome | None:
    """A result that is not even of the right shape has no cotangent to be asked for."""
    got, wanted = ([list(each.shape) for each in outputs] for outputs in (dense(call), tape.outputs))
    if got == wanted:
        return None
    return Outcome(
        Status.FAIL,
        f"{call.text} returned {_shapes(got)}, expected {_shapes(wanted)}: fix forward first.",
        case=call.case, expected=_shapes(wanted), got=_shapes(got), topic="shape",
    )  # fmt: skip


def _shapes(shapes: list[list[int]]) -> str:
    """``shape [3, 4]``, ``shapes [3, 4] and [4]``, ``no tensor``."""
    if not shapes:
        return "no tensor"
    return f"shape{'s' if len(shapes) > 1 else ''} {listed([str(shape) for shape in shapes])}"
