"""Requests to a backward pass (which inputs, which cotangents) and their correct gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import torch

from grader.checks.bench import Bench, Call
from grader.checks.gradients.reference_graph import dense
from grader.checks.values.expected import Expected, Pointwise, accumulation, never, tolerance_for
from grader.checks.values.inputs import Drawn, Inputs, in_layout
from grader.run.values import Schedule
from grader.specification import Case, Gradient
from grader.specification.vocabulary import SMALLEST_RANK

RANDOM: Final = ("random",)


def kinds(outputs: Sequence[torch.Tensor]) -> tuple[str, ...]:
    """What a backward for these results is given in turn.

    Of rows that are dense themselves, only ``interleaved`` ones show whether their distances are used: many
    a backward copies what ``expanded`` and ``transposed`` make.
    """
    rows = ("interleaved",) if any(each.ndim >= 3 for each in outputs) else ()
    return (*RANDOM, "expanded", "transposed", *rows)


def differentiable(gradient: Gradient, inputs: Inputs) -> list[Drawn]:
    """The inputs whose gradients are asked for: those the spec names, or every floating tensor."""
    return [
        each
        for each in inputs.tensors()
        if each.spec.floating
        and each.device != "numpy"
        and (gradient.inputs is None or each.name in gradient.inputs)
    ]


def cotangent(bench: Bench, output: torch.Tensor, kind: str, case: str) -> torch.Tensor:
    """A cotangent in the shape of `output`: random, a random number expanded, or with other strides.

    ``transposed`` ones have the last two dimensions exchanged in memory, ``interleaved`` ones the two before
    the last.
    """
    generator = bench.generator("cotangent", kind, case)
    drawn_as = output.dtype if output.dtype.is_complex else torch.float64
    if kind == "expanded":
        return torch.randn((), generator=generator, dtype=drawn_as).to(output.dtype).expand(output.shape)
    values = torch.randn(output.shape, generator=generator, dtype=drawn_as).to(output.dtype)
    if kind == "transposed" and output.ndim == 1:
        return values.repeat_interleave(2)[::2]
    return in_layout(values, kind) if output.ndim >= SMALLEST_RANK.get(kind, 0) else values


def both_ways(
    bench: Bench, case: Case, inputs: Inputs, names: Sequence[str], schedule: Schedule
) -> tuple[Call, Call | None]:
    """Forward and, where it gave a graph, backward with a random cotangent."""
    call = bench.forward(case, inputs, schedule=schedule, requires_grad=names)
    handle = call.reply.handle
    if call.reply.error is not None or handle is None:
        return call, None
    try:
        return call, bench.backward(case, inputs, handle, random_cotangents(bench, call))
    finally:
        bench.session.release(handle)


def random_cotangents(bench: Bench, call: Call) -> list[torch.Tensor]:
    """One for each result of the call of a forward."""
    return [cotangent(bench, each, "random", call.case) for each in dense(call)]


def expected_gradient(
    bench: Bench, inputs: Inputs, name: str, values: torch.Tensor, pointwise: Pointwise = never,
    size: float = 0.0,
) -> Expected:  # fmt: skip
    """The gradient of the input ``name``, whose values in double precision are known.

    Under autocast it has the dtype of the input, and no more digits than what the input was cast to.
    ``size`` is that of the terms that may have cancelled in it, where it is known.
    """
    drawn = inputs.named(name)
    terms = accumulation(bench.spec, inputs)
    tolerance = tolerance_for(bench.spec, values, drawn.coarsest, terms, size)
    title = f"the gradient of {name}"
    return Expected(title, values, drawn.tensor.dtype, drawn.device, tolerance, pointwise, terms)
