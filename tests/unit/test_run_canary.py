"""A GPU that a submission left in doubt is tried before the next one; here the CPU plays the GPU."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cusimt.support import cache
from cusimt.tests.waiting import PATIENCE
from grader.checks import grade
from grader.course.catalog import Catalog
from grader.run import WorkerCrashed, Zygote, canary
from grader.run.canary import guarded, try_kernel
from grader.support.errors import InfrastructureError
from grader.verdict import Status
from tests.adversarial.submissions import LIMITS

PLAIN = ("plain",)


@pytest.fixture(scope="module")
def started() -> Iterator[Zygote]:
    with Zygote.start("plain", limits=LIMITS) as zygote:
        yield zygote


@pytest.fixture(autouse=True)
def canaries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The canaries that were sent; none of them starts a process."""
    sent: list[str] = []
    monkeypatch.setenv("CUSIMT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(canary, "try_kernel", lambda backend, isolate: sent.append(backend))
    return sent


def crash(zygote: Zygote, folder: Path) -> None:
    (folder / "op.py").write_text("import os\ndef entry():\n    os.abort()\n")
    with zygote.spawn_worker() as session:
        session.load(None, folder / "op.py", folder)
        with pytest.raises(WorkerCrashed):
            session.call("entry", [])


def test_a_good_end_leaves_no_doubt(started: Zygote, canaries: list[str]) -> None:
    for _ in range(2):
        with guarded(started, PLAIN):
            pass
    assert canaries == []


@pytest.mark.slow("starts a process that imports torch for each canary")
def test_a_lost_worker_sends_one_canary(started: Zygote, canaries: list[str], tmp_path: Path) -> None:
    with guarded(started, PLAIN):
        crash(started, tmp_path)
    for _ in range(2):
        with guarded(started, PLAIN):
            pass
    assert canaries == ["plain"]


def test_what_raised_in_between_is_a_doubt(started: Zygote, canaries: list[str]) -> None:
    with contextlib.suppress(KeyboardInterrupt), guarded(started, PLAIN):
        raise KeyboardInterrupt
    with guarded(started, PLAIN):
        pass
    assert canaries == ["plain"]


def test_a_use_that_goes_on_is_no_doubt(started: Zygote, canaries: list[str]) -> None:
    with guarded(started, PLAIN), guarded(started, PLAIN):
        pass
    assert canaries == []


def test_a_grader_that_was_killed_leaves_a_doubt(started: Zygote, canaries: list[str]) -> None:
    program = (
        "import os, types\nfrom grader.run.canary import guarded\n"
        "with guarded(types.SimpleNamespace(backend='plain', lost=0), ('plain',)):\n"
        f"    os.kill(os.getpid(), {signal.SIGKILL:d})\n"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == -signal.SIGKILL
    with guarded(started, PLAIN):
        assert canaries == ["plain"]


@pytest.fixture
def two_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = "".join(f"GPU {number}: NVIDIA H200 (UUID: GPU-{number}111)\n" for number in range(2))
    monkeypatch.setattr("grader.support.gpus._listing", lambda: listed)


@pytest.mark.usefixtures("two_gpus")
@pytest.mark.parametrize(
    ("lost", "next_", "sent"),
    [("GPU-0111", "GPU-1111", 0), ("GPU-0111", "0", 1), ("0", "GPU-0", 1), ("1", "0,1", 1), ("1,0", "0", 1)],
)
def test_a_gpu_is_itself_whatever_it_is_called(
    started: Zygote, canaries: list[str], monkeypatch: pytest.MonkeyPatch, lost: str, next_: str, sent: int
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", lost)
    with contextlib.suppress(KeyboardInterrupt), guarded(started, PLAIN):
        raise KeyboardInterrupt
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", next_)
    with guarded(started, PLAIN):
        assert len(canaries) == sent


def test_of_two_graders_with_one_doubt_the_second_waits_for_the_canary(
    started: Zygote, canaries: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the first finds out counts for the second: it is not judged meanwhile."""
    with contextlib.suppress(KeyboardInterrupt), guarded(started, PLAIN):
        raise KeyboardInterrupt
    singing, over = threading.Event(), threading.Event()

    def slow(backend: str, isolate: bool) -> None:
        singing.set()
        assert over.wait(PATIENCE)
        canaries.append(backend)

    judged: list[int] = []

    def second() -> None:
        with guarded(started, PLAIN):
            judged.append(len(canaries))

    def first() -> None:
        with guarded(started, PLAIN):
            pass

    monkeypatch.setattr(canary, "try_kernel", slow)
    graders = [threading.Thread(target=first), threading.Thread(target=second)]
    graders[0].start()
    assert singing.wait(PATIENCE)
    graders[1].start()
    graders[1].join(0.2)
    assert judged == []
    over.set()
    for grader in graders:
        grader.join(PATIENCE)
    assert (judged, canaries) == ([1], ["plain"])


def test_a_use_that_ends_while_another_looks_is_no_doubt(
    started: Zygote, canaries: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    locking = canary.open_locked

    def late(path: Path, **how: Any) -> int:
        path.unlink(missing_ok=True)  # it ends between the list of uses and the look at this one
        return locking(path, **how)

    with guarded(started, PLAIN):
        monkeypatch.setattr(canary, "open_locked", late)
        with guarded(started, PLAIN):
            pass
    assert canaries == []


def test_simt_has_no_gpu_to_lose(canaries: list[str]) -> None:
    lane: Any = SimpleNamespace(backend="simt", lost=0)
    for _ in range(2):
        with guarded(lane):
            lane.lost += 1
    assert canaries == []
    assert not (cache.cache_root() / "gpus").exists()


def test_a_gpu_that_stays_unfit_costs_no_mark(
    solved_course: Catalog, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, canaries: list[str]
) -> None:
    """Each of the rest is not judged, and says why, until the kernel comes back."""
    exercise = solved_course.exercises[0]
    lane: Any = SimpleNamespace(
        backend="cuda", isolate=False, spool=exercise.course, lost=0, clear=lambda: None
    )
    with contextlib.suppress(KeyboardInterrupt), guarded(lane):
        raise KeyboardInterrupt

    def dead(backend: str, isolate: bool) -> None:
        canaries.append(backend)
        raise canary._unfit("CUDA error: an uncorrectable ECC error was encountered")

    monkeypatch.setattr(canary, "try_kernel", dead)
    for _ in range(2):
        verdict = grade(exercise, exercise.root, backend="cuda", zygote=lane)
        assert {check.status for check in verdict.checks} == {Status.INFRA_ERROR}
        assert "uncorrectable ECC error" in verdict.checks[0].sentence
        assert "nvidia-smi" in verdict.checks[0].sentence
        assert verdict.exit_code == 3
    monkeypatch.setattr(canary, "try_kernel", lambda backend, isolate: canaries.append(f"{backend} again"))
    with guarded(lane):
        pass
    with guarded(lane):
        pass
    assert canaries == ["cuda", "cuda", "cuda again"]


@pytest.mark.slow("starts a process that imports torch for each canary")
def test_the_canary_is_a_kernel_in_a_clean_process() -> None:
    try_kernel("plain", False)


@pytest.mark.slow("starts a process that imports torch for each canary")
def test_a_wrong_result_is_a_gpu_that_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "beat.py").write_text("def beat(submission, sent):\n    return sent * sent\n")
    monkeypatch.setattr(canary, "_BEAT", tmp_path / "beat.py")
    with pytest.raises(InfrastructureError, match=r"fails now\. It computed another result"):
        try_kernel("plain", False)
