"""The parent's connection to one worker: a request out, a checked reply in, and a clear end when there is
none.
"""

from __future__ import annotations

import re
import select
import socket
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from torch import Tensor

from grader.run import wire
from grader.run.cleaned_text import decode_text, encode_text
from grader.run.failures import (
    NO_ZYGOTE,
    OutputFlood,
    ProtocolViolation,
    WorkerCrashed,
    WorkerTimeout,
    signal_name,
    unreadable,
)
from grader.run.shared_memory import Segment
from grader.run.sockets import Spinner
from grader.run.tensors import read_dense
from grader.run.wire import CONNECTION_LOST, Header, Kind, Outgoing, TensorRecord, WireError
from grader.run.worker_source import WorkerSource
from grader.run.zygote_process import Worker
from grader.support import machine
from grader.support.deadlines import Deadline
from grader.support.errors import InfrastructureError, SubmissionError

_SHARED = "Memory shared with a worker"
_GRACE_MS = 3000  # between a closed connection and the end of the process: a GPU context takes its time
_FRAME = re.compile(r'^  File "(?P<file>[^"\n]+)", line (?P<line>\d+) in ', re.MULTILINE)


@dataclass(frozen=True)
class Message:
    """A reply, copied out of its segment and checked; `seconds` is the round trip on the parent's clock."""

    header: Header
    records: list[TensorRecord]
    tensors: list[Tensor]
    document: dict[str, Any]
    seconds: float
    printed: str


