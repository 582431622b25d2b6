"""Batches lose nothing, duplicate nothing and grade nothing twice, whatever is killed and whoever fails."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from cusimt.support.scratch import PREFIX
from grader.checks import build, lanes
from grader.course.catalog import Catalog
from grader.instruct.batch import (
    Ended,
    Failed,
    Item,
    LaneSettings,
    grade_one,
    grading,
    items_of,
    lane_pool,
    local,
    run_batch,
    summarise,
)
from grader.instruct.batch.lane import Lane
from grader.instruct.results import ResultStore, key_of
from grader.instruct.submissions import Handed, read_submissions
from grader.support.backends import BACKENDS
from grader.support.errors import InfrastructureError
from grader.verdict import Status, Verdict
from tests.unit.failing_disk import fail_to_open
from tests.unit.fake_batch import Watched, hand_in, judge, judge_that_fails, run

pytestmark = pytest.mark.slow("starts drivers and lanes, and kills them")

ROOT = Path(__file__).resolve().parents[2]
SIX = ("anna", "bert", "cleo", "dora", "emil", "fynn")


@pytest.fixture
def submitted(toy_catalog: Catalog, tmp_path: Path) -> Path:
    return hand_in(toy_catalog, tmp_path / "submitted", SIX)


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return tmp_path / "results"


def verdicts(results: Path) -> dict[str, Verdict]:
    return {record.key.name: record.verdict for record in ResultStore(results).all()}


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for temporary files that no other process of this machine uses."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return folder


def test_no_lane_opens_a_gpu_ahead_of_its_turn(
    toy_catalog: Catalog, submitted: Path, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ahead: dict[str, bool] = {}

    class Opened:
        def __init__(self, backend: str, *_: object, **options: bool) -> None:
            ahead[backend] = options["ahead"]

        def __enter__(self) -> Opened:
            raise InfrastructureError("no lane")

        def __exit__(self, *_: object) -> None: ...

    monkeypatch.setattr(lanes, "open_lane", Opened)
    exercise = toy_catalog.find("00")
    submission = read_submissions(submitted, toy_catalog, exercises=["00_negate"], students=["anna"])[0]
    with Lane(LaneSettings(results, toy_catalog.exercises, isolate=False)) as lane:
        for backend in BACKENDS:
            answer = lane.grade(Item(submission, exercise, backend, key_of(submission, exercise, backend)))
            assert isinstance(answer, Failed) and "no lane" in answer.sentence

    assert ahead == {"simt": True, "cuda": False}


# ---- one submission ------------------------------------------------------------------------------------


def test_one_is_graded_once(toy_catalog: Catalog, submitted: Path, results: Path) -> None:
    store, exercise = ResultStore(results), toy_catalog.find("00")
    submission = read_submissions(submitted, toy_catalog, exercises=["00_negate"], students=["anna"])[0]
    seen: list[tuple[int | None, str, list[str]]] = []

    def noting(*arguments: object, **options: object) -> Verdict:
        files = arguments[1]
        assert isinstance(files, Path)
        names = sorted(path.relative_to(files).as_posix() for path in files.rglob("*") if path.is_file())
        seen.append((options["seed"], str(options["owner"]), names))  # type: ignore[arg-type]
        return judge(*arguments, **options)  # type: ignore[arg-type]

    first = grade_one(submission, exercise, store, backend="simt", judge=noting)
    assert grade_one(submission, exercise, store, backend="simt", judge=noting) == first
    owner = store.secret.pseudonym("anna")
    assert seen == [(store.secret.seed(first.key), owner, sorted((*exercise.edit, *exercise.given)))]
    assert first.verdict.files == f"exercises/{exercise.slug}"
    assert "anna" not in (results / "verdicts.jsonl").read_text()
    again = grade_one(submission, exercise, store, backend="simt", judge=noting, regrade=True)
    assert (again.attempt, again.verdict) == (2, first.verdict)
    assert [entry.attempt for entry in store.log.entries()] == [1, 2]


def test_what_the_machine_fails_is_logged_and_not_kept(
    toy_catalog: Catalog, submitted: Path, results: Path
) -> None:
    hand_in(toy_catalog, submitted, ["anna"], "MACHINE")
    store, exercise = ResultStore(results), toy_catalog.find("00")
    submission = read_submissions(submitted, toy_catalog, exercises=["00_negate"], students=["anna"])[0]
    record = grade_one(submission, exercise, store, backend="simt", judge=judge_that_fails)
    assert record.verdict.status is Status.INFRA_ERROR and record.verdict.out_of == 0
    assert store.find(record.key) is None
    assert [entry.status for entry in store.log.entries()] == ["infra_error"]


def test_files_that_change_while_they_are_read_are_not_judged(
    toy_catalog: Catalog, submitted: Path, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    submission = read_submissions(submitted, toy_catalog, exercises=["00_negate"], students=["anna"])[0]
    looking = grading.look

    def hand_in_again(*arguments: object) -> Handed:
        hand_in(toy_catalog, submitted, ["anna"], "a second version")
        return looking(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(grading, "look", hand_in_again)
    exercise, store = toy_catalog.find("00"), ResultStore(results)
    record = grade_one(submission, exercise, store, backend="simt", judge=judge)
    assert record.verdict.status is Status.INFRA_ERROR
    assert list(store.all()) == []


def test_on_cuda_it_is_compiled_before_it_has_the_gpu(
    toy_catalog: Catalog, submitted: Path, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []

    @contextlib.contextmanager
    def exclusive() -> Iterator[None]:
        order.append("has the GPU")
        yield
        order.append("gave it back")

    def judged(*arguments: Any, **named: Any) -> Verdict:
        order.append("judged")
        return judge(*arguments, **named)

    monkeypatch.setattr(build, "compile_submission", lambda *_, **__: order.append("compiled"))
    monkeypatch.setattr(grading, "exclusive_gpu", exclusive)
    [anna] = read_submissions(submitted, toy_catalog, exercises=["00_negate"], students=["anna"])
    grade_one(anna, toy_catalog.find("00"), ResultStore(results), backend="cuda", judge=judged)
    assert order == ["compiled", "has the GPU", "judged", "gave it back"]


# ---- batches -------------------------------------------------------------------------------------------


def test_a_batch_grades_everything_once(
    toy_catalog: Catalog, submitted: Path, results: Path, temporary: Path
) -> None:
    watch = Watched()
    items, outcome = run(toy_catalog, submitted, results, watch=watch)
    assert len(items) == len(SIX) * len(toy_catalog.exercises) == outcome.graded == watch.left
    assert set(outcome.records) == {item.key for item in items}
    assert Counter(ended.item.key for ended in watch.endings) == Counter(list(outcome.records))
    assert verdicts(results) == {key.name: each.verdict for key, each in outcome.records.items()}
    again = Watched()
    _, second = run(toy_catalog, submitted, results, watch=again)
    assert (again.left, again.found, second.graded) == (0, len(items), 0)
    assert second.records == outcome.records
    assert len(list(ResultStore(results).log.entries())) == len(items)
    assert list(temporary.iterdir()) == []


def test_the_same_files_are_graded_once_and_count_for_both(
    toy_catalog: Catalog, submitted: Path, results: Path
) -> None:
    shutil.copytree(submitted / "anna", submitted / "gert")
    watch = Watched()
    items, outcome = run(toy_catalog, submitted, results, watch=watch)
    assert outcome.graded == len(items) - len(toy_catalog.exercises)
    assert watch.left + watch.found + watch.same == len(items)
    assert watch.same == len(toy_catalog.exercises)
    summary = summarise(items, outcome)
    assert [each.judged for each in summary.exercises] == [len(SIX) + 1] * len(toy_catalog.exercises)


def test_only_what_was_handed_in_again_is_graded_again(
    toy_catalog: Catalog, submitted: Path, results: Path
) -> None:
    run(toy_catalog, submitted, results)
    first = verdicts(results)
    hand_in(toy_catalog, submitted, ["anna"], "a second version")
    watch = Watched()
    run(toy_catalog, submitted, results, watch=watch)
    assert {ended.item.submission.student for ended in watch.endings} == {"anna"}
    assert len(watch.endings) == len(toy_catalog.exercises)
    assert first.items() <= verdicts(results).items()


def test_a_regrade_is_the_same_and_keeps_what_was(
    toy_catalog: Catalog, submitted: Path, results: Path
) -> None:
    items, first = run(toy_catalog, submitted, results)
    _, second = run(toy_catalog, submitted, results, regrade=True)
    assert second.graded == len(items)
    assert {key: each.verdict for key, each in first.records.items()} == {
        key: each.verdict for key, each in second.records.items()
    }
    assert {record.attempt for record in second.records.values()} == {2}
    assert len(list((results / "superseded").iterdir())) == len(items)


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("DIE", "was ended by SIGKILL. Its last output:\nthe last words of a lane"),
        ("HANG", "no verdict came within 1 s"),
        ("MACHINE", "The disk is full."),
        ("EXERCISE", "spec.py has no CASES."),
        ("GRADER", "ZeroDivisionError: division by zero"),
    ],
)
def test_what_cannot_be_judged_is_told_and_harms_nobody_else(
    word: str, sentence: str, toy_catalog: Catalog, submitted: Path, results: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    hand_in(toy_catalog, submitted, ["cleo"], word)
    if word == "HANG":  # nobody waits long for her alone: how soon the others are done is up to the machine
        monkeypatch.setattr(lane_pool._Lane, "grade", _impatient_with_cleo(lane_pool._Lane.grade))
    items, outcome = run(toy_catalog, submitted, results, judge_that_fails, seconds=60.0)
    mine = {item.key for item in items if item.submission.student == "cleo"}
    assert set(outcome.failed) == mine
    assert set(outcome.records) == {item.key for item in items} - mine
    assert all(sentence in told for told in outcome.failed.values())
    faults = [path.read_text() for path in (results / "faults").glob("*.txt")]
    assert len(faults) == (len(mine) if word == "GRADER" else 0)
    assert all("_fail_as_a_grader" in fault for fault in faults)
    assert all(path.stat().st_mode & 0o077 == 0 for path in (results / "faults").glob("*.txt"))
    logged = Counter(entry.status for entry in ResultStore(results).log.entries())
    of_the_machine = word not in ("EXERCISE", "GRADER")
    assert logged["infra_error"] == (local.TRIES * len(mine) if of_the_machine else 0)
    notices = [notice for notice in summarise(items, outcome).notices if notice.student == "cleo"]
    assert len(notices) == len(mine) and all("Not judged" in notice.sentence for notice in notices)


def _impatient_with_cleo(grade: Callable[..., Any]) -> Callable[..., Any]:
    def graded(lane: Any, item: Item, attempt: int) -> Any:
        lane._seconds = 1.0 if item.submission.student == "cleo" else 60.0
        return grade(lane, item, attempt)

    return graded


def test_what_cannot_be_read_when_its_turn_comes_harms_nobody_else(
    toy_catalog: Catalog, submitted: Path, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stale NFS handle is no empty hand-in: that one is not judged, and nothing is kept of it."""
    submissions = read_submissions(submitted, toy_catalog, exercises=["00_negate"])
    items = items_of(submissions, toy_catalog, lambda exercise: "simt")
    fail_to_open(monkeypatch, "kernel.cu", errno.ESTALE, below="/cleo/")
    store = ResultStore(results)

    def grading(left: Sequence[Item]) -> Iterator[Ended]:
        with Lane(LaneSettings(results, toy_catalog.exercises, isolate=False, judge=judge)) as lane:
            for item in left:
                yield Ended(item, lane.grade(item), 0.0)

    outcome = run_batch(items, store, grading, Watched())
    unlucky = next(item for item in items if item.submission.student == "cleo")
    assert list(outcome.failed) == [unlucky.key]
    assert "cleo/00_negate/kernel.cu cannot be read: " in outcome.failed[unlucky.key]
    assert outcome.graded == len(SIX) - 1
    assert {record.key for record in store.all()} == {item.key for item in items} - {unlucky.key}


