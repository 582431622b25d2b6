"""CALL, BACKWARD and INPUTS in the worker."""

from __future__ import annotations

import functools
import itertools
import time
import traceback
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from grader.run.inside.arguments import Given, rebuild, with_copies
from grader.run.inside.current_device import DeviceStream, DeviceStreams, determinism
from grader.run.inside.graphs import Graph, differentiate_twice, overwrite, run_engine, undefined
from grader.run.inside.request import ReplyDraft, Request
from grader.run.inside.results import flatten, pack, pack_bytes
from grader.run.inside.submission import LoadedSubmission, describe
from grader.run.inside.tracing import Tracer
from grader.run.wire import SPARSE, UNDEFINED, Outgoing

_SETTLING_STEPS = 20  # milliseconds


class Calls:
    """Runs entries; keeps the graphs, and the last request's arguments, which later requests read."""

    def __init__(self, submission: LoadedSubmission, tracer: Tracer, places: DeviceStreams) -> None:
        self._submission = submission
        self._tracer = tracer
        self._places = places
        self._graphs: dict[int, Graph] = {}
        self._handles = itertools.count(1)
        self._last: list[Given] = []

    def call(self, request: Request) -> ReplyDraft:
        """Rebuild the arguments, call the entry, wait for the device, and report."""
        text = request.text
        schedule: str = text.get("schedule", "forward")
        self._tracer.begin(schedule, **_of_device(text))
        self._last = []  # the last call's arguments are freed before these are made
        alive = self._tracer.alive()
        arguments, self._last = rebuild(request, self._places.on_cpu)
        place = self._places.place(text["device"], text["stream"], text["late_ms"])
        trace: dict[str, Any] = {}
        values: list[Any] = []
        deterministic: bool = text.get("deterministic", False)
        with self._places.current(place), determinism(deterministic):
            try:
                returned, values = self._run(text, arguments, place)
                trace = self._tracer.collect(values, self._last) if text["trace"] else {}
                outgoing = Outgoing.empty()
                entries = [pack(value, outgoing, self._last) for value in values]
                handle = self._keep(values, place, schedule, deterministic) if text.get("grad") else 0
            except BaseException as error:  # also SystemExit: it ends the call
                values.clear()
                return self._failed(error, text["trace"], trace)
            values.clear()
            self._count_live(trace)
        trace["alive_before"] = alive
        return ReplyDraft({"outputs": entries, "returned": returned, "trace": trace}, outgoing, handle)

    def backward(self, request: Request) -> ReplyDraft:
        """Gradients of a kept graph's outputs for the cotangents given."""
        traced: bool = request.text["trace"]
        graph = self._graphs[request.detail]
        text = request.text
        self._tracer.begin(graph.schedule, **_of_device(text))
        wanted = [each for each in graph.given if each.requires_grad]
        cotangents = [_cotangent(request, index, output) for index, output in enumerate(graph.outputs)]
        if request.text.get("twice"):
            return self._twice(request, graph, wanted, cotangents)
        arrived = self._last = [cotangent for cotangent in cotangents if cotangent is not None]
        trace: dict[str, Any] = {}
        gradients: list[Any] = []
        with self._places.current(graph.place), determinism(graph.deterministic):
            try:
                overwrite(graph, request.text.get("overwrite", ""))
                gradients = self._differentiate(graph, wanted, cotangents, traced)
                trace = self._tracer.collect(gradients, [*graph.given, *arrived]) if traced else {}
                outgoing = Outgoing.empty()
                entries = [
                    pack(gradient, outgoing, arrived, each.name)
                    for gradient, each in zip(gradients, wanted, strict=True)
                ]
            except BaseException as error:
                gradients.clear()
                return self._failed(error, traced, trace)
            gradients.clear()
            _let_autograd_finish(trace, self._tracer)
        return ReplyDraft({"outputs": entries, "returned": "tuple", "trace": trace}, outgoing)

    def _twice(
        self, request: Request, graph: Graph, wanted: list[Given], cotangents: list[Given | None]
    ) -> ReplyDraft:
        """Second derivatives by the wanted arguments, then by the cotangents; see `differentiate_twice`."""
        sent = [cotangent.value for cotangent in cotangents if cotangent is not None]
        leaves = [each.value for each in wanted]
        seconds = [_cotangent(request, len(sent) + index, leaf) for index, leaf in enumerate(leaves)]
        names = [each.name for each in wanted] + [f"cotangent {number}" for number in range(len(sent))]
        with self._places.current(graph.place), determinism(graph.deterministic):
            try:
                values = [each.value for each in seconds if each is not None]
                found = differentiate_twice(graph, sent, leaves, values)
                outgoing = Outgoing.empty()
                entries = [pack(each, outgoing, [], name) for each, name in zip(found, names, strict=True)]
            except BaseException as error:
                return self._failed(error, traced=False, trace={})
        return ReplyDraft({"outputs": entries, "returned": "tuple", "trace": {}}, outgoing)

    def inputs(self, request: Request) -> ReplyDraft:
        """The storages of the last call's tensor arguments, or of backward's cotangents, as they are now."""
        outgoing = Outgoing.empty()
        for each in self._last:
            stored = each.storage.detach()
            if each.record.flags & SPARSE:
                stored = stored.as_strided(each.record.sizes, each.record.strides, each.record.storage_offset)
            pack_bytes(stored, outgoing, each.record.flags & SPARSE)
        return ReplyDraft({}, outgoing)

    def drop(self, handles: Sequence[int]) -> None:
        """Forget graphs that the parent no longer needs."""
        for handle in handles:
            self._graphs.pop(handle, None)

    def _run(
        self, text: dict[str, Any], arguments: list[Any], place: DeviceStream | None
    ) -> tuple[str, list[Any]]:
        """Call the entry under the tracer; the only references to its results are in the list returned."""
        inside = self._inside(text, arguments) if text.get("inside") else None
        deliver = self._delivery(place, self._last)

        def prepare() -> None:
            deliver()
            arguments[:] = with_copies(arguments, self._last, text.get("in_place", ()))

        with (
            self._tracer.watch(text["trace"], text["device"], prepare),
            torch.set_grad_enabled(text.get("grad", True)),
            self._places.autocast(text.get("autocast")),
        ):
            # A missing entry is an error of a call that has begun: nothing of it is a leak.
            entry = inside or self._submission.entry(text["entry"])
            result = entry(*arguments)
        return flatten(result)

    def _inside(self, text: dict[str, Any], arguments: list[Any]) -> Callable[..., Any]:
        """The function of an author's file, which gets the submission before its arguments."""
        arguments.insert(0, self._submission.module)
        return self._submission.inside(text["entry"])

    def _differentiate(
        self, graph: Graph, wanted: list[Given], cotangents: list[Given | None], traced: bool
    ) -> list[Tensor | None]:
        """One gradient per wanted argument. An output without cotangent passes an undefined gradient on."""
        pairs = [
            (output, cotangent.value) if cotangent is not None else undefined(output)
            for output, cotangent in zip(graph.outputs, cotangents, strict=True)
            if output.requires_grad
        ]
        delivery = self._delivery(graph.place, [each for each in cotangents if each is not None])
        with self._tracer.watch(traced, graph.place.device if graph.place else 0, delivery):
            return run_engine(pairs, [each.value for each in wanted])

    def _delivery(self, place: DeviceStream | None, given: Sequence[Given]) -> Callable[[], None]:
        return functools.partial(self._places.deliver, place, [each.storage for each in given])

    def _keep(self, values: list[Any], place: DeviceStream | None, schedule: str, deterministic: bool) -> int:
        outputs = [value for value in values if isinstance(value, Tensor)]
        if not any(output.requires_grad for output in outputs):
            return 0
        handle = next(self._handles)
        self._graphs[handle] = Graph(self._last, outputs, place, schedule, deterministic)
        return handle

    def _count_live(self, trace: dict[str, Any]) -> None:
        if trace:
            self._tracer.count_live(trace)

    def _failed(self, error: BaseException, traced: bool, trace: dict[str, Any]) -> ReplyDraft:
        """The reply to an exception of learner code, with the events on the device until then.

        `trace` is what was collected before, if anything: a kernel that failed without an exception in the
        call fails the copy of its results to the host, and its findings can be taken only once.
        """
        description = describe(error, self._submission.files)
        drop_frames(error)  # they hold tensors that would count as leaked
        if traced and not trace:
            trace = self._tracer.collect([], self._last)
        self._count_live(trace)
        lasting = self._tracer.lasting_error()
        if lasting is not None:
            trace["sticky_error"] = lasting
        return ReplyDraft({"error": description, "trace": trace, "spent": lasting is not None})


