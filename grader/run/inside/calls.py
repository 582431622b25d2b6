"""CALL, BACKWARD and INPUTS in the worker."""

from __future__ import annotations

import contextlib
import itertools
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from grader.run.inside.arguments import Given, rebuild
from grader.run.inside.request import Answer, Request
from grader.run.inside.results import flatten, pack
from grader.run.inside.submission import Submission, describe
from grader.run.inside.tracing import Tracer
from grader.run.wire import SPARSE, UNDEFINED, Parcel, TensorRecord

_SLEEP_CYCLES = (
    20_000_000  # about 10 ms: longer than any launch, so that work on the wrong stream comes too early
)


@dataclass
class Graph:
    """What backward needs of an earlier call."""

    given: list[Given]
    outputs: list[Tensor]
    stream: str
    device: int


class Calls:
    """Runs entries and keeps what later requests ask about: graphs by handle, and the last call's
    arguments.
    """

    def __init__(self, submission: Submission, tracer: Tracer, backend: str) -> None:
        self._submission = submission
        self._tracer = tracer
        self._on_cpu = backend == "plain"
        self._late_inputs = backend == "cuda"
        self._graphs: dict[int, Graph] = {}
        self._handles = itertools.count(1)
        self._last: list[Given] = []

    def call(self, request: Request) -> Answer:
        """Rebuild the arguments, call the entry, wait for the device, and report."""
        text = request.text
        self._last = []
        arguments, given = self.arguments(request)
        self._last = given
        self._tracer.set_schedule(text.get("schedule", "forward"))
        inside = text.get("inside", False)
        with self.place(text["device"], text["stream"], given):
            try:
                if inside:
                    entry = self._submission.inside(text["entry"])
                    arguments.insert(0, self._submission.module)
                else:
                    entry = self._submission.entry(text["entry"])
                with (
                    self._tracer.watch(text["trace"], text["device"]),
                    torch.set_grad_enabled(text.get("grad", inside)),
                ):
                    result = entry(*arguments)
                    self._tracer.synchronize()
            except BaseException as error:  # also SystemExit: it ends the call
                result = None
                return self._failed(error, text["trace"])
            return self._answer(request, result, given)

    def backward(self, request: Request) -> Answer:
        """Gradients of a kept graph's outputs for the cotangents given."""
        graph = self._graphs[request.detail]
        cotangents = [self._cotangent(request, index, output) for index, output in enumerate(graph.outputs)]
        defined = [(output, cotangent) for output, cotangent in zip(graph.outputs, cotangents, strict=True)
                   if cotangent is not None and output.requires_grad]  # fmt: skip
        wanted = [each for each in graph.given if each.requires_grad]
        gradients: Sequence[Tensor | None] = [None] * len(wanted)
        with self.place(graph.device, graph.stream, []):
            try:
                with self._tracer.watch(request.text["trace"], graph.device):
                    if defined:
                        gradients = torch.autograd.grad(
                            [output for output, _ in defined], [each.value for each in wanted],
                            [cotangent for _, cotangent in defined], retain_graph=True, allow_unused=True,
                        )  # fmt: skip
                    self._tracer.synchronize()
            except BaseException as error:
                return self._failed(error, request.text["trace"])
            parcel = Parcel.empty()
            trace = self._tracer.collect(gradients, graph.given) if request.text["trace"] else {}
            entries = [
                pack(gradient, parcel, [], each.name)
                for gradient, each in zip(gradients, wanted, strict=True)
            ]
        return Answer({"outputs": entries, "returned": "tuple", "trace": trace}, parcel)

    def inputs(self, request: Request) -> Answer:
        """The storages of the last call's tensor arguments as they are now."""
        parcel = Parcel.empty()
        for each in self._last:
            storage = each.storage.detach()
            sparse = each.record.flags & SPARSE
            if sparse:
                storage = storage.as_strided(
                    each.record.sizes, each.record.strides, each.record.storage_offset
                )
            dense = storage.to("cpu").contiguous().view(-1)
            every = dense.view(torch.uint8) if dense.numel() else torch.empty(0, dtype=torch.uint8)
            record = TensorRecord("uint8", "cpu", (every.numel(),), (1,), flags=each.record.flags & SPARSE,
                                  nbytes=every.numel())  # fmt: skip
            parcel.add(record, every.data_ptr(), every)
        return Answer({}, parcel)

    def drop(self, handles: Sequence[int]) -> None:
        """Forget graphs that the parent no longer needs."""
        for handle in handles:
            self._graphs.pop(handle, None)

    def arguments(self, request: Request) -> tuple[list[Any], list[Given]]:
        """The arguments of ``request``, rebuilt on their devices."""
        return rebuild(request, self._on_cpu)

    @contextlib.contextmanager
    def place(self, device: int, stream: str, given: Sequence[Given]) -> Iterator[None]:
        """Make ``device`` and the stream current. On a GPU, side-stream inputs arrive late and on that
        stream only.
        """
        if self._on_cpu:
            yield
            return
        with torch.cuda.device(device):
            if stream == "default":
                yield
                return
            side = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
            with torch.cuda.stream(side):
                if self._late_inputs:
                    _deliver_late(given, side)
                yield

    def _answer(self, request: Request, result: Any, given: list[Given]) -> Answer:
        """Pack the outputs, keep the graph if there is one, and only then see what is still allocated."""
        text = request.text
        returned, values = flatten(result)
        trace = self._tracer.collect(values, given) if text["trace"] else {}
        parcel = Parcel.empty()
        try:
            entries = [pack(value, parcel, given) for value in values]
        except (RuntimeError, ValueError, OverflowError) as error:
            return Answer({"error": {**describe(error, None), "type": "ReplyTooLarge"}, "trace": trace})
        handle = self._keep(text, values, given) if text.get("grad") else 0
        del result, values
        if text["trace"]:
            self._tracer.count_live(trace)
        return Answer({"outputs": entries, "returned": returned, "trace": trace}, parcel, handle)

    def _keep(self, text: dict[str, Any], values: list[Any], given: list[Given]) -> int:
        outputs = [value for value in values if isinstance(value, Tensor)]
        if not any(output.requires_grad for output in outputs):
            return 0
        handle = next(self._handles)
        self._graphs[handle] = Graph(given, outputs, text["stream"], text["device"])
        return handle

    def _failed(self, error: BaseException, traced: bool) -> Answer:
        """The description of what learner code raised, and what had happened on the device until then."""
        description = describe(error, self._submission.files)
        traceback.clear_frames(error.__traceback__)  # they hold tensors that would count as leaked
        error.__traceback__ = None
        trace: dict[str, Any] = {}
        if traced:
            trace = self._tracer.collect([], self._last)
            self._tracer.count_live(trace)
        return Answer({"error": description, "trace": trace, "spent": self._tracer.is_spent()})

    def _cotangent(self, request: Request, index: int, output: Tensor) -> Tensor | None:
        if index >= len(request.records) or request.records[index].flags & UNDEFINED:
            return None
        return request.view(index, request.storage(index, output.device))


def _deliver_late(given: Sequence[Given], side: torch.cuda.Stream) -> None:
    """Empty the inputs, then let the side stream fill them after a pause: whoever reads them elsewhere
    reads nothing.
    """
    staged = [(each.storage, each.storage.clone()) for each in given if each.storage.is_cuda]
    for storage, _ in staged:
        storage.zero_()
    torch.cuda.synchronize()
    torch.cuda._sleep(_SLEEP_CYCLES)  # type: ignore[no-untyped-call]
    for storage, sent in staged:
        storage.copy_(sent)
        sent.record_stream(side)
