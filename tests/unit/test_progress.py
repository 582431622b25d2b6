"""What is remembered about a course survives damage, and a course folder that cannot be written."""

from __future__ import annotations

import json
import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from grader.cli import overview
from grader.cli.grading import keep
from grader.cli.overview import list_exercises
from grader.course import progress
from grader.course.catalog import Catalog
from grader.course.progress import Record, Result
from grader.verdict import CheckResult, Status, Verdict

PASSED = Result(passed=True, status="pass", score=100.0, backend="simt", version=1)
FAILED = replace(PASSED, passed=False, status="fail", score=80.0)


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("CUSIMT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_a_record_and_its_verdict_are_read_back(toy_catalog: Catalog, cache: Path) -> None:
    first, second = toy_catalog.exercises
    progress.store_verdict(first, '{"schema_version": 1}', PASSED)
    assert progress.load_record(first) == Record(PASSED, PASSED)
    assert progress.load_record(second) is None
    path = progress.verdict_path(first)
    assert path == toy_catalog.course / ".cu2grad" / "verdicts" / "00_negate.json"
    assert path.read_text() == '{"schema_version": 1}'
    assert not cache.exists()


def test_without_a_writable_course_the_cache_remembers(toy_catalog: Catalog, cache: Path) -> None:
    (toy_catalog.course / ".cu2grad").write_text("in the way")
    exercise = toy_catalog.exercises[0]
    progress.store_verdict(exercise, "{}", PASSED)
    assert progress.load_record(exercise) == Record(PASSED, PASSED)
    path = progress.verdict_path(exercise)
    assert path is not None and path.is_relative_to(cache)


def test_a_clock_that_was_set_back_hides_no_verdict(toy_catalog: Catalog, cache: Path) -> None:
    """The course was read-only for a while; what was kept elsewhere meanwhile is the newer, and then not."""
    exercise, state = toy_catalog.exercises[0], toy_catalog.course / ".cu2grad"
    ahead = time.time() + 10 * 24 * 3600
    for number, writable in enumerate((True, False, False, True), 1):
        if writable and (state.with_name("kept")).exists():
            state.unlink()
            state.with_name("kept").rename(state)
        elif not writable and state.is_dir():
            state.rename(state.with_name("kept"))
            state.write_text("in the way")
        progress.store_verdict(exercise, f'{{"number": {number}}}', PASSED if number == 1 else FAILED)
        path = progress.verdict_path(exercise)
        assert path is not None
        assert path.read_text() == f'{{"number": {number}}}'
        ahead -= 24 * 3600
        os.utime(path, (ahead, ahead))
        record = progress.load_record(exercise)
        assert record is not None
        assert record.last == (PASSED if number == 1 else FAILED)
    assert record.best == PASSED


def test_where_nothing_can_be_written_the_verdict_still_stands(toy_catalog: Catalog, cache: Path) -> None:
    (toy_catalog.course / ".cu2grad").write_text("in the way")
    cache.write_text("in the way, too")
    progress.store_verdict(toy_catalog.exercises[0], "{}", PASSED)
    assert progress.load_record(toy_catalog.exercises[0]) is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"passed": true}', '{"surplus": 1}', "\x00", '{"best": 1}'])
def test_a_damaged_record_counts_as_none(toy_catalog: Catalog, text: str) -> None:
    exercise = toy_catalog.exercises[0]
    progress.store_verdict(exercise, "{}", PASSED)
    (toy_catalog.course / ".cu2grad" / "progress" / "00_negate.json").write_text(text)
    assert progress.load_record(exercise) is None


