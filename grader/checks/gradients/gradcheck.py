"""torch.autograd.gradcheck in the trusted parent, on a stand-in whose forward and backward run in the worker.

The stand-in must not be kinder than the submission. It hands on which inputs require grad (the worker makes
exactly those leaves), and undefined cotangents stay undefined: a stand-in that lets autograd fill in zeros
would hide a backward that cannot take them. Graphs are released when autograd drops them here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import torch
from torch.autograd.gradcheck import GradcheckError

from grader.checks.bench import Bench, Session, case_options
from grader.checks.outcome import Outcome
from grader.checks.values.inputs import Drawn, Inputs
from grader.checks.values.wording import error_outcome
from grader.run.values import RemoteError, Reply
from grader.specification import Case, Gradient
from grader.verdict import Status

EXACT_LIMIT = 600  # input elements; above, gradcheck projects onto random directions
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|nan|inf)", re.IGNORECASE)


class RemoteFailure(Exception):
    """Learner code raised in the worker; carried through autograd to :func:`gradcheck_problem`."""

    def __init__(self, error: RemoteError, during: str) -> None:
        super().__init__(str(error))
        self.error = error
        self.during = during


class RemoteGraph:
    """A graph kept in the worker, released when nothing here refers to it any more."""

    def __init__(self, session: Session, handle: int) -> None:
        self.session = session
        self.handle = handle

    def __del__(self) -> None:
        self.session.release(self.handle)


class WorkerFunction:
    """Forward and backward of one case as requests; ``names`` are the inputs that gradcheck varies."""

    def __init__(self, bench: Bench, case: Case, inputs: Inputs, names: list[str]) -> None:
        self.bench = bench
        self.case = case
        self.inputs = inputs
        self.names = names

    def call(self, tensors: Sequence[torch.Tensor], needed: Sequence[bool]) -> Reply:
        """The entry with `tensors` in place of the drawn ones; those `needed` are leaves in the worker."""
        values = dict(zip(self.names, tensors, strict=True))
        wanted = [name for name, asks in zip(self.names, needed, strict=True) if asks]
        reply = self.bench.session.call(
            self.bench.spec.entry, with_values(self.inputs, values).for_worker(wanted), grad=True,
            trace=False, **case_options(self.case),
        )  # fmt: skip
        if reply.error is not None:
            raise RemoteFailure(reply.error, "")
        return reply

    def backward(self, handle: int, cotangents: Sequence[torch.Tensor | None]) -> Reply:
        reply = self.bench.session.backward(handle, cotangents, trace=False)
        if reply.error is not None:
            raise RemoteFailure(reply.error, "the backward")
        return reply


class Remote(torch.autograd.Function):
    """The submission as one node of a graph in this process."""

    @staticmethod
    def forward(ctx: Any, submission: WorkerFunction, *tensors: torch.Tensor) -> Any:
        ctx.set_materialize_grads(False)
        reply = submission.call([each.detach() for each in tensors], ctx.needs_input_grad[1:])
        ctx.submission = submission
        ctx.graph = None if reply.handle is None else RemoteGraph(submission.bench.session, reply.handle)
        outputs = tuple(output.tensor for output in reply.outputs)
        return outputs[0] if reply.returned == "value" else outputs

    @staticmethod
    def backward(ctx: Any, *cotangents: torch.Tensor | None) -> Any:
        found = iter(ctx.submission.backward(ctx.graph.handle, cotangents).outputs)
        return (None, *(next(found).tensor if needed else None for needed in ctx.needs_input_grad[1:]))


def gradcheck_problem(
    bench: Bench, gradient: Gradient, case: Case, inputs: Inputs, leaves: list[Drawn]
) -> Outcome | None:
    """Run gradcheck: exactly on small inputs, in fast mode on large ones.

    In a loop of edits on a GPU it is always the fast mode: an exact one has some 300 requests, each of which
    takes a millisecond and more there.
    """
    points = tuple(each.tensor.detach().clone().requires_grad_() for each in leaves)
    names = [each.name for each in leaves]
    submission = WorkerFunction(bench, case, inputs, names)
    fast = bench.hurries or sum(point.numel() for point in points) > EXACT_LIMIT
    text = bench.text(inputs, case)
    tolerated = 0.0 if case.deterministic else gradient.nondet_tol
    try:
        torch.autograd.gradcheck(
            lambda *tensors: Remote.apply(submission, *tensors),  # type: ignore[no-untyped-call]
            points, fast_mode=fast, nondet_tol=tolerated, check_undefined_grad=True,
        )  # fmt: skip
    except GradcheckError as problem:
        judged = bench.outcomes.get("correctness")
        wrong_forward = judged is not None and judged.status is Status.FAIL and judged.topic == "values"
        return _in_words(str(problem), text, names, case.name, wrong_forward)
    except RemoteFailure as problem:
        subject = f"{problem.during} of {text}" if problem.during else text
        return error_outcome(f"gradcheck: {subject}", problem.error, case.name)
    return None


def with_values(inputs: Inputs, values: dict[str, torch.Tensor]) -> Inputs:
    """`inputs` at the point that gradcheck wants to try."""

    def at(value: Any) -> Any:
        if isinstance(value, Drawn):
            return Drawn(value.spec, values.get(value.name, value.tensor))
        return [at(each) for each in value] if isinstance(value, list) else value

    return Inputs(tuple(at(value) for value in inputs.values))


def _in_words(message: str, text: str, names: list[str], case: str, wrong_forward: bool) -> Outcome:
    """gradcheck's message as one sentence: which input, and the two numbers that differ most.

    Backward has agreed with the reference before gradcheck looks: where finite differences are those of a
    wrong forward, it is not backward that is to be blamed.
    """
    which = re.search(r"with respect to input (\d+)", message)
    name = names[int(which.group(1))] if which else "an input"
    numbers = _worst_pair(message)
    if numbers is not None and wrong_forward:
        return Outcome(
            Status.FAIL,
            f"gradcheck of {text}: the derivative with respect to {name} is right in backward; finite "
            "differences disagree because the forward result is wrong. Fix forward first.",
            case=case, topic="values", reading="values",
        )  # fmt: skip
    if numbers is not None:
        numerical, analytical = (f"{value:.6g}" for value in numbers)
        return Outcome(
            Status.FAIL,
            f"gradcheck of {text}: the derivative with respect to {name} is {analytical} according to "
            f"backward, but {numerical} by finite differences of the forward.",
            case=case, expected=numerical, got=analytical, topic="gradcheck",
        )  # fmt: skip
    for pattern, sentence in _OTHER_FAILURES:
        if pattern in message:
            return Outcome(Status.FAIL, f"gradcheck of {text}: {sentence}", case=case, topic="gradcheck")
    return Outcome(
        Status.FAIL, f"gradcheck of {text}: {message.strip().splitlines()[0]}", case=case, topic="gradcheck"
    )


_OTHER_FAILURES = (
    ("not reentrant", "two runs of backward with the same cotangent differ. Either memory is read after "
     "it was overwritten, or a sum is added in a varying order."),
    ("undefined", "backward cannot take an undefined cotangent. Treat a cotangent that is None as zeros."),
    ("requires_grad", "no output requires grad, so there is nothing to differentiate."),
)  # fmt: skip


def _worst_pair(message: str) -> tuple[float, float] | None:
    """The numerical and the analytical derivative that differ most, read from the two printed Jacobians."""
    found = re.search(r"numerical:\s*(.*?)analytical:\s*(.*)", message, re.DOTALL)
    if found is None:
        return None
    numerical, analytical = (_numbers(part) for part in found.groups())
    pairs = list(zip(numerical, analytical, strict=False))
    return max(pairs, key=lambda pair: _distance(*pair)) if pairs else None


def _numbers(printed: str) -> list[float]:
    """The elements of a printed tensor, without the ``dtype=torch.float64`` behind them."""
    inside = re.sub(r"(dtype|device|grad_fn|requires_grad)=\S*", "", printed).split("\n\n")[0]
    return [float(each) for each in _NUMBER.findall(inside.replace("tensor", ""))]


def _distance(one: float, other: float) -> float:
    difference = abs(one - other)
    return difference if difference == difference else float("inf")
