"""The trusted side of a submission: what the checks call, and what they get back.

A session outlives its workers. When a request ends badly the worker is gone, an exception says why, and the
next request starts a fresh worker and loads the submission again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeVar

import torch
from torch import Tensor

from grader.run import replies
from grader.run.connection import Connection, Message
from grader.run.failures import CallLost, LoadFailed, ProtocolViolation
from grader.run.spawn import Zygote
from grader.run.tensors import pack_arguments, pack_tensor, pack_undefined, sent_bytes, tensor_arguments
from grader.run.values import Arg, Measurement, Reply, TensorArg
from grader.run.wire import SPARSE, Kind, Parcel, WireError

if TYPE_CHECKING:
    from grader.build import Artifact

Stream = Literal["default", "side"]
Schedule = Literal["forward", "reversed", "random"]
_T = TypeVar("_T")


class Session:
    """One submission in a worker. A context manager; not to be shared between threads, except ``release``."""

    def __init__(self, zygote: Zygote) -> None:
        self._zygote = zygote
        self._connection = Connection(zygote)
        self._load: dict[str, Any] | None = None
        self._released: list[int] = []
        self._lock = threading.Lock()
        self._generation = 0  # of the worker: a handle is its number in the low 32 bits, the generation above
        self._arguments: list[TensorArg] = []
        self.limits = zygote.limits

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Kill the worker and everything it started."""
        self._connection.end()

    def load(self, artifact: Artifact | None, op_file: Path | None, files: Path) -> None:
        """Load a submission: ``op_file`` with ``artifact`` as what its ``grader.load`` finds, or the
        artifact alone.

        ``files`` is the learner's folder. Raises ``LoadFailed`` when learner code raises, and the failures
        of any request.
        """
        built = None
        if artifact is not None:
            built = {
                "name": artifact.name, "interface": artifact.interface, "path": str(artifact.path),
                "backend": artifact.backend, "checked": artifact.checked, "log": str(artifact.log),
            }  # fmt: skip
        document = {"artifact": built, "op_file": str(op_file) if op_file else None, "files": str(files)}
        with self._lock:
            if self._load is not None or not self._connection.alive:
                self._connection.end()
                self._load = None
                self._renew()
            self._load = document
            self._send_load(document)

    def call(
        self, entry: str, args: Sequence[Arg], *, stream: Stream = "default", device: int = 0,
        grad: bool = False, trace: bool = True, schedule: Schedule = "forward", seconds: float | None = None,
    ) -> Reply:  # fmt: skip
        """Call ``entry`` (an attribute of what was loaded, dots allowed) and wait for the device.

        ``stream="side"`` makes a stream other than the default current, ``device`` the current device. With
        ``grad`` the worker records and keeps the graph, and the reply has a ``handle`` if any output
        requires a gradient. ``schedule`` is the order in which the simulated device runs blocks and
        threads. An exception that the entry raises is the reply's ``error``.
        """
        parcel = Parcel.empty()
        document = self._call_document(entry, args, stream, device, trace, parcel)
        document |= {"grad": grad, "schedule": schedule}
        self._arguments = tensor_arguments(args)
        return self._reply(self._exchange(Kind.CALL, parcel, document, f"calling `{entry}`", seconds))

    def run_inside(
        self, check: str, args: Sequence[Arg], *, stream: Stream = "default", device: int = 0,
        trace: bool = False, seconds: float | None = None,
    ) -> Reply:  # fmt: skip
        """Call ``FILE.py:function`` of the grader's or the author's, in the worker, as
        ``function(submission, *args)``.

        For checks that make sense only beside the learner's code (opcheck, torch.compile); what they return
        is a claim.
        """
        parcel = Parcel.empty()
        document = self._call_document(check, args, stream, device, trace, parcel)
        document["inside"] = True
        self._arguments = tensor_arguments(args)
        during = f"running `{check.rpartition(':')[2]}`"
        return self._reply(self._exchange(Kind.CALL, parcel, document, during, seconds))

    def backward(
        self,
        handle: int,
        cotangents: Sequence[Tensor | None],
        *,
        trace: bool = True,
        seconds: float | None = None,
    ) -> Reply:
        """Gradients of the outputs of an earlier call, one output per tensor argument that required one.

        ``cotangents`` has one entry per tensor output, in order; None travels as undefined. A gradient may
        be None. The graph stays, so that backward can be repeated. Raises ``CallLost`` when its worker is
        gone.
        """
        if handle >> 32 != self._generation or not self._connection.alive:
            raise CallLost
        parcel = Parcel.empty()
        for cotangent in cotangents:
            if cotangent is None:
                pack_undefined(parcel)
            else:
                pack_tensor(cotangent, parcel)
        document = {"trace": trace, "cotangents": len(cotangents)}
        during = "running backward"
        return self._reply(
            self._exchange(Kind.BACKWARD, parcel, document, during, seconds, detail=handle & 0xFFFFFFFF)
        )

    def release(self, handle: int) -> None:
        """Let the worker drop a graph, together with the next request. May be called from any thread and
        destructor.
        """
        if handle >> 32 == self._generation:
            self._released.append(handle & 0xFFFFFFFF)

    def inputs(self) -> tuple[Tensor, ...]:
        """What the tensor arguments of the last call hold now in the worker, as CPU tensors of the same
        geometry.
        """
        views = []
        for arg, (now, sparse) in zip(self._arguments, self._input_bytes(), strict=True):
            typed = now.view(arg.tensor.dtype)
            if sparse:
                views.append(typed.view(arg.tensor.shape))
            else:
                views.append(
                    typed.as_strided(arg.tensor.shape, arg.tensor.stride(), arg.tensor.storage_offset())
                )
        return tuple(views)

    def changed_inputs(self) -> tuple[str, ...]:
        """Names of the tensor arguments of the last call whose storage no longer has the bytes that were
        sent.
        """
        return tuple(
            arg.name or f"argument {position}"
            for position, (arg, (now, sparse)) in enumerate(
                zip(self._arguments, self._input_bytes(), strict=True)
            )
            if not torch.equal(now, sent_bytes(arg.tensor, sparse))
        )

    def measure(
        self, entry: str, args: Sequence[Arg], baseline: str, *, blocks: int = 12, bulk_calls: int = 50,
        device: int = 0, seconds: float | None = None,
    ) -> Measurement:  # fmt: skip
        """Time ``entry`` against ``baseline`` (``FILE.py:function`` of the author's, called with the same
        arguments).

        ``blocks`` ABBA blocks of single calls, cold L2 and fresh inputs each; as many of the baseline
        against itself; and ``bulk_calls`` back-to-back calls of either on this side's clock.
        """
        parcel = Parcel.empty()
        document = self._call_document(entry, args, "default", device, False, parcel)
        document |= {"baseline": baseline, "blocks": blocks}
        self._arguments = tensor_arguments(args)
        message = self._exchange(Kind.MEASURE, parcel, document, f"timing `{entry}`", seconds)
        error = self._checked(lambda: replies.remote_error(message.document))
        if error is not None:
            return Measurement(error=error)
        clock = self._checked(lambda: replies.clock(message.document))
        return Measurement(
            self._checked(lambda: replies.milliseconds(message.document, "blocks")),
            self._checked(lambda: replies.milliseconds(message.document, "control")),
            bulk_calls,
            self._bulk("entry", bulk_calls, seconds),
            self._bulk("baseline", bulk_calls, seconds),
            clock,
        )

    # -- requests ----------------------------------------------------------------------------------

    def _call_document(
        self, entry: str, args: Sequence[Arg], stream: Stream, device: int, trace: bool, parcel: Parcel
    ) -> dict[str, Any]:
        return {
            "entry": entry,
            "args": pack_arguments(args, parcel),
            "stream": stream,
            "device": device,
            "trace": trace,
        }

    def _bulk(self, which: str, calls: int, seconds: float | None) -> float:
        """Milliseconds per call on the parent's clock, the round trip included."""
        document = {"which": which, "calls": calls}
        message = self._exchange(
            Kind.BULK, Parcel.empty(), document, f"timing {calls} calls", seconds, same_worker=True
        )
        return message.seconds * 1000 / calls

    def _exchange(
        self, kind: Kind, parcel: Parcel, document: dict[str, Any], during: str, seconds: float | None, *,
        detail: int = 0, same_worker: bool = False,
    ) -> Message:  # fmt: skip
        with self._lock:
            if not self._connection.alive:
                if same_worker:
                    raise CallLost
                self._renew()
            document["released"], self._released = self._released, []
            limit = self.limits.seconds if seconds is None else seconds
            return self._connection.exchange(
                kind, parcel, document, seconds=limit, during=during, detail=detail
            )

    def _renew(self) -> None:
        """A fresh worker with the same submission loaded."""
        self._connection = Connection(self._zygote)
        self._generation += 1
        self._released = []
        if self._load is not None:
            self._send_load(self._load)

    def _send_load(self, document: dict[str, Any]) -> None:
        document = {**document, "seconds": self.limits.seconds}
        self._connection.files = Path(document["files"])
        message = self._connection.exchange(
            Kind.LOAD,
            Parcel.empty(),
            document,
            seconds=self.limits.load_seconds,
            during="loading the submission",
        )
        error = self._checked(lambda: replies.remote_error(message.document))
        if error is not None:
            self._connection.end()  # half a submission is none
            raise LoadFailed(error)

    def _input_bytes(self) -> list[tuple[Tensor, bool]]:
        """Per tensor argument of the last call its bytes now, and whether only its elements travelled."""
        message = self._exchange(
            Kind.INPUTS, Parcel.empty(), {}, "returning its inputs", None, same_worker=True
        )
        found = [
            (tensor, bool(record.flags & SPARSE))
            for tensor, record in zip(message.tensors, message.records, strict=True)
        ]
        sizes = [
            sent_bytes(arg.tensor, sparse).numel()
            for arg, (_, sparse) in zip(self._arguments, found, strict=False)
        ]
        if [tensor.nbytes for tensor, _ in found] != sizes or len(found) != len(self._arguments):
            self._checked(lambda: _raise("returned inputs of another size than it was given"))
        return found

    def _reply(self, message: Message) -> Reply:
        return self._checked(lambda: self._build_reply(message))

    def _build_reply(self, message: Message) -> Reply:
        document, detail = message.document, message.header.detail
        if detail >> 32:
            raise WireError("named a graph that cannot be")
        reply = Reply(
            replies.outputs(document, message.records, message.tensors),
            replies.returned(document),
            self._generation << 32 | detail if detail else None,
            replies.remote_error(document),
            replies.trace(document),
            message.printed,
            message.seconds,
        )
        if replies.field(document, "spent", bool, False):
            self._connection.end()  # the device is in an error that only a new program clears
        return reply

    def _checked(self, read: Callable[[], _T]) -> _T:
        """``read()``, or the end of this worker and a ``ProtocolViolation`` when what it reads is not as it
        must be.
        """
        try:
            return read()
        except WireError as error:
            self._connection.end()
            raise ProtocolViolation(str(error), "answering") from None


def _raise(violation: str) -> NoReturn:
    raise WireError(violation)
