"""A GPU that a submission left in doubt is tried before the next one; here the CPU plays the GPU."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from grader import cache
from grader.catalog import Catalog
from grader.checks import grade
from grader.errors import InfrastructureError
from grader.run import WorkerCrashed, Zygote, canary
from grader.run.canary import guarded, sing
from grader.verdict import Status
from tests.adversarial.submissions import LIMITS

PLAIN = ("plain",)


@pytest.fixture(scope="module")
def started() -> Iterator[Zygote]:
    with Zygote.start("plain", limits=LIMITS) as zygote:
        yield zygote


@pytest.fixture(autouse=True)
def songs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The canaries that were sent; none of them starts a process."""
    sent: list[str] = []
    monkeypatch.setenv("CU2GRAD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(canary, "sing", lambda backend, isolate: sent.append(backend))
    return sent


def crash(zygote: Zygote, folder: Path) -> None:
    (folder / "op.py").write_text("import os\ndef entry():\n    os.abort()\n")
    with zygote.spawn_worker() as session:
        session.load(None, folder / "op.py", folder)
        with pytest.raises(WorkerCrashed):
            session.call("entry", [])


def test_a_good_end_leaves_no_doubt(started: Zygote, songs: list[str]) -> None:
    for _ in range(2):
        with guarded(started, PLAIN):
            pass
    assert songs == []


@pytest.mark.slow("starts a process that imports torch for each song")
def test_a_lost_worker_sends_one_canary(started: Zygote, songs: list[str], tmp_path: Path) -> None:
    with guarded(started, PLAIN):
        crash(started, tmp_path)
    for _ in range(2):
        with guarded(started, PLAIN):
            pass
    assert songs == ["plain"]


def test_what_raised_in_between_is_a_doubt(started: Zygote, songs: list[str]) -> None:
    with contextlib.suppress(KeyboardInterrupt), guarded(started, PLAIN):
        raise KeyboardInterrupt
    with guarded(started, PLAIN):
        pass
    assert songs == ["plain"]


def test_a_use_that_goes_on_is_no_doubt(started: Zygote, songs: list[str]) -> None:
    with guarded(started, PLAIN), guarded(started, PLAIN):
        pass
    assert songs == []


def test_a_grader_that_was_killed_leaves_a_doubt(started: Zygote, songs: list[str]) -> None:
    program = (
        "import os, types\nfrom grader.run.canary import guarded\n"
        "with guarded(types.SimpleNamespace(backend='plain', lost=0), ('plain',)):\n"
        f"    os.kill(os.getpid(), {signal.SIGKILL:d})\n"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == -signal.SIGKILL
    with guarded(started, PLAIN):
        assert songs == ["plain"]


def test_another_gpu_is_another_matter(
    started: Zygote, songs: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "GPU-1")
    with guarded(started, PLAIN):
        crash(started, tmp_path)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "GPU-2")
    with guarded(started, PLAIN):
        assert songs == []


def test_simt_has_no_gpu_to_lose(songs: list[str]) -> None:
    lane: Any = SimpleNamespace(backend="simt", lost=0)
    for _ in range(2):
        with guarded(lane):
            lane.lost += 1
    assert songs == []
    assert not (cache.cache_root() / "gpus").exists()


def test_a_gpu_that_stays_unfit_costs_no_mark(
    solved_course: Catalog, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, songs: list[str]
) -> None:
    """Each of the rest is not judged, and says why, until the kernel comes back."""
    exercise = solved_course.exercises[0]
    lane: Any = SimpleNamespace(
        backend="cuda", isolate=False, spool=exercise.course, lost=0, clear=lambda: None
    )
    with contextlib.suppress(KeyboardInterrupt), guarded(lane):
        raise KeyboardInterrupt

    def dead(backend: str, isolate: bool) -> None:
        songs.append(backend)
        raise canary._unfit("CUDA error: an uncorrectable ECC error was encountered")

    monkeypatch.setattr(canary, "sing", dead)
    for _ in range(2):
        verdict = grade(exercise, exercise.root, backend="cuda", zygote=lane)
        assert {check.status for check in verdict.checks} == {Status.INFRA_ERROR}
        assert "uncorrectable ECC error" in verdict.checks[0].sentence
        assert "nvidia-smi" in verdict.checks[0].sentence
        assert verdict.exit_code == 3
    monkeypatch.setattr(canary, "sing", lambda backend, isolate: songs.append(f"{backend} again"))
    with guarded(lane):
        pass
    with guarded(lane):
        pass
    assert songs == ["cuda", "cuda", "cuda again"]


@pytest.mark.slow("starts a process that imports torch for each song")
def test_the_song_is_a_kernel_in_a_clean_process() -> None:
    sing("plain", False)


@pytest.mark.slow("starts a process that imports torch for each song")
def test_a_wrong_result_is_a_gpu_that_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "beat.py").write_text("def beat(submission, sent):\n    return sent * sent\n")
    monkeypatch.setattr(canary, "_BEAT", tmp_path / "beat.py")
    with pytest.raises(InfrastructureError, match="failed on it since: It computed another result"):
        sing("plain", False)
