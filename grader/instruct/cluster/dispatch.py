"""Send every submission of a batch to a cluster, and collect the results.

What is done stands in the result store and nowhere else: Parsl's own memory of results is off. A worker, a
block or this process can be killed at any point; what was not kept is graded again, and what was is found.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.instruct.batch import Ended, Failed, Item
from grader.instruct.cluster import remote_tasks
from grader.instruct.cluster.executors import CPU, GPU, configuration, require_parsl
from grader.instruct.cluster.interchange import abandon, no_block_starts, require_interchanges
from grader.instruct.cluster.remote_tasks import RemoteTask, Terms
from grader.instruct.cluster.settings import Cluster
from grader.instruct.results import Key, Record, ResultStore
from grader.run.sandbox import worker_readable
from grader.support.durable import make_private
from grader.support.errors import InfrastructureError, UsageError
from grader.verdict import Status

if TYPE_CHECKING:
    from parsl.dataflow.dflow import DataFlowKernel

_LOOK_SECONDS = 5.0  # without an answer, after which it is asked whether any can come
TRIES = 3  # of one submission in one run, when a machine fails it; not counted: losses, which Parsl retries


def grade_on(left: Sequence[Item], cluster: Cluster, terms: Terms) -> Iterator[Ended]:
    """Grade ``left`` on ``cluster``, and tell each as it ends. At the end of the generator no block is left.

    Raises UsageError where Parsl, or something that cluster.toml has to say, is missing.
    """
    require_parsl()
    import parsl

    run_dir = private_folder(terms.results, {item.exercise.root for item in left})
    timed = sum(item.backend == "cuda" for item in left)
    config = configuration(cluster, run_dir, everything=len(left), timed=timed)
    with parsl.load(config) as kernel:
        try:
            yield from _Sending(kernel, terms).all(left)
        except InfrastructureError:
            abandon(kernel)
            raise


def items_on(items: Iterable[Item], cluster: Cluster) -> list[Item]:
    """``items`` as all machines find them, under the keys that they have there.

    Folders are absolute, and on cuda the GPU is the cluster's model: this machine need not have one.
    """
    model = cluster.gpu.model if cluster.gpu else ""
    return [
        replace(
            item,
            submission=replace(item.submission, folder=item.submission.folder.resolve()),
            key=replace(item.key, device=model) if item.backend == "cuda" else item.key,
        )
        for item in items
    ]


def private_folder(results: Path, shown: Iterable[Path]) -> Path:
    """``RESULTS/cluster``, for Parsl's logs and the keys of its connections: 0700, and not in any sandbox.

    Who has the keys can send tasks, and a task is code that runs with the instructor's rights.

    Raises UsageError where a sandboxed submission would see it.
    """
    folder = results.resolve() / "cluster"
    for seen in worker_readable(shown):
        if folder.is_relative_to(seen.resolve()):
            raise UsageError(
                f"The results folder {results} is inside {seen}, which submissions can read.",
                "The keys of the connections between the machines are kept in it.",
                "Set `results` in course.toml to a folder elsewhere",
            )
    make_private(folder)
    os.chmod(folder, 0o700)  # noqa: PTH101  (mkdir's mode would be cut by the umask, and an old folder kept)
    return folder


@dataclass(frozen=True)
class _Sent:
    item: Item
    task: RemoteTask
    tries: int
    begun: float


class _Sending:
    """Tasks under way. On cuda a build goes first, to a machine that need not have a GPU."""

    def __init__(self, kernel: DataFlowKernel, terms: Terms) -> None:
        self._kernel, self._terms = kernel, terms
        self._attempts = Counter(entry.record for entry in ResultStore(terms.results).log.entries())
        self._under_way: dict[Future[Any], _Sent] = {}
        self._build = _app(remote_tasks.build, CPU, kernel)
        self._grade = {"simt": _app(remote_tasks.grade, CPU, kernel)}
        if GPU in kernel.executors:
            self._grade["cuda"] = _app(remote_tasks.grade, GPU, kernel)

    def all(self, left: Sequence[Item]) -> Iterator[Ended]:
        """Send everything; yield each item once."""
        for item in left:
            self._send(item, 1)
        while self._under_way:
            done, _ = wait(self._under_way, timeout=_LOOK_SECONDS, return_when=FIRST_COMPLETED)
            if not done:
                require_interchanges(self._kernel)
            for future in done:
                sent = self._under_way.pop(future)
                answer = _answer(sent.item.key, future)
                if sent.tries < TRIES and _machine_failed(answer):
                    self._send(sent.item, sent.tries + 1)
                else:
                    yield Ended(sent.item, answer, time.perf_counter() - sent.begun)

    def _send(self, item: Item, tries: int) -> None:
        self._attempts[item.key.name] += 1
        task = RemoteTask(self._terms, item.submission, item.backend, self._attempts[item.key.name])
        grade = self._grade[item.backend]
        first = item.backend == "cuda" and tries == 1
        future = grade(task, self._build(task)) if first else grade(task)
        self._under_way[future] = _Sent(item, task, tries, time.perf_counter())


def _machine_failed(answer: Record | Failed) -> bool:
    return isinstance(answer, Record) and answer.verdict.status is Status.INFRA_ERROR


def _app(unit: Callable[..., Any], executor: str, kernel: DataFlowKernel) -> Callable[..., Future[Any]]:
    from parsl import python_app

    app: Callable[..., Future[Any]] = python_app(
        unit, cache=False, executors=[executor], data_flow_kernel=kernel
    )
    return app


def _answer(key: Key, future: Future[Any]) -> Record | Failed:
    """The record of ``key``, or the sentence that says why there is none."""
    from parsl.executors.errors import BadStateException

    error = future.exception()
    if isinstance(error, BadStateException):
        raise no_block_starts(error)
    if error is not None:
        why = f"{type(error).__name__}: {error}".partition("\n")[0]
        return Failed(
            f"The cluster lost it ({why}). It does not count against the student; run the same command again."
        )
    answer: Record | Failed = future.result()
    if isinstance(answer, Record) and answer.key != key:
        there, here = asdict(answer.key), asdict(key)
        odd = ", ".join(name for name in here if here[name] != there[name])
        return Failed(
            f"A block graded something else than it was sent: {odd} differ. "
            "All machines need the same version of cu2grad, and the same course and submissions."
        )
    return answer
