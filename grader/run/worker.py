"""A worker's loop: requests in, replies out. Runs in a process forked by the zygote, which it ends with."""

from __future__ import annotations

import ctypes
import json
import os
import socket
import sys
from collections.abc import Callable

from cusimt.support.c_output import buffer_lines
from grader.run import wire
from grader.run.cleaned_text import encode_text
from grader.run.inside.calls import Calls
from grader.run.inside.current_device import DeviceStreams
from grader.run.inside.request import ReplyDraft, Request
from grader.run.inside.submission import LoadedSubmission, describe
from grader.run.inside.tracing import Tracer, tracer_for
from grader.run.shared_memory import MappedSegment
from grader.run.sockets import Spinner, receive
from grader.run.wire import CONNECTION_LOST, RECORD_BYTES, Header, Kind, MessageTooLarge, WireError
from grader.support.backends import WorkerBackend


def serve(connection: socket.socket, backend: WorkerBackend, confined: bool = False) -> None:
    """Answer requests until the parent closes the connection; `confined` with Landlock on any backend."""
    sys.dont_write_bytecode = True
    _buffer_lines()
    Worker(connection, backend, confined).serve()


class Worker:
    """Holds the submission, the graphs of its calls, and the two segments."""

    def __init__(self, connection: socket.socket, backend: WorkerBackend, confined: bool) -> None:
        self._connection = connection
        self._spinner = Spinner()
        self._inbox: MappedSegment
        self._outbox: MappedSegment
        self._most = 0  # bytes of a reply
        submission = LoadedSubmission(confined)
        tracer = tracer_for(backend)  # where it takes seconds, a build is still going on
        places = DeviceStreams(backend)
        calls = Calls(submission, tracer, places)
        self._handlers: dict[Kind, Callable[[Request], ReplyDraft]] = {
            Kind.HELLO: lambda _: ReplyDraft({}),
            Kind.LOAD: lambda request: _load(submission, tracer, request),
            Kind.CALL: calls.call,
            Kind.BACKWARD: calls.backward,
            Kind.INPUTS: calls.inputs,
        }
        self._calls = calls

    def serve(self) -> None:
        """Until the connection closes; if it fails, the process ends with an exit code of its own."""
        while True:
            header = self._receive()
            if header is None:
                return
            answer = self._answer(header)
            _flush()
            try:
                self._send(header, answer)
            except (OSError, WireError):
                os._exit(CONNECTION_LOST)

    def _receive(self) -> Header | None:
        """The next request; new segments are taken in on the way."""
        while True:
            try:
                soon = self._spinner.spin(lambda: receive(self._connection, socket.MSG_DONTWAIT))
                datagram, fds = soon or receive(self._connection)
                if not datagram:
                    return None
                header = wire.unpack_header(datagram)
            except (OSError, WireError):
                os._exit(CONNECTION_LOST)
            if header.kind is Kind.INBOX:
                self._inbox = MappedSegment(fds[0])
            elif header.kind is Kind.OUTBOX:
                self._outbox, self._most = MappedSegment(fds[0]), header.detail
            else:
                return header

    def _answer(self, header: Header) -> ReplyDraft:
        meta = bytes(self._inbox.memory[: header.meta_bytes])
        text = json.loads(meta[header.tensors * RECORD_BYTES :])
        self._calls.drop(text.get("released", ()))
        request = Request(
            text, wire.unpack_records(header, meta), self._inbox, header.payload_start, header.detail
        )
        try:
            return self._handlers[header.kind](request)
        except BaseException as error:  # sys.exit() in learner code ends the call, not the worker
            return ReplyDraft({"error": describe(error, None)})

    def _send(self, request: Header, answer: ReplyDraft) -> None:
        text = encode_text(answer.document)
        needed = RECORD_BYTES * len(answer.outgoing.records) + len(text) + answer.outgoing.payload_bytes
        if len(text) > wire.MAX_TEXT or needed > self._most:
            answer = _too_large(needed, self._most)
            text = encode_text(answer.document)
        header, meta = answer.outgoing.seal(Kind.REPLY, request.request, answer.detail, text)
        self._make_room(request, header.payload_start + header.payload_bytes)
        self._outbox.write(meta, answer.outgoing.pieces(header))
        self._connection.send(header.pack())

    def _make_room(self, request: Header, needed: int) -> None:
        if needed > self._outbox.nbytes:
            self._connection.send(Header(Kind.GROW, request.request, needed).pack())
            if self._receive_outbox() < needed:
                raise WireError("was given a segment that is too small")

    def _receive_outbox(self) -> int:
        datagram, fds = receive(self._connection)
        if not datagram or wire.unpack_header(datagram).kind is not Kind.OUTBOX:
            raise WireError("expected a shared-memory segment")
        self._outbox = MappedSegment(fds[0])
        return self._outbox.nbytes


def _load(submission: LoadedSubmission, tracer: Tracer, request: Request) -> ReplyDraft:
    # The device stops a kernel, and can name it, before the parent has to end everything.
    tracer.set_watchdog(request.text["seconds"] * 0.8)
    error = submission.load(request, tracer.expect_no_threads)
    return ReplyDraft({"error": error} if error else {})


def _too_large(nbytes: int, most: int) -> ReplyDraft:
    message = (
        f"The reply takes {nbytes} bytes; {most}, and {wire.MAX_TEXT} of text, are the most that is graded."
    )
    return ReplyDraft({"error": {"type": MessageTooLarge.__name__, "message": message, "where": ""}})


def _buffer_lines() -> None:
    """Lines reach the parent when they end, also those of C code, so that a crash does not swallow them."""
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    buffer_lines()


_fflush = ctypes.CDLL(None).fflush


def _flush() -> None:
    """Flush the streams: output printed during a request belongs to its reply."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        pass  # learner code closed or replaced them
    _fflush(None)
