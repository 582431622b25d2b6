"""The bench on which a submission is judged: its calls, with a record of each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import torch

from grader.checks.error_lines import at_own_line
from grader.checks.outcome import Outcome
from grader.checks.values.expected import Expected
from grader.checks.values.inputs import Inputs, draw, seeded
from grader.checks.values.tuning import other_cotangents, other_inputs
from grader.checks.values.wording import call_text
from grader.compilation import Artifact
from grader.course.catalog import Exercise
from grader.run.session import Session as WorkerSession
from grader.run.values import Output, Reply, Schedule
from grader.run.zygote_handle import Zygote
from grader.specification import Argument, Case, Refusal, Spec
from grader.specification.vocabulary import Stream
from grader.support.backends import Backend
from grader.verdict import Status

OTHER_ORDERS: tuple[Schedule, ...] = ("reversed", "random")  # of blocks and threads
COUNTING_SECONDS = 120.0
_HURRIED_LATE_MS = 4.0


class Session(Protocol):
    """What the checks need of :class:`grader.run.Session`."""

    late_ms: float

    def call(
        self, entry: str, args: Sequence[Any], *, stream: Stream = ..., device: int = ..., grad: bool = ...,
        trace: bool = ..., schedule: Schedule = ..., count: bool = ..., seconds: float | None = ...,
        in_place: Sequence[str] = ..., autocast: str | None = ..., deterministic: bool = ...,
        refuse_launch: int = ..., refuse_library_call: int = ...,
    ) -> Reply: ...  # fmt: skip
    def backward(
        self, handle: int, cotangents: Sequence[torch.Tensor | None], *, trace: bool = ..., count: bool = ...,
        overwrite: str = ..., twice: Sequence[torch.Tensor] = ..., seconds: float | None = ...,
        refuse_launch: int = ..., refuse_library_call: int = ...,
    ) -> Reply: ...  # fmt: skip
    def run_inside(
        self, check: str, args: Sequence[Any], *, trace: bool = ..., seconds: float | None = ...
    ) -> Reply: ...
    def release(self, handle: int) -> None: ...
    def inputs(self) -> tuple[torch.Tensor, ...]: ...
    def changed_inputs(self) -> tuple[str, ...]: ...


class KernelCompiler(Protocol):
    """What is done beside the calls with the kernels in Triton that they launch (`kernels.compiled`)."""

    def take(self, call: Call) -> None: ...
    def judged(self, bench: Bench, outcome: Outcome) -> Outcome: ...


@dataclass(frozen=True)
class Call:
    """One request: ``text`` describes the call, ``stage`` is forward, backward or refusal.

    ``waits`` says that the case allows it to wait for the device; ``inputs`` are those of a forward, where
    they are known.
    """

    stage: str
    case: str
    text: str
    reply: Reply
    stream: str = "default"
    traced: bool = True
    device: int = 0  # the current one at the call
    autocast: bool = False
    waits: bool = False
    inputs: Inputs | None = None

    @classmethod
    def of_case(
        cls, case: Case, stage: str, text: str, reply: Reply, traced: bool, inputs: Inputs | None = None
    ) -> Call:
        """The request that was made under what `case` asks for."""
        region = case.autocast is not None
        return cls(
            stage, case.name, text, reply, case.stream, traced, case.device, region, case.waits, inputs
        )

    @property
    def succeeded(self) -> bool:
        return self.reply.error is None and self.reply.trace.sticky_error is None

    @property
    def has_result(self) -> bool:
        """Whether it succeeded, and returned an element or more."""
        outputs = self.reply.outputs
        return self.succeeded and any(each.tensor is not None and each.tensor.numel() for each in outputs)

    @cached_property
    def only_moved(self) -> bool:
        """Whether every number that came back is one of an argument's; where these are unknown, it may be."""
        given = [each.tensor for each in self.inputs.tensors()] if self.inputs is not None else []
        returned = [each.tensor for each in self.reply.outputs if each.tensor is not None]
        return not given or all(_among(each, given) for each in returned)

    def failure(self, sentence: str, topic: str, not_own: str = "") -> Outcome:
        """What is held against this call; with ``not_own``, which says who made its results instead."""
        return Outcome(Status.FAIL, sentence, case=self.case, topic=topic, not_own=not_own)


