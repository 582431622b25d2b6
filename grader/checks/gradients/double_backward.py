"""Check that double backward is right or refuses; it must not be silently wrong.

A backward that calls a kernel gives tensors that autograd holds for constants. ``once_differentiable`` turns
them into an error when they are differentiated; without it the terms are just missing.
"""

from __future__ import annotations

from dataclasses import replace

import torch

from grader.checks.bench import Bench
from grader.checks.gradients.reference_graph import Tape, dense
from grader.checks.outcome import Outcome
from grader.checks.values.compare import compare
from grader.checks.values.expected import Expected, accumulation, tolerance_for
from grader.checks.values.inputs import Inputs
from grader.checks.values.wording import error_outcome
from grader.run.values import Output, Reply
from grader.specification import Case
from grader.verdict import Status

REFUSED = "once_differentiable"  # stands in torch's words


def second_problem(bench: Bench, case: Case, inputs: Inputs, tape: Tape) -> Outcome | None:
    """What is wrong with the second derivatives by the leaves of `tape`, and by the cotangents."""
    names = list(tape.leaves)
    call = bench.forward(case, inputs, requires_grad=names)
    handle = call.reply.handle
    if call.reply.error is not None or handle is None:
        return None  # another check reports what is wrong with it
    cotangents = [_random(bench, each, "first", case.name) for each in dense(call)]
    seconds = [_random(bench, inputs.named(name).tensor, name, case.name) for name in names]
    try:
        reply = bench.session.backward(handle, cotangents, trace=False, twice=seconds)
    finally:
        bench.session.release(handle)
    text = f"The second derivative of {bench.text(inputs, case)}"
    if reply.error is not None:
        return None if REFUSED in reply.error.message else error_outcome(text, reply.error, case.name)
    by = _wrong(bench, inputs, _second(tape, cotangents, seconds), reply)
    if not by:
        return None
    return Outcome(
        Status.FAIL,
        f"{text} by {by} is wrong, and no error says so: to autograd, what a kernel makes in backward is a "
        "constant. Mark backward with @once_differentiable, which refuses to be differentiated, or build it "
        "of operations that have gradients.",
        case=case.name, expected="the right derivative, or an error", got="another one", topic="twice",
    )  # fmt: skip


def _random(bench: Bench, like: torch.Tensor, *labels: str) -> torch.Tensor:
    generator = bench.generator("twice", *labels)
    drawn_as = like.dtype if like.dtype.is_complex else torch.float64
    return torch.randn(like.shape, generator=generator, dtype=drawn_as).to(like.dtype)


def _second(tape: Tape, cotangents: list[torch.Tensor], seconds: list[torch.Tensor]) -> list[torch.Tensor]:
    """By each leaf of the reference's graph, then by each cotangent; zeros where nothing depends on it."""
    sent = [
        cotangent.to(out.dtype).requires_grad_(out.requires_grad)
        for out, cotangent in zip(tape.outputs, cotangents, strict=True)
    ]
    leaves = list(tape.leaves.values())
    first = torch.autograd.grad(
        [out for out in tape.outputs if out.requires_grad],
        leaves,
        [cotangent for cotangent in sent if cotangent.requires_grad],
        create_graph=True,
        allow_unused=True,
    )
    terms = [
        (gradient, second.to(gradient.dtype))
        for gradient, second in zip(first, seconds, strict=True)
        if gradient is not None
    ]
    wanted = [each for each in (*leaves, *sent) if each.requires_grad]
    found = torch.autograd.grad(
        [gradient for gradient, _ in terms],
        wanted,
        [second for _, second in terms],
        retain_graph=True,  # others ask the tape, too
        allow_unused=True,
    )
    by = {id(each): gradient for each, gradient in zip(wanted, found, strict=True) if gradient is not None}
    return [by.get(id(each), torch.zeros_like(each)) for each in (*leaves, *sent)]


def _wrong(bench: Bench, inputs: Inputs, wanted: list[torch.Tensor], reply: Reply) -> str:
    """What the first wrong derivative is taken by, or ``""``."""
    terms = accumulation(bench.spec, inputs)
    # Where several gradients lead to one tensor, autograd adds them up in its dtype: each sum rounds again.
    spec = replace(bench.spec, rounded_once=False)
    for output, values in zip(reply.outputs, wanted, strict=True):
        by = output.name.replace("cotangent 0", "the cotangent")
        if output.tensor is None:
            if bool(values.any()):
                return by
            continue
        tolerance = tolerance_for(spec, values, _digits(inputs, output), terms)
        expected = Expected(by, values, output.tensor.dtype, output.device, tolerance)
        if compare(output, expected) is not None:
            return by
    return ""


def _digits(inputs: Inputs, output: Output) -> torch.dtype:
    """The dtype that a derivative by an input, or by a cotangent, has the digits of; under autocast both are
    computed from rounded inputs.
    """
    assert output.tensor is not None
    given = [each for each in inputs.tensors() if each.spec.floating]
    by = [each.coarsest for each in given if each.name == output.name]
    by = by or [each.coarsest for each in given if each.spec.computed_in is not None]
    return max([output.tensor.dtype, *by], key=lambda dtype: torch.finfo(dtype).eps)