def test_the_record_of_an_older_grader_is_its_own_best(toy_catalog: Catalog) -> None:
    exercise = toy_catalog.exercises[0]
    path = toy_catalog.course / ".cu2grad" / "progress" / "00_negate.json"
    path.parent.mkdir(parents=True)
    old = {name: value for name, value in asdict(PASSED).items() if name != "digest"}
    path.write_text(json.dumps(old))
    assert progress.load_record(exercise) == Record(PASSED, PASSED)
    progress.store_verdict(exercise, "{}", FAILED)
    assert progress.load_record(exercise) == Record(FAILED, PASSED)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (PASSED, FAILED),
        (replace(PASSED, score=90.0, out_of=90.0), FAILED),
        (replace(FAILED, score=81.0), FAILED),
        (PASSED, replace(PASSED, score=80.0, out_of=80.0)),  # more of it could be judged
        (PASSED, replace(PASSED, imported=True)),
        (replace(PASSED, imported=True), FAILED),
        (PASSED, replace(PASSED, version=7, imported=True)),  # a pass of this version counts most
        (replace(PASSED, version=0), FAILED),  # a pass of an older one is not forgotten
        (FAILED, replace(FAILED, version=0, score=99.0)),
    ],
)
def test_the_best_result_is_kept_in_either_order(toy_catalog: Catalog, better: Result, worse: Result) -> None:
    for exercise, first, second in zip(toy_catalog.exercises, (better, worse), (worse, better), strict=True):
        progress.store_verdict(exercise, "{}", first)
        progress.store_verdict(exercise, "{}", second)
        assert progress.load_record(exercise) == Record(second, better)


def test_a_pass_is_one_of_a_version(toy_catalog: Catalog) -> None:
    assert Record(FAILED, PASSED).passed(1)
    assert not Record(FAILED, PASSED).passed(2)
    assert not Record(FAILED, FAILED).passed(1)


def test_giving_up_is_remembered_for_one_version(toy_catalog: Catalog) -> None:
    exercise = toy_catalog.exercises[0]
    assert not progress.gave_up(exercise)
    progress.store_gave_up(exercise)
    assert progress.gave_up(exercise)
    assert not progress.gave_up(replace(exercise, version=2))
    assert not progress.gave_up(toy_catalog.exercises[1])


def test_revealed_hints_are_counted_per_section(toy_catalog: Catalog) -> None:
    exercise = toy_catalog.exercises[0]
    assert progress.revealed_hints(exercise) == {}
    progress.store_revealed_hints(exercise, {"index": 2})
    assert progress.revealed_hints(exercise) == {"index": 2}
    path = toy_catalog.course / ".cu2grad" / "hints" / "00_negate.json"
    path.write_text('{"index": "two", "store": 1}')
    assert progress.revealed_hints(exercise) == {"store": 1}


def test_the_list_shows_the_points_of_the_verdict(
    toy_catalog: Catalog, capsys: pytest.CaptureFixture[str]
) -> None:
    exercise = toy_catalog.exercises[0]
    check = CheckResult("correctness", Status.PASS, "Right.", 60, 60)
    keep(exercise, Verdict(exercise.slug, exercise.title, "simt", 1, (check,)))
    list_exercises(toy_catalog.course)
    assert "passed, 60/60 simt" in capsys.readouterr().out


def test_verdicts_stored_at_once_lose_no_pass(toy_catalog: Catalog) -> None:
    exercise = toy_catalog.exercises[0]
    results = [replace(FAILED, passed=number == 7, score=float(number)) for number in range(24)]
    with ThreadPoolExecutor(8) as several:
        list(several.map(lambda result: progress.store_verdict(exercise, "{}", result), results))
    record = progress.load_record(exercise)
    assert record is not None and record.best == results[7]


@pytest.mark.parametrize("score", [None, "many", []])
def test_a_record_whose_points_are_no_number_is_none(toy_catalog: Catalog, score: object) -> None:
    exercise = toy_catalog.exercises[0]
    progress.store_verdict(exercise, "{}", PASSED)
    path = exercise.course / ".cu2grad" / "progress" / f"{exercise.slug}.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "score": score}))
    assert progress.load_record(exercise) is None
    progress.store_verdict(exercise, "{}", PASSED)
    assert progress.load_record(exercise) is not None


def test_the_way_around_an_optional_exercise_is_named(toy_catalog: Catalog) -> None:
    first, second = toy_catalog.exercises
    catalog = Catalog(
        toy_catalog.course, (replace(first, core=False), replace(second, core=True, requires=()))
    )
    assert overview.next_step(catalog, {}).endswith(
        "It is optional: the core course continues with 01_muladd."
    )
    passed = {first.slug: Record(PASSED, PASSED)}
    assert "optional" not in overview.next_step(catalog, passed)
    alone = Catalog(toy_catalog.course, (catalog.exercises[0],))
    assert "optional" not in overview.next_step(alone, {})
