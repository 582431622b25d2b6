"""Sends every task to the cluster and takes in what comes back, whatever is lost on the way.

What is done stands in the result store and nowhere else: Parsl's own memory of results is off. A worker, a
block or this process can be killed at any point; what was not kept is graded again, and what was is found.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, as_completed
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.errors import UsageError
from grader.instruct.cluster import tasks as units
from grader.instruct.cluster.executors import CPU, GPU, configuration, require_parsl
from grader.instruct.cluster.settings import Cluster
from grader.instruct.cluster.tasks import Task
from grader.instruct.results import Key, Record, ResultStore, key_of
from grader.run.sandbox import worker_readable

if TYPE_CHECKING:
    from parsl.dataflow.dflow import DataFlowKernel


@dataclass(frozen=True)
class Ended:
    """How a task ended: with a record, or with the sentence that says why there is none."""

    task: Task
    record: Record | None
    lost: str = ""


def drive(
    tasks: Sequence[Task],
    cluster: Cluster,
    *,
    grade: Callable[..., Record] = units.grade,
    build: Callable[[Task], None] = units.build,
) -> Iterator[Ended]:
    """Grade ``tasks``, which share a results folder and a backend, and yield each once, as it ends.

    ``grade`` and ``build`` are found by their names in the worker, so they are functions of modules.

    Raises UsageError where Parsl, or what cluster.toml has to say, is missing.
    """
    require_parsl()
    if not tasks:
        return
    import parsl

    results, backend = tasks[0].results, tasks[0].backend
    run_dir = private_folder(results, {task.exercise.root for task in tasks})
    config = configuration(cluster, backend, run_dir, len(tasks))
    with parsl.load(config) as kernel:
        futures = _submit(kernel, tasks, grade, build)
        for future in as_completed(futures):
            yield _ended(futures[future], future)


def private_folder(results: Path, shown: Iterable[Path]) -> Path:
    """``RESULTS/cluster``, for Parsl's logs and the keys of its connections: 0700, and not in any sandbox.

    Who has the keys can hand out tasks, and a task is code that runs with the instructor's rights.

    Raises UsageError where a sandboxed submission would see it.
    """
    folder = results.resolve() / "cluster"
    for seen in worker_readable(shown):
        if folder.is_relative_to(seen.resolve()):
            raise UsageError(
                f"The results folder {results} lies in {seen}, which submissions can read.",
                "The keys of the connections between the machines are kept in it.",
                "Name another one: grader batch SUBMISSIONS --results DIR",
            )
    folder.mkdir(parents=True, exist_ok=True)
    os.chmod(folder, 0o700)  # noqa: PTH101  (mkdir's mode would be cut by the umask, and an old folder kept)
    return folder


def _submit(
    kernel: DataFlowKernel,
    tasks: Sequence[Task],
    grade: Callable[..., Record],
    build: Callable[[Task], None],
) -> dict[Future[Record], Task]:
    """One future for each task. On cuda its build comes first, on a machine that need not have a GPU."""
    from parsl import python_app

    timed = tasks[0].backend == "cuda"
    built = _built_once(tasks[0].results) if timed else set()

    def app(unit: Callable[..., Any], executor: str) -> Callable[..., Future[Any]]:
        made: Callable[..., Future[Any]] = python_app(
            unit, cache=False, executors=[executor], data_flow_kernel=kernel
        )
        return made

    grade_app, build_app = app(grade, GPU if timed else CPU), app(build, CPU)
    futures: dict[Future[Record], Task] = {}
    for task in tasks:
        if timed and (task.regrade or _without_device(_key(task)) not in built):
            futures[grade_app(task, build_app(task))] = task
        else:
            futures[grade_app(task)] = task
    return futures


def _built_once(results: Path) -> set[Key]:
    """What has been graded on some GPU needs no build: at the most, another model times it again."""
    return {_without_device(record.key) for record in ResultStore(results).all()}


def _without_device(key: Key) -> Key:
    return replace(key, device="")


def _key(task: Task) -> Key:
    return key_of(task.submission, task.exercise, task.backend)


def _ended(task: Task, future: Future[Record]) -> Ended:
    error = future.exception()
    if error is None:
        return Ended(task, future.result())
    why = f"{type(error).__name__}: {error}".partition("\n")[0]
    return Ended(task, None, f"{task.name} was not graded: {why}. It counts against nobody; run it again.")
