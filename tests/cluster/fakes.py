"""Grades that cost a moment: everything is the grader's own but the judging, and the GPUs are Slurm's.

The workers find :func:`grade` and :func:`build` by name. Where nvcc and NVIDIA's driver would be asked, there
are a compile that does nothing and an ``nvidia-smi`` that lists two GPUs. Each judging leaves a line in
``RESULTS/witness``: who, on which GPU, in which process, and whether it had the GPU to itself.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from pathlib import Path

from grader.build.request import Backend
from grader.exercise import Exercise
from grader.instruct.batch import grading
from grader.instruct.cluster.tasks import Task
from grader.instruct.results import Record, ResultStore, key
from grader.verdict import CheckResult, Status, Verdict

SECONDS = 0.05
VERSION = "0:the same, though somebody may be editing the grader while its tests run"
UUIDS = ("GPU-00000000-aaaa", "GPU-11111111-bbbb")
_LISTING = "".join(f"GPU {index}: Fake Accelerator (UUID: {uuid})\\n" for index, uuid in enumerate(UUIDS))


def write_nvidia_smi(folder: Path) -> Path:
    """A folder for PATH in which nvidia-smi lists two GPUs."""
    folder.mkdir()
    program = folder / "nvidia-smi"
    program.write_text(f"#!/bin/sh\nprintf '{_LISTING}'\n")
    program.chmod(0o755)
    return folder


def build(task: Task) -> None:
    """No compiler here: what is left is that it ran, once for each task."""
    _leave(task, "built", {"student": task.submission.student})


def grade(task: Task, built: None = None) -> Record:
    """The grader's own unit of work around a verdict that is made up."""
    grading._compile = _no_compiler  # type: ignore[assignment]
    key.grader_version = lambda: VERSION  # type: ignore[assignment]
    store = ResultStore(task.results)

    def judge(
        exercise: Exercise, files: Path, *, backend: Backend, seed: int | None, isolate: bool, owner: str
    ) -> Verdict:
        assert seed is not None
        return _judge(task, seed)

    return grading.grade_one(
        task.submission, task.exercise, store, backend=task.backend, isolate=False, judge=judge
    )


def witnesses(results: Path, what: str = "witness") -> list[dict[str, object]]:
    """What the judgings left behind, in their order."""
    path = results / what
    return [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []


def _judge(task: Task, seed: int) -> Verdict:
    gpu = os.environ.get("CUDA_VISIBLE_DEVICES", "none")
    with (task.results / f"alone-{gpu}").open("w") as lock:
        alone = True
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            alone = False
        time.sleep(SECONDS)
    facts = {
        "student": task.submission.student,
        "gpu": gpu,
        "alone": alone,
        "worker": os.getpid(),
        "manager": os.getppid(),
        "block": os.environ.get("PARSL_WORKER_BLOCK_ID", ""),
        "job": os.environ.get("SLURM_JOB_ID", ""),
    }
    _leave(task, "witness", facts)
    points = 40.0 if seed % 2 else 0.0
    status = Status.PASS if seed % 2 else Status.FAIL
    check = CheckResult("correctness", status, "It was looked at.", points, 40.0)
    return Verdict(task.exercise.slug, task.exercise.title, task.backend, seed, (check,))


def _leave(task: Task, name: str, facts: dict[str, object]) -> None:
    with (task.results / name).open("a") as stream:
        stream.write(json.dumps(facts) + "\n")


def _no_compiler(*_: object) -> None:
    return None
