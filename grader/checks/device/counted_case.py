"""One case of an exercise run once on the simulated device with memory counting: forward, then backward."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from cusimt.profile.model import Memory
from grader.checks.bench import case_options, counting
from grader.checks.device.findings import backward_names
from grader.checks.gradients.cotangents import differentiable
from grader.checks.values.inputs import Inputs, draw, seeded
from grader.checks.values.wording import call_text, first_paragraph
from grader.course.catalog import Exercise
from grader.run.session import Session
from grader.run.values import Reply
from grader.specification import Argument, Case, Spec, TensorSpec
from grader.support.errors import SubmissionError, UsageError


@dataclass(frozen=True)
class Counted:
    """A counted run: `call` in words, the bytes that the spec says must move, the replies."""

    case: Case
    call: str
    traffic: int | None
    forward: Reply
    backward: Reply | None


def part_with(spec: Spec, wanted: str | None) -> Spec:
    """The part whose limits are counted in the case called `wanted`; else the main part, or the whole."""
    limited = (part for part in spec.parts if wanted in [each.case.name for each in part.efficiency])
    return next(limited, spec)


def choose(spec: Spec, exercise: Exercise, wanted: str | None) -> Case:
    """The case called `wanted`; without it the spec's PROFILE, else the one that EFFICIENCY limits, else the
    largest plain one of its CASES.

    Raises UsageError, naming the cases there are.
    """
    gradient = spec.gradient.cases if spec.gradient else ()
    limited = [each.case for each in spec.efficiency]
    known = [*([spec.profile] if spec.profile else []), *limited, *spec.cases, *gradient]
    if wanted is not None:
        for case in known:
            if case.name == wanted:
                return case
        names = ", ".join(f'"{name}"' for name in dict.fromkeys(case.name for case in known))
        raise UsageError(
            f'{exercise.slug} has no case "{wanted}".',
            f"Its cases are {names}.",
            f'Run: grader profile {exercise.number:02d} --case "{known[0].name}"',
        )
    if spec.profile is not None or limited:
        return spec.profile or limited[0]
    # Counts of other sizes for every seed could not be compared.
    fixed = [case for case in spec.cases if case.sizes is None] or spec.cases
    plain = [case for case in fixed if case.stream == "default" and all(map(_is_plain, case.args))]
    return max(plain or fixed, key=_elements)


def run_counted(session: Session, spec: Spec, exercise: Exercise, case: Case, seed: int) -> Counted:
    """Call the entry once, and its backward where the operation has one.

    Raises SubmissionError when the call raises or launches no kernel, and the failures of any request.
    """
    inputs = draw(case.args, seeded(seed, exercise.slug, "profile", case.name))
    text = call_text(spec.entry, inputs, case)
    names = {each.name for each in differentiable(spec.gradient, inputs)} if spec.gradient else set()
    forward = session.call(
        spec.entry, inputs.for_worker(names), grad=bool(names), **case_options(case), **counting()
    )
    _refuse_failure(text, forward, exercise)
    backward = _backward(session, forward, seed)
    if backward is not None and _is_open(backward):
        backward = None
    if backward is not None:
        _refuse_failure(f"The backward of {text}", backward, exercise)
    if not forward.trace.counts and not (backward and backward.trace.counts):
        raise SubmissionError(
            f"{text} launched no kernel.",
            "A profile counts the memory traffic of kernels.",
            f"Choose another case with --case, or see what is missing: grader check {exercise.number:02d}",
        )
    return Counted(case, text, _traffic(spec, inputs), forward, backward)


def tensor_names(reply: Reply, backward: bool = False) -> dict[int, Memory]:
    """Tensors by address; of a backward, results are called after the inputs whose gradients they are."""
    words = backward_names(reply) if backward else {}
    found: dict[int, Memory] = {}
    for each in reply.trace.placed:
        found.setdefault(each.base, Memory(words.get(each.name, each.name), each.itemsize))
    return found


def _backward(session: Session, forward: Reply, seed: int) -> Reply | None:
    if forward.handle is None:
        return None
    generator = seeded(seed, "cotangent")
    tensors = [output.tensor for output in forward.outputs if output.tensor is not None]
    cotangents = [
        torch.rand(tensor.shape, generator=generator, dtype=torch.float64).to(tensor.dtype)
        for tensor in tensors
    ]
    reply = session.backward(forward.handle, cotangents, **counting())
    session.release(forward.handle)
    return reply


def _is_open(reply: Reply) -> bool:
    """Whether a TODO was reached: what is written so far can be profiled."""
    error = reply.error
    return error is not None and error.type == "NotImplementedError" and "TODO(" in error.message


def _refuse_failure(call: str, reply: Reply, exercise: Exercise) -> None:
    again = f"Repair it first: grader check {exercise.number:02d}"
    if reply.error is not None:
        at = f" at {reply.error.where}" if reply.error.where else ""
        raise SubmissionError(
            f"{call} raised {reply.error.type}{at}: {first_paragraph(reply.error.message)}",
            "Only a call that succeeds can be profiled.",
            again,
        )
    if reply.trace.sticky_error is not None:
        raise SubmissionError(
            f"{call}: a kernel failed with {reply.trace.sticky_error}.",
            "The counts of a stopped kernel mean nothing.",
            again,
        )


def _traffic(spec: Spec, inputs: Inputs) -> int | None:
    return int(spec.traffic(*inputs.for_reference(widen=False))) if spec.traffic else None


def _is_plain(argument: Argument) -> bool:
    return not isinstance(argument, TensorSpec) or (
        argument.layout == "contiguous" and argument.special is None and argument.device == "cuda:0"
    )


def _elements(case: Case) -> int:
    return sum(_size(argument) for argument in case.args)


def _size(argument: Argument | Sequence[Argument]) -> int:
    if isinstance(argument, TensorSpec):
        return argument.numel
    return sum(map(_size, argument)) if isinstance(argument, list | tuple) else 0