def _of_device(text: dict[str, Any]) -> dict[str, Any]:
    """What of a request is about what the device counts and refuses."""
    return {name: text[name] for name in ("count", "refuse_launch", "refuse_library_call") if name in text}


def drop_frames(error: BaseException) -> None:
    """Clear the frames that `error` passed, and those of exceptions that it was raised from or during."""
    pending: list[BaseException | None] = [error]
    dropped: list[BaseException] = []
    while pending:
        each = pending.pop()
        if each is None or any(each is other for other in dropped):
            continue
        traceback.clear_frames(each.__traceback__)
        each.__traceback__ = None
        dropped.append(each)
        pending += [each.__cause__, each.__context__]


def _let_autograd_finish(trace: dict[str, Any], tracer: Tracer) -> None:
    """Count live allocations, waiting a moment for the autograd thread to drop its references."""
    for _ in range(_SETTLING_STEPS if trace else 0):
        tracer.count_live(trace)
        if trace.get("live_allocations", 0) <= 0:
            return
        time.sleep(0.001)


def _cotangent(request: Request, index: int, output: Tensor) -> Given | None:
    """The cotangent of an output, on its device; None if it is undefined."""
    record = request.records[index]
    if record.flags & UNDEFINED:
        return None
    storage = request.storage(index, output.device)
    return Given(f"cotangent {index}", record, storage, request.view(index, storage))
