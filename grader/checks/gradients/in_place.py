"""Check that backward detects tensors changed in place since forward, and that a graph frees its memory.

Autograd counts the changes of every tensor, and compares the count of what ``save_for_backward`` has kept. A
tensor kept in another way, as an attribute of ``ctx``, is out of its sight: backward computes with whatever
it holds by then, without an error. If it is a result, it also keeps itself alive.
"""

from __future__ import annotations

import itertools

import torch

from cusimt.support.words import counted
from grader.checks.bench import Bench, Call
from grader.checks.gradients.cotangents import expected_gradient
from grader.checks.gradients.reference_graph import Recorded, Tape, dense
from grader.checks.outcome import Outcome
from grader.checks.values.compare import compare
from grader.checks.values.inputs import Inputs
from grader.checks.values.wording import error_outcome
from grader.run.values import Output, Reply
from grader.specification import Case
from grader.verdict import Status

NOTICED = "modified by an inplace operation"  # torch's words
CALLS = 4  # enough to tell a cache, which is filled once, from memory that every call leaves behind
_RULE = "What backward reads is kept by ctx.save_for_backward, not as an attribute of ctx"


def overwritten_problem(
    bench: Bench, case: Case, inputs: Inputs, tape: Tape
) -> tuple[Outcome | None, frozenset[str]]:
    """What goes wrong when each tensor of `case` in turn is changed between forward and backward.

    The leaves of its ``tape`` require grad. Then the case is repeated, and the memory watched. Also returns
    the tensors that autograd turned out to keep for backward.
    """
    asked = _Asked(bench, case, inputs, tape)
    first = asked.forward()
    if first is None:
        return None, frozenset()  # another check reports what is wrong with it
    saved: set[str] = set()
    for victim in [*_arguments(inputs), *_results(first)]:
        failure, noticed = asked.after_a_change(victim)
        if failure is not None:
            return failure, frozenset(saved)
        saved |= {victim} if noticed else set()
    return asked.left_behind(), frozenset(saved)


class _Asked(Recorded):
    """One case, asked again and again."""

    def forward(self, release: bool = True) -> Call | None:
        """The call, or None where it gave no graph; which is kept without ``release``."""
        call = self.bench.forward(self.case, self.inputs, requires_grad=list(self.tape.leaves))
        if call.reply.error is not None or call.reply.handle is None:
            return None
        if release:
            self.bench.session.release(call.reply.handle)
        return call

    def after_a_change(self, victim: str) -> tuple[Outcome | None, bool]:
        """What is wrong, unless backward raises as autograd does, or needs nothing of `victim` and is right;
        and whether it raised, since autograd keeps `victim`.
        """
        call = self.forward(release=False)
        if call is None or call.reply.handle is None:
            return None, False
        generator = self.bench.generator("cotangent", "overwritten", self.case.name)
        cotangents = [
            torch.randn(each.shape, generator=generator, dtype=torch.float64).to(each.dtype)
            for each in dense(call)
        ]
        try:
            reply = self.bench.session.backward(call.reply.handle, cotangents, trace=False, overwrite=victim)
        finally:
            self.bench.session.release(call.reply.handle)
        called = "its result" if victim == "output 0" else victim
        text = f"The backward of {self._text()}, after {called} was changed in place"
        if reply.error is not None:
            if NOTICED not in reply.error.message:
                return error_outcome(text, reply.error, self.case.name), False
            return None, True
        name = self._wrong(cotangents, reply)
        return (self._unnoticed(text, name) if name else None), False

    def _unnoticed(self, text: str, name: str) -> Outcome:
        return Outcome(
            Status.FAIL,
            f"{text}, computed a wrong gradient of {name} without an error. {_RULE}: autograd then detects "
            "the change and raises.",
            case=self.case.name, expected="an error", got="a wrong gradient", topic="saved",
        )  # fmt: skip

    def left_behind(self) -> Outcome | None:
        """Memory that is alive after a result and its graph were dropped, if every call adds some.

        What a call takes by cudaMalloc no graph holds: safety says that it is not freed.
        """
        calls = [self.forward() for _ in range(CALLS)]
        api = [each for call in calls if call is not None for each in call.reply.trace.api_calls]
        if any(str(each.get("call")).startswith("cudaMalloc") for each in api):
            return None
        alive = [call.reply.trace.alive_before for call in calls if call is not None]
        least = min((after - before for before, after in itertools.pairwise(alive)), default=0)
        if least <= 0:
            return None
        what = counted(least, "device allocation")
        return Outcome(
            Status.FAIL,
            f"{self._text()}: {what} of each call outlived the result and its graph. {_RULE}: a result on "
            "ctx holds its graph, the graph holds ctx, and ctx holds the result. Nor may a list or dict that "
            "outlives the call keep a tensor of it.",
            case=self.case.name, expected="nothing kept alive", got=what, topic="saved",
        )  # fmt: skip

    def _text(self) -> str:
        return self.bench.text(self.inputs, self.case)

    def _wrong(self, cotangents: list[torch.Tensor], reply: Reply) -> str:
        """The first input whose gradient is not that of the values that forward saw."""
        wanted = self.tape.gradients(cotangents)
        for name, output in zip(wanted, reply.outputs, strict=True):
            if output.kind == "none":
                continue
            if compare(output, expected_gradient(self.bench, self.inputs, name, wanted[name])) is not None:
                return name
        return ""


def _arguments(inputs: Inputs) -> list[str]:
    return [each.name for each in inputs.tensors() if each.spec.floating and each.device != "numpy"]


def _results(call: Call) -> list[str]:
    tensors = [output for output in call.reply.outputs if output.tensor is not None]
    return [f"output {number}" for number, output in enumerate(tensors) if _is_writable(output)]


def _is_writable(output: Output) -> bool:
    """Whether it can be changed in place: it is floating, and its elements do not overlap."""
    overlaps = any(stride == 0 for stride in output.strides if output.tensor is not None)
    return output.tensor is not None and output.tensor.is_floating_point() and not overlaps