def test_a_lane_that_dies_once_costs_nothing(
    toy_catalog: Catalog, submitted: Path, results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAILED_ONCE", str(tmp_path / "failed"))
    shutil.rmtree(submitted / "cleo" / "01_muladd")
    hand_in(toy_catalog, submitted, ["dora"], "DIE ONCE")
    items, outcome = run(toy_catalog, submitted, results, judge_that_fails)
    assert (tmp_path / "failed").exists()
    assert outcome.failed == {} and len(outcome.records) == len(items)
    attempts = {record.attempt for record in outcome.records.values()}
    assert attempts == {1, 2}


def test_a_machine_that_fails_every_time_is_given_up(
    toy_catalog: Catalog, submitted: Path, results: Path
) -> None:
    hand_in(toy_catalog, submitted, SIX, "MACHINE")
    with pytest.raises(
        InfrastructureError, match=r"failed the first 6 gradings\. The last: The disk is full"
    ):
        run(toy_catalog, submitted, results, judge_that_fails)
    assert list(ResultStore(results).all()) == []


def test_a_record_that_the_log_misses_is_logged_once(
    toy_catalog: Catalog, submitted: Path, results: Path
) -> None:
    items, _ = run(toy_catalog, submitted, results)
    log = results / "verdicts.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[:-2]) + lines[-1][:40])  # killed twice: before a line, and in one
    for _ in range(2):
        run(toy_catalog, submitted, results)
        logged = Counter(entry.record for entry in ResultStore(results).log.entries())
        assert logged == Counter({item.key.name: 1 for item in items})


def test_a_regrade_that_the_log_misses_is_logged_too(
    toy_catalog: Catalog, submitted: Path, results: Path
) -> None:
    run(toy_catalog, submitted, results)
    run(toy_catalog, submitted, results, regrade=True)
    log = results / "verdicts.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[:-1]))  # killed between the record and its line
    run(toy_catalog, submitted, results)
    attempts = Counter(entry.attempt for entry in ResultStore(results).log.entries())
    assert attempts == Counter({1: len(lines) // 2, 2: len(lines) // 2})


def test_what_killed_lanes_left_is_swept(
    toy_catalog: Catalog, submitted: Path, results: Path, temporary: Path
) -> None:
    dead, alive = temporary / f"{PREFIX}lane-1", temporary / f"{PREFIX}lane-2"
    dead.mkdir()
    alive.mkdir()
    descriptor = os.open(alive, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)  # as its process does
    try:
        run(toy_catalog, submitted, results)
        assert (dead.exists(), alive.exists()) == (False, True)
    finally:
        os.close(descriptor)


# ---- kill -9 -------------------------------------------------------------------------------------------


def test_a_driver_that_is_killed_ten_times_loses_duplicates_and_changes_nothing(
    toy_catalog: Catalog, tmp_path: Path, results: Path
) -> None:
    students = [f"s{number:03}" for number in range(60)]
    submitted = hand_in(toy_catalog, tmp_path / "submitted", students)
    items, undisturbed = run(toy_catalog, submitted, results)
    killed = tmp_path / "killed"
    killed.mkdir()
    shutil.copy(results / "secret", killed)  # the same seeds
    command = [
        sys.executable,
        "-m",
        "tests.unit.fake_batch",
        str(toy_catalog.course),
        str(submitted),
        str(killed),
    ]
    most = len(items) - len(toy_catalog.exercises)  # the last student's are never done: it cannot end first
    points = random.Random(2026)
    kept = [0]
    while len(kept) <= 10:
        endless = [*command, students[-1]]
        driver = subprocess.Popen(endless, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)})
        more = points.randint(1, max(1, 2 * (most - kept[-1]) // (12 - len(kept))))
        while _kept(killed) < min(most, kept[-1] + more) and driver.poll() is None:
            time.sleep(points.uniform(0.0, 0.01))
        driver.send_signal(signal.SIGKILL)
        assert driver.wait() == -signal.SIGKILL, "it had ended before it was killed"
        kept.append(_kept(killed))
    assert subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}).returncode == 0
    assert verdicts(killed) == {key.name: each.verdict for key, each in undisturbed.records.items()}
    logged = Counter(entry.record for entry in ResultStore(killed).log.entries())
    assert logged == Counter({item.key.name: 1 for item in items})


def _kept(results: Path) -> int:
    folder = results / "records"
    return len(list(folder.glob("*.json"))) if folder.is_dir() else 0
