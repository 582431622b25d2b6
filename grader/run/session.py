"""The trusted side of a submission: the calls that checks make, and their replies.

A session outlives its workers. When a request ends badly the worker is gone, an exception says why, and the
next request starts a fresh worker and loads the submission again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from grader.run import replies
from grader.run.connection import Message
from grader.run.failures import CallLost
from grader.run.limits import Limits
from grader.run.loading import Loading, sources_of
from grader.run.tensors import pack_arguments, pack_tensor, pack_undefined, sent_bytes, tensor_arguments
from grader.run.values import Arg, Reply, Schedule, TensorArg
from grader.run.wire import SPARSE, Kind, Outgoing, WireError
from grader.run.worker_source import WorkerSource
from grader.run.workers import Workers
from grader.specification.vocabulary import Stream

if TYPE_CHECKING:
    from grader.compilation import Artifact

LATE_MS = 10.0


class Session:
    """One submission in a worker: a context manager, for one thread at a time (`release` for any).

    On a GPU's side stream, inputs arrive `late_ms` after a call has begun, so that work on another stream
    comes too early.
    """

    def __init__(self, source: WorkerSource) -> None:
        self._workers = Workers(source)
        self._isolated = source.isolate
        self._arguments: list[TensorArg] = []
        self.late_ms = LATE_MS

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def limits(self) -> Limits:
        """The limits of a request; may be replaced, for the requests that follow."""
        return self._workers.limits

    @limits.setter
    def limits(self, limits: Limits) -> None:
        self._workers.limits = limits

    def close(self) -> None:
        """Kill the worker and everything it started."""
        self._workers.end()

    def load(self, artifact: Artifact | None, op_file: Path | None, files: Path) -> None:
        """Load `op_file`, whose `grader.load` finds `artifact`; or the artifact alone.

        `files` is the learner's folder. Every worker runs the texts that `artifact.sources` holds, those
        that were audited; without them the files are read here, once. Raises `LoadFailed` when learner code
        raises, and the failures of any request.
        """
        self._workers.load(Loading(artifact, op_file, files, self._isolated, sources_of(artifact, op_file)))

    def call(
        self, entry: str, args: Sequence[Arg], *, stream: Stream = "default", device: int = 0,
        grad: bool = False, trace: bool = True, schedule: Schedule = "forward", count: bool = False,
        seconds: float | None = None, in_place: Sequence[str] = (), autocast: str | None = None,
        deterministic: bool = False, refuse_launch: int = 0, refuse_library_call: int = 0,
    ) -> Reply:  # fmt: skip
        """Call `entry` (an attribute of what was loaded, dots allowed) and wait for the device.

        `stream="side"` makes a stream other than the default current, `device` the current device. With
        `grad` the worker records and keeps the graph, and the reply has a `handle` if any output requires
        a gradient. `schedule` is the order in which the simulated device runs blocks and threads;
        `count` makes it count what every source line does to memory, into the trace. Arguments named in
        `in_place` that require a gradient are handed over as copies of the leaves, which the entry may
        change. `autocast` is the dtype of a `torch.autocast("cuda")` region around the call;
        `deterministic` sets PyTorch's deterministic mode for the call and for the backward of its graph.
        With `refuse_launch` the simulated device refuses that launch of the call, from 1, and with
        `refuse_library_call` that call of cuBLAS and its like. An exception that the entry raises is the
        reply's `error`.
        """
        options: dict[str, Any] = {
            "stream": stream, "device": device, "grad": grad, "trace": trace, "schedule": schedule,
            "count": count, "in_place": list(in_place), "autocast": autocast, "deterministic": deterministic,
            "refuse_launch": refuse_launch, "refuse_library_call": refuse_library_call,
        }  # fmt: skip
        return self._call(entry, args, options, f"calling `{entry}`", seconds)

    def run_inside(
        self, check: str, args: Sequence[Arg], *, stream: Stream = "default", device: int = 0,
        trace: bool = False, seconds: float | None = None,
    ) -> Reply:  # fmt: skip
        """Call `FILE.py:function`, the grader's or an author's, inside as `function(submission, *args)`.

        For checks that make sense only beside the learner's code (opcheck, torch.compile); what they return
        is a claim.
        """
        options = {"stream": stream, "device": device, "trace": trace, "inside": True}
        return self._call(check, args, options, f"running `{check.rpartition(':')[2]}`", seconds)

    def backward(
        self,
        handle: int,
        cotangents: Sequence[Tensor | None],
        *,
        trace: bool = True,
        count: bool = False,
        overwrite: str = "",
        twice: Sequence[Tensor] = (),
        seconds: float | None = None,
        refuse_launch: int = 0,
        refuse_library_call: int = 0,
    ) -> Reply:
        """Gradients of the outputs of an earlier call, one output per tensor argument that required one.

        `cotangents` has one entry per tensor output, in order; None travels as undefined. A gradient may be
        None. The graph stays, so that backward can be repeated. `overwrite` names an argument of the call,
        or `output N`, which is changed in place first. `twice` has one tensor per gradient and asks for
        second derivatives instead: of the gradients times it, by each such argument, then each cotangent.
        `refuse_launch` and `refuse_library_call` as in `call`. Raises `CallLost` when its worker is gone.
        """
        number = self._workers.number(handle)
        if number is None:
            raise CallLost
        outgoing = Outgoing.empty()
        document = {
            "trace": trace, "count": count, "overwrite": overwrite, "twice": bool(twice),
            "refuse_launch": refuse_launch, "refuse_library_call": refuse_library_call,
        }  # fmt: skip
        for cotangent in (*cotangents, *twice):
            if cotangent is None:
                pack_undefined(outgoing)
            else:
                pack_tensor(cotangent, outgoing)
        self._arguments = [
            TensorArg(cotangent, name=f"cotangent {position}")
            for position, cotangent in enumerate(cotangents)
            if cotangent is not None
        ]
        return self._workers.exchange(
            Kind.BACKWARD, outgoing, document, self._read, "running backward", seconds, detail=number,
            same_worker=True,
        )  # fmt: skip

    def release(self, handle: int) -> None:
        """Let the worker drop a graph with the next request. May be called from any thread and destructor."""
        self._workers.release(handle)

    def inputs(self) -> tuple[Tensor, ...]:
        """The present contents, in the worker, of the last call's tensor arguments or the last backward's
        cotangents, with their own geometry.
        """
        views = []
        for arg, (now, sparse) in zip(self._arguments, self._input_bytes(), strict=True):
            typed, tensor = now.view(arg.tensor.dtype), arg.tensor
            if sparse:
                views.append(typed.view(tensor.shape))
            else:
                views.append(typed.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset()))
        return tuple(views)

    def changed_inputs(self) -> tuple[str, ...]:
        """Names of the tensors that `inputs` returns whose storage no longer has the bytes sent."""
        return tuple(
            arg.name or f"argument {position}"
            for position, (arg, (now, sparse)) in enumerate(
                zip(self._arguments, self._input_bytes(), strict=True)
            )
            if not torch.equal(now, sent_bytes(arg.tensor, sparse))
        )

    # -- requests and replies ----------------------------------------------------------------------

    def _call(
        self, entry: str, args: Sequence[Arg], options: dict[str, Any], during: str, seconds: float | None
    ) -> Reply:
        outgoing = Outgoing.empty()
        packed = pack_arguments(args, outgoing)
        document = {"entry": entry, "args": packed, "late_ms": self.late_ms, **options}
        self._arguments = tensor_arguments(args)
        return self._workers.exchange(Kind.CALL, outgoing, document, self._read, during, seconds)

    def _read(self, message: Message) -> Reply:
        trace = replies.trace(message.document)
        loading = self._workers.loading
        if loading is not None and (trace.findings or trace.counts):
            trace = replace(
                trace,
                findings=tuple(loading.on_this_side(each) for each in trace.findings),
                counts=tuple(loading.on_this_side(each) for each in trace.counts),
            )
        return Reply(
            replies.outputs(message.document, message.records, message.tensors),
            replies.returned(message.document),
            self._workers.handle(message.header.detail),
            replies.remote_error(message.document),
            trace,
            message.printed,
            message.seconds,
        )

    def _input_bytes(self) -> list[tuple[Tensor, bool]]:
        """Per tensor argument of the last call its bytes now, and whether only its elements travelled."""
        return self._workers.exchange(
            Kind.INPUTS, Outgoing.empty(), {}, self._read_inputs, "returning its inputs", same_worker=True
        )

    def _read_inputs(self, message: Message) -> list[tuple[Tensor, bool]]:
        flags = [bool(record.flags & SPARSE) for record in message.records]
        if len(flags) != len(self._arguments):
            raise WireError("returned another number of inputs than it was given")
        for arg, now, sparse in zip(self._arguments, message.tensors, flags, strict=True):
            if now.dtype != torch.uint8 or now.shape != sent_bytes(arg.tensor, sparse).shape:
                raise WireError("returned inputs of another size than it was given")
        return list(zip(message.tensors, flags, strict=True))
