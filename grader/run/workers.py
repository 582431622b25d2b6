"""The workers of one session, one after another: when one has ended, the next request gets a fresh one."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar

from grader.run import replies
from grader.run.connection import Connection, Message
from grader.run.failures import CallLost, LoadFailed, ProtocolViolation, unreadable
from grader.run.limits import Limits
from grader.run.loading import Loading
from grader.run.wire import Kind, Outgoing, WireError
from grader.run.worker_source import WorkerSource

_T = TypeVar("_T")
_HANDLE_BITS = 32


class Workers:
    """Sends requests to the present worker, and replaces it when it is gone."""

    def __init__(self, source: WorkerSource) -> None:
        self.limits: Limits = source.limits
        self.loading: Loading | None = None
        self._source = source
        self._connection = Connection(source)
        self._generation = 0  # of the present worker
        self._released: deque[int] = deque()
        self._lock = threading.Lock()

    def load(self, loading: Loading) -> None:
        """Load a submission, in a fresh worker if this one has loaded another or is gone."""
        with self._lock:
            if self.loading is not None or not self._connection.alive:
                self.loading = None
                self._renew()
            self.loading = loading
            self._send(loading)

    def exchange(
        self, kind: Kind, outgoing: Outgoing, document: dict[str, Any], read: Callable[[Message], _T],
        during: str, seconds: float | None = None, *, detail: int = 0, same_worker: bool = False,
    ) -> _T:  # fmt: skip
        """Make a request and `read` its reply, whose `WireError` becomes a `ProtocolViolation`.

        `same_worker` raises `CallLost` where another worker could not know the answer.
        """
        with self._lock:
            if not self._connection.alive:
                if same_worker:
                    raise CallLost
                self._renew()
            document["released"] = [self._released.popleft() for _ in range(len(self._released))]
            limit = self.limits.seconds if seconds is None else seconds
            message = self._connection.exchange(
                kind, outgoing, document, seconds=limit, during=during, detail=detail
            )
            return self._reading(message, read, during)

    def handle(self, number: int) -> int | None:
        """The session's name for the graph that the present worker calls `number`; None for 0."""
        if number >> _HANDLE_BITS:
            raise WireError("named a graph that cannot be")
        return self._generation << _HANDLE_BITS | number if number else None

    def number(self, handle: int) -> int | None:
        """The worker's number of a graph, or None when it was another worker's."""
        generation, number = divmod(handle, 1 << _HANDLE_BITS)
        return number if generation == self._generation and self._connection.alive else None

    def release(self, handle: int) -> None:
        """Let the worker drop a graph with the next request. May be called from any thread."""
        number = self.number(handle)
        if number is not None:
            self._released.append(number)  # while `exchange` takes what is there: a deque allows it

    def end(self) -> None:
        """Kill the present worker and everything it started."""
        self._connection.end()

    def _renew(self) -> None:
        self._connection.end()
        self._connection = Connection(self._source)
        self._generation += 1
        self._released = deque()
        if self.loading is not None:
            self._send(self.loading)

    def _send(self, loading: Loading) -> None:
        during = "loading"
        self._connection.files = loading.files
        message = self._connection.exchange(
            Kind.LOAD, loading.outgoing(), loading.document(self.limits.seconds),
            seconds=self.limits.load_seconds, during=during,
        )  # fmt: skip
        error = self._reading(message, lambda reply: replies.remote_error(reply.document), during)
        if error is not None:
            self._connection.end()  # half a submission is none
            raise LoadFailed(error)

    def _reading(self, message: Message, read: Callable[[Message], _T], during: str) -> _T:
        try:
            if replies.spent(message.document):
                self._connection.end()  # the device is in an error that only a new program clears
                self._source.lost += 1
            return read(message)
        except WireError as error:
            self._connection.end()
            raise ProtocolViolation(str(error), during) from None
        except Exception as error:  # of any kind: a worker's message is no fault of this side
            self._connection.end()
            raise ProtocolViolation(unreadable(error), during) from error
