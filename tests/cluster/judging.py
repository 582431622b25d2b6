"""The worker's side of grades that cost a moment: all is the grader's own but the compiler and the judge.

Importing this module takes the compiler away from the process, so only drivers and workers do it. Each
judging leaves a line in ``RESULTS/witness``: who, on which GPU, in which process, and whether it had the GPU
to itself.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from pathlib import Path

from cusimt.support.cache import cache_root
from grader.course.exercise import Exercise
from grader.instruct.batch import grading
from grader.instruct.results import key
from grader.support.backends import Backend
from grader.verdict import CheckResult, Status, Verdict
from tests.cluster import fakes

SECONDS = 0.05


def judge(
    exercise: Exercise, files: Path, *, backend: Backend, seed: int | None, isolate: bool, owner: str
) -> Verdict:
    """Half of the submissions pass, as their seed has it."""
    assert seed is not None
    gpu = os.environ.get("CUDA_VISIBLE_DEVICES", "none")
    results = Path(os.environ[fakes.RESULTS])
    fakes.wait_while_held(results)
    with (results / f"alone-{gpu}").open("w") as lock:
        alone = True
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            alone = False
        time.sleep(SECONDS)
    facts = {
        "owner": owner,
        "gpu": gpu,
        "alone": alone,
        "locked": [uuid for uuid in fakes.UUIDS if _is_locked(uuid)],
        "worker": os.getpid(),
        "manager": os.getppid(),
        "job": os.environ.get("SLURM_JOB_ID", ""),
    }
    with (results / "witness").open("a") as stream:
        stream.write(json.dumps(facts) + "\n")
    points = 40.0 if seed % 2 else 0.0
    check = CheckResult(
        "correctness", Status.PASS if points else Status.FAIL, "It was looked at.", points, 40.0
    )
    return Verdict(exercise.slug, exercise.title, backend, seed, (check,))


def _is_locked(uuid: str) -> bool:
    """Whether somebody, be it this process, holds the lock of a GPU."""
    path = cache_root() / "locks" / uuid
    if not path.exists():
        return False
    with path.open() as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def _no_compiler(*_: object) -> float:
    return 0.25  # seconds of a processor


grading._compile = _no_compiler
# The same for all processes of a test, though somebody may be editing the grader while it runs.
key.grader_version = lambda: "0:tested"  # type: ignore[assignment]
