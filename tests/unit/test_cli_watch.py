"""`grader watch`: what is graded again, what is not, and how it ends."""

from __future__ import annotations

import errno
import io
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.cli import watch
from grader.course import progress
from grader.course.catalog import Catalog, Exercise
from grader.course.stubs import without_markers
from grader.support.backends import Backend
from grader.verdict import CheckResult, Status, Verdict

ROOT = Path(__file__).resolve().parents[2]
Step = Callable[[Path], None]  # what happens to the learner's folder while, or after, something is graded


class PretendedGrader:
    """Takes the next step at each verdict, and presses Ctrl-C when there is none left."""

    def __init__(self, root: Path, steps: list[Step]) -> None:
        self.root = root
        self.steps = steps
        self.seen: list[dict[str, str]] = []
        self.options: list[dict[str, Any]] = []

    def __call__(self, exercise: Exercise, files: Path, **options: Any) -> Verdict:
        self.seen.append({str(path.relative_to(files)): path.read_text() for path in files.rglob("*.*")})
        self.options.append(options)
        if not self.steps:
            raise KeyboardInterrupt
        self.steps.pop(0)(self.root)
        result = CheckResult("correctness", Status.FAIL, "pretended", 0.0, 100.0)
        return Verdict(
            exercise.slug, exercise.title, "simt", 7, (result,), digest="sha256:0", files=str(files)
        )


def later(step: Step) -> Step:
    return lambda root: threading.Timer(0.3, step, [root]).start()


def save(text: str, name: str = "kernel.cu") -> Step:
    """In one step: where it is halting, a file may be taken up half written."""

    def replace(root: Path) -> None:
        written = root / ".written"
        written.write_text(text)
        written.rename(root / name)

    return replace


@pytest.fixture
def exercise(toy_catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> Exercise:
    monkeypatch.setattr(watch, "open_lane", lambda *_, **__: io.StringIO())  # which can be closed
    return toy_catalog.exercises[0]


def watched(exercise: Exercise, monkeypatch: pytest.MonkeyPatch, *steps: Step) -> PretendedGrader:
    grader = PretendedGrader(exercise.root, list(steps))
    monkeypatch.setattr(watch, "grade", grader)
    assert watch.watch_exercise("00", exercise.course, "simt", plain=True, verbose=False) == 0
    return grader


def test_a_save_is_graded_and_kept(
    exercise: Exercise, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    grader = watched(exercise, monkeypatch, later(save("// first")), later(save("// second")))

    assert [files["kernel.cu"] for files in grader.seen[1:]] == ["// first", "// second"]
    assert "kernel.cu changed." in capsys.readouterr().out
    record = progress.load_record(exercise)
    assert record is not None
    assert record.last.status == "fail"


def test_what_is_saved_meanwhile_is_graded_next(exercise: Exercise, monkeypatch: pytest.MonkeyPatch) -> None:
    grader = watched(exercise, monkeypatch, save("// while the first was graded"))
    assert [files["kernel.cu"] for files in grader.seen[1:]] == ["// while the first was graded"]


def test_what_is_written_only_half_is_not_graded(
    exercise: Exercise, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An editor that empties a file before it writes it, met while the file is empty, and half written."""
    pieces: list[str] = []

    def empty(root: Path) -> None:
        (root / "kernel.cu").write_text("")
        pieces.extend(["// half", " and half"])

    def write_on(_: float) -> None:
        if pieces:
            with (exercise.root / "kernel.cu").open("a") as file:
                file.write(pieces.pop(0))

    monkeypatch.setattr(watch.time, "sleep", write_on)
    grader = watched(exercise, monkeypatch, empty)

    assert [files["kernel.cu"] for files in grader.seen[1:]] == ["// half and half"]
    assert capsys.readouterr().out.count("kernel.cu changed.") == 1


def test_only_sources_that_differ_are_a_reason(
    exercise: Exercise, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kernel = (exercise.root / "kernel.cu").read_text()

    def litter(root: Path) -> None:
        for name in ("kernel.cu~", ".kernel.cu", "notes.txt", "build/kernel.cu", "__pycache__/op.py"):
            (root / name).parent.mkdir(exist_ok=True)
            (root / name).write_text("left by an editor or a build")
        save(kernel)(root)  # the same once more
        later(save("#pragma once", "own.h"))(root)

    grader = watched(exercise, monkeypatch, later(litter))

    assert len(grader.seen) == 2
    assert grader.seen[1].keys() - grader.seen[0].keys() == {"own.h"}
    assert "own.h changed." in capsys.readouterr().out


def test_a_folder_that_goes_while_it_is_looked_at_ends_nothing(
    exercise: Exercise, monkeypatch: pytest.MonkeyPatch
) -> None:
    scandir = os.scandir

    def scan(folder: Path | str | int) -> Any:
        if str(folder).endswith("passing"):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(folder))
        return scandir(folder)

    (exercise.root / "passing").mkdir()
    monkeypatch.setattr(os, "scandir", scan)
    grader = watched(exercise, monkeypatch, save("// saved"))
    assert [files["kernel.cu"] for files in grader.seen[1:]] == ["// saved"]


@pytest.mark.parametrize("backend", ["simt", "cuda"])
def test_one_lane_serves_every_verdict(
    exercise: Exercise, monkeypatch: pytest.MonkeyPatch, backend: Backend
) -> None:
    lanes: list[io.StringIO] = []

    def open_lane(chosen: str, *_: object, **options: object) -> io.StringIO:
        assert (chosen, options) == (backend, {"isolate": False, "lazy": True})
        lanes.append(io.StringIO())
        return lanes[-1]

    monkeypatch.setattr(watch, "open_lane", open_lane)
    grader = PretendedGrader(exercise.root, [save("// saved")])
    monkeypatch.setattr(watch, "grade", grader)
    watch.watch_exercise("00", exercise.course, backend, plain=True, verbose=False)
    (lane,) = lanes
    assert [(each["zygote"], each["quick"]) for each in grader.options] == [(lane, True), (lane, True)]
    assert lane.closed


@pytest.mark.slow("grades after each of several saves")
@pytest.mark.usefixtures("interruptible")
def test_verdicts_follow_saves_until_it_is_interrupted(tmp_path: Path) -> None:
    """The real grader, on exercise 00: wrong, right, Ctrl-C."""
    slug, scratch = "00_first_kernel", tmp_path / "tmp"
    scratch.mkdir()
    shutil.copytree(ROOT / "exercises" / slug, tmp_path / "exercises" / slug)
    kernel = tmp_path / "exercises" / slug / "kernel.cu"
    right = without_markers((ROOT / "solutions" / slug / "kernel.cu").read_text())
    assert right.count("if (i >= n) return;") == 1
    kernel.write_text(right.replace("if (i >= n) return;", ""))
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(scratch), "CU2GRAD_BACKEND": "simt"}
    command = [sys.executable, "-m", "grader", "watch", "00", "--course", str(tmp_path), "--plain"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = iter(process.stdout.readline, "")
        assert any("Safety failed" in line for line in said)
        assert any("repair it and save it" in line for line in said)
        save(right)(kernel.parent)
        assert "kernel.cu changed." in next(line for line in said if line.strip())
        assert "passed, 100 of 100" in next(said)
        process.send_signal(signal.SIGINT)
        try:
            assert process.wait(30) == 0
        finally:
            process.kill()  # or a process that does not end would keep the test from failing
    assert list(scratch.iterdir()) == []
