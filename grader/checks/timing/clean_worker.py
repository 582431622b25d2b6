"""A worker for baseline and reference that never loads a submission, started ahead of time."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING

from grader.checks.timing.contestants import INSIDE
from grader.checks.timing.timed_calls import described, device_of
from grader.support.errors import ExplainedError

if TYPE_CHECKING:
    from grader.checks.bench import Bench
    from grader.run.session import Session


@contextmanager
def clean_worker(bench: Bench) -> Iterator[None]:
    """Start it while other checks run: a CUDA context and the reference's kernels take half a second.

    Within the context ``bench.clean`` lends it, as often as a measurement asks.
    """
    with ThreadPoolExecutor(1, "clean-worker") as pool:
        starting = pool.submit(_started, bench)

        @contextmanager
        def lent() -> Iterator[Session]:
            yield starting.result()

        bench.clean = lent
        try:
            yield
        finally:
            _close(starting)


def _started(bench: Bench) -> Session:
    session = bench.spawn()
    speed = bench.spec.speed
    assert speed is not None
    rehearsal = json.dumps({
        "exercise": str(bench.exercise.root), "arguments": described(speed.args),
        "device": device_of(bench.backend),
    })  # fmt: skip
    with contextlib.suppress(ExplainedError):  # what is wrong shows again when it counts
        session.run_inside(f"{INSIDE}:rehearse", [rehearsal])
    return session


def _close(starting: Future[Session]) -> None:
    if starting.exception() is None:
        starting.result().close()