@dataclass(frozen=True)
class RightAnswer:
    """A case that was answered rightly, kept so that it can be asked again under another schedule."""

    case: Case
    inputs: Inputs
    expected: tuple[Expected, ...]
    outputs: tuple[Output, ...]
    seconds: float


@dataclass
class Bench:
    """Everything a check needs; ``calls`` and ``right`` grow as checks run, and later checks read them."""

    exercise: Exercise
    spec: Spec
    backend: Backend
    seed: int
    session: Session
    files: Path
    reload: Callable[[], None]  # puts the submission into a fresh worker
    spawn: Callable[[], WorkerSession]  # a worker of its own, with nothing loaded
    scratch: Path  # an empty folder that every worker may read, gone after the verdict
    calls: list[Call] = field(default_factory=list)
    right: list[RightAnswer] = field(default_factory=list)
    current_case: str = ""
    pending: str = ""  # the text of the call that has not returned
    tried: bool = False  # whether the entry was called at all, be it in vain
    outcomes: dict[str, Outcome] = field(default_factory=dict)  # of the checks that are done, by name
    context_lost: bool = False  # after a sticky error every later call of the same worker would fail
    artifact: Artifact | None = None  # what was built of it
    hurries: bool = False  # a loop of edits on a GPU: what takes long there is cut short
    isolated: bool = False  # whether strangers' code may run in a sandbox only
    compiler: KernelCompiler | None = None  # of kernels that an interpreter runs
    simulated: Zygote | None = None  # where the submission runs on a real GPU: for an author's programs
    clean: Callable[[], AbstractContextManager[WorkerSession]] = field(init=False)

    def __post_init__(self) -> None:
        """Lend a worker with nothing loaded by starting one, unless one is ready."""
        self.clean = self.spawn

    def hurry(self) -> None:
        """Cut short what takes long on a GPU, for a loop of edits; marks have all the time."""
        self.hurries = True
        self.session.late_ms = _HURRIED_LATE_MS

    def draw(self, args: Sequence[Argument], *labels: object) -> Inputs:
        """Draw inputs that depend on the verdict's seed and on `labels` only."""
        return draw(args, self.generator(*labels))

    def generator(self, *labels: object) -> torch.Generator:
        return seeded(self.seed, self.exercise.slug, *labels)

    def text(self, inputs: Inputs, case: Case | Refusal | None = None) -> str:
        """The call in words, with what `case` puts around it."""
        return call_text(self.spec.entry, inputs, case if isinstance(case, Case) else None)

    def forward(
        self, asked: Case | Refusal, inputs: Inputs, *, stage: str = "forward",
        schedule: Schedule = "forward", requires_grad: Collection[str] = (), count: bool = False,
    ) -> Call:  # fmt: skip
        """Call the entry once under the case's stream and device, and put it on record.

        With ``count`` the trace has what the simulated device counted, for the time that this takes.
        """
        case = asked if isinstance(asked, Case) else Case(asked.name, asked.args)
        self.current_case = case.name
        self.tried = True
        if self.context_lost:
            self.reload()
            self.context_lost = False
        side_by_side = case.streams > 1  # only a trace tells on which streams
        traced = side_by_side or self._is_traced(stage, case, inputs)
        self.pending = self.text(inputs, case)

        def ask(given: Inputs, **how: Any) -> Reply:
            return self.session.call(
                self.spec.entry, given.for_worker(requires_grad), grad=bool(requires_grad), schedule=schedule,
                **case_options(case), **how,
            )  # fmt: skip

        if traced and stage == "forward" and self._tunes:
            others = other_inputs(inputs, self.generator("tuning", stage, case.name))
            tried = ask(others, trace=False)
            if tried.handle is not None:
                self.session.release(tried.handle)
        reply = ask(inputs, trace=traced, **counting(count))
        return self._record(Call.of_case(case, stage, self.pending, self._placed(reply), traced, inputs))

    @property
    def _tunes(self) -> bool:
        """Whether the first call with new sizes compiles and times configurations, and waits for the device
        while it does: not what a trace is to show. Other values come before, with the same sizes.
        """
        return self.backend == "cuda" and self.exercise.has_python_kernels

    def _is_traced(self, stage: str, case: Case, inputs: Inputs) -> bool:
        """Always on simt. On cuda, where the profiler is slow: the first call of each stage and stream, and
        the cases that a submission cannot know beforehand, of which one call is enough in a hurry.
        """
        if self.backend == "simt":
            return True
        if stage == "refusal" or not any(each.tensor.numel() for each in inputs.tensors()):
            return False
        traced = [call for call in self.calls if call.traced and call.stage == stage]
        if all(call.stream != case.stream for call in traced):
            return True
        unknown = case.sizes is not None or case.name in self._picked
        return unknown and not (self.hurries and any(call.case == case.name for call in traced))

    @cached_property
    def _picked(self) -> frozenset[str]:
        """A case of forward and one of backward: any might be the one in which a library does the work."""
        stages = (self.spec.cases, self.spec.gradient.cases if self.spec.gradient else ())
        generator = self.generator("traced")
        return frozenset(
            cases[int(torch.randint(len(cases), (), generator=generator))].name for cases in stages if cases
        )

    def has_tried(self, case: Case) -> bool:
        """Whether forward was called for `case`."""
        return any(call.stage == "forward" and call.case == case.name for call in self.calls)

    def ensure_calls(self) -> None:
        """Run every case once if no check has tried to so far, for a check that only reads the record."""
        if self.tried:
            return
        for number, case in enumerate(self.spec.cases):
            call = self.forward(case, self.draw(case.args, "case", number))
            if not call.succeeded:
                return

    def backward(
        self, case: Case, inputs: Inputs, handle: int, cotangents: Sequence[torch.Tensor | None],
        count: bool = False, trace: bool = False,
    ) -> Call:  # fmt: skip
        """Run the backward pass of a kept graph, and put it on record; ``count`` as in :meth:`forward`.

        With ``trace`` it is traced whatever was traced before.
        """
        self.current_case = case.name
        traced = trace or self._is_traced("backward", case, inputs)
        self.pending = f"The backward of {self.text(inputs, case)}"
        if traced and self._tunes:
            others = other_cotangents(cotangents, self.generator("tuning", "backward", case.name))
            self.session.backward(handle, others, trace=False)
        reply = self.session.backward(handle, cotangents, trace=traced, **counting(count))
        return self._record(Call.of_case(case, "backward", self.pending, self._placed(reply), traced))

    def _placed(self, reply: Reply) -> Reply:
        """With the place of an error in what the learner wrote."""
        if reply.error is None:
            return reply
        return replace(reply, error=at_own_line(self.exercise, self.files, reply.error))

    def _record(self, call: Call) -> Call:
        self.calls.append(call)
        if self.compiler is not None:
            self.compiler.take(call)
        self.pending = ""
        error = call.reply.error
        self.context_lost |= call.reply.trace.sticky_error is not None
        self.context_lost |= error is not None and "CUDA error" in error.message
        return call


def _among(values: torch.Tensor, given: Sequence[torch.Tensor]) -> bool:
    """Whether each of `values`, but for NaN, is an element of those `given`, converted to its dtype."""
    alike = [each.to(values.dtype) for each in given if each.is_complex() == values.is_complex()]
    asked = _numbers(values)
    there = torch.cat([_numbers(each) for each in alike]) if alike else asked[:0]
    return bool((torch.isin(asked, there) | asked.isnan()).all())


def _numbers(tensor: torch.Tensor) -> torch.Tensor:
    dense = torch.view_as_real(tensor.resolve_conj()) if tensor.is_complex() else tensor
    return dense.reshape(-1).to(torch.float64)


def case_options(case: Case) -> dict[str, Any]:
    """What `case` puts around a call, as keyword arguments of :meth:`grader.run.Session.call`."""
    return {
        "stream": case.stream,
        "device": case.device,
        "in_place": case.modifies,
        "autocast": case.autocast,
        "deterministic": case.deterministic,
    }


def counting(count: bool = True) -> dict[str, Any]:
    """The keyword arguments of a request that counts, which takes several times as long as one without."""
    return {"count": True, "seconds": COUNTING_SECONDS} if count else {}