class Connection:
    """One worker. After any exception from `exchange` the worker is gone and `alive` is False.

    Raises `InfrastructureError` when the worker cannot start.
    """

    def __init__(self, source: WorkerSource) -> None:
        self._source = source
        self._worker: Worker = source.fork()
        self._requests = 0
        self._spinner = Spinner()
        self.alive = True
        self.files = Path("/nowhere")  # the learner's folder, once one is loaded
        socket_ = self._worker.connection
        socket_.setblocking(False)
        self._poller = select.poll()
        for fd in (socket_.fileno(), self._worker.transcript.fd, self._worker.pidfd):
            self._poller.register(fd, select.POLLIN)
        self._segments: dict[Kind, Segment] = {}
        try:
            self._give(Kind.OUTBOX, Segment())
            self._give(Kind.INBOX, Segment())
            self.exchange(
                Kind.HELLO, Outgoing.empty(), {}, seconds=source.limits.load_seconds, during="starting"
            )
        except (OSError, SubmissionError) as error:
            self.end()
            raise _cannot_start(error, self.transcript(), source.limits.load_seconds) from error

    def exchange(
        self,
        kind: Kind,
        outgoing: Outgoing,
        document: dict[str, Any],
        *,
        seconds: float,
        during: str,
        detail: int = 0,
    ) -> Message:
        """Send a request and wait for its reply; a `SubmissionError` says how the worker failed."""
        try:
            return self._round_trip(kind, outgoing, document, seconds, during, detail)
        except SubmissionError as failure:
            self._source.lost += 1
            failure.printed = self.transcript()
            raise

    def end(self) -> None:
        """Kill the worker and all it started."""
        if self.alive:
            self.alive = False
            self._source.retire(self._worker)
            self._close_segments()

    def transcript(self) -> str:
        """The text printed since the last request began."""
        return self._worker.transcript.text()

    # -- a round trip ------------------------------------------------------------------------------

    def _round_trip(
        self, kind: Kind, outgoing: Outgoing, document: dict[str, Any], seconds: float, during: str,
        detail: int,
    ) -> Message:  # fmt: skip
        started = time.monotonic()
        self._refuse_unsolicited(during)
        self._worker.transcript.start()
        self._requests += 1
        header, meta = outgoing.seal(kind, self._requests, detail, encode_text(document))
        try:
            self._send(header, meta, outgoing)
            reply = self._await(Deadline(seconds, self._worker.host_pid), during, seconds)
            return self._checked(reply, started)
        except OSError as error:
            self._blame_the_machine(error)
            self._ended(during)
        except WireError as error:
            self._violated(str(error), during)
        except SubmissionError:
            raise
        except BaseException:  # an interrupt: nothing waits for the worker's answer any more
            self.end()
            raise

    @property
    def _inbox(self) -> Segment:
        """What the worker receives."""
        return self._segments[Kind.INBOX]

    @property
    def _outbox(self) -> Segment:
        """What the worker sends."""
        return self._segments[Kind.OUTBOX]

    def _give(self, kind: Kind, segment: Segment) -> None:
        """Share `segment` with the worker, in place of the last one of its kind."""
        if kind in self._segments:
            self._segments[kind].close()
        self._segments[kind] = segment
        header = Header(kind, 0, self._reply_bytes)
        socket.send_fds(self._worker.connection, [header.pack()], [segment.fd])

    def _send(self, header: Header, meta: bytes, outgoing: Outgoing) -> None:
        needed = header.payload_start + header.payload_bytes
        if needed > self._inbox.nbytes:
            self._give(Kind.INBOX, Segment.for_bytes(needed))
        self._inbox.write(meta, outgoing.pieces(header))
        self._worker.connection.send(header.pack())

    def _await(self, deadline: Deadline, during: str, seconds: float) -> Header:
        """The header of the reply to the current request."""
        while True:
            header = wire.unpack_header(self._next_datagram(deadline, during, seconds))
            if header.request != self._requests:
                raise WireError("answered a request that was not made")
            if header.kind is Kind.REPLY:
                return header
            if header.kind is not Kind.GROW or not self._outbox.nbytes < header.detail <= self._reply_bytes:
                raise WireError("sent a message that does not belong here")
            self._give(Kind.OUTBOX, Segment.for_bytes(header.detail))

    def _next_datagram(self, deadline: Deadline, during: str, seconds: float) -> bytes:
        connection = self._worker.connection
        transcript = self._worker.transcript
        soon = self._spinner.spin(lambda: connection.recv(wire.HEADER_BYTES + 1))
        if soon:
            return soon
        while True:
            left = deadline.left()
            ready = dict(self._poller.poll(left * 1000))
            if connection.fileno() in ready:
                datagram = connection.recv(wire.HEADER_BYTES + 1)
                if not datagram:
                    self._ended(during)
                return datagram
            if transcript.fd in ready and not transcript.drain(self._source.limits.printed_bytes):
                self.end()
                raise OutputFlood(during, self._source.limits.printed_bytes)
            if not transcript.open and transcript.fd in ready:
                self._poller.unregister(transcript.fd)
            if self._worker.pidfd in ready:
                self._ended(during)
            if left <= 0:
                self.end()
                raise WorkerTimeout(during, seconds, deadline.waited)

    def _checked(self, header: Header, started: float) -> Message:
        """The message, whose sender may have written anything: each error of reading it is the sender's."""
        try:
            return self._read(header, started)
        except (OSError, WireError):
            raise
        except Exception as error:
            raise WireError(unreadable(error)) from error

    def _read(self, header: Header, started: float) -> Message:
        """Copy the reply out of the outbox, then check the copy."""
        if header.payload_start + header.payload_bytes > self._outbox.nbytes:
            raise WireError("announced more bytes than its shared memory holds")
        meta = self._outbox.read(header.meta_bytes)
        records = wire.unpack_records(header, meta)
        document = decode_text(memoryview(meta)[header.tensors * wire.RECORD_BYTES :])
        tensors = [read_dense(self._outbox, header, record) for record in records]
        transcript = self._worker.transcript
        transcript.drain(self._source.limits.printed_bytes)
        printed = transcript.text() if transcript.total else ""
        return Message(header, records, tensors, document, time.monotonic() - started, printed)

    @property
    def _reply_bytes(self) -> int:
        return self._source.limits.reply_bytes

    def _refuse_unsolicited(self, during: str) -> None:
        try:
            datagram = self._worker.connection.recv(wire.HEADER_BYTES + 1)
        except BlockingIOError:
            return
        except OSError:
            datagram = b""
        if datagram:
            self._violated("sent an unrequested message", during)
        self._ended(during)

    # -- ends --------------------------------------------------------------------------------------

    def _violated(self, violation: str, during: str) -> NoReturn:
        self.end()
        raise ProtocolViolation(violation, during)

    def _blame_the_machine(self, error: OSError) -> None:
        """Raise InfrastructureError where the machine lacks something.

        What a worker does to the connection shows in other errors: it is closed, or full.
        """
        fault = machine.fault_of(OSError(error.errno, error.strerror, _SHARED))
        if fault is not None:
            self.end()
            raise fault from error

    def _ended(self, during: str) -> NoReturn:
        """The connection is closed or the process gone: find out which, and raise what it means."""
        self.alive = False
        ending = self._source.end(self._worker, _GRACE_MS)
        self._worker.transcript.drain(self._source.limits.printed_bytes)
        where = _crash_site(self.transcript(), self.files)
        self._worker.close()
        self._close_segments()
        if ending is None:
            raise ProtocolViolation(NO_ZYGOTE, during)
        if ending.killed:
            raise ProtocolViolation("closed its connection to the grader and went on running", during)
        if ending.signal:
            raise WorkerCrashed(during, signal=signal_name(ending.signal), where=where)
        if ending.exit_code == CONNECTION_LOST:
            raise ProtocolViolation("closed its connection to the grader", during)
        raise WorkerCrashed(during, exit_code=ending.exit_code)

    def _close_segments(self) -> None:
        for segment in self._segments.values():
            segment.close()


def _cannot_start(error: Exception, printed: str, seconds: float) -> InfrastructureError:
    """No learner code runs before the first answer: a failure until then is this machine's fault."""
    late = f" within {seconds:.0f} s: is the machine busy?" if isinstance(error, WorkerTimeout) else "."
    return InfrastructureError(
        f"A worker could not start{late} Its last output:\n{printed.strip() or '(none)'}\n",
        "Nothing was graded, so nothing counts against the submission.",
        "Run `grader doctor`.",
    )


def _crash_site(printed: str, files: Path) -> str:
    """`op.py:12` from the Python stack that faulthandler prints, most recent call first."""
    for frame in _FRAME.finditer(printed):
        if Path(frame["file"]).is_relative_to(files):
            return f"{Path(frame['file']).relative_to(files)}:{frame['line']}"
    return ""
