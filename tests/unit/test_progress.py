"""What is remembered about a course survives damage, and a course folder that cannot be written."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader import progress
from grader.catalog import Catalog
from grader.cli.checking import keep
from grader.cli.listing import list_exercises
from grader.progress import Record
from grader.verdict import CheckResult, Status, Verdict

PASSED = Record(passed=True, status="pass", score=100.0, backend="simt", version=1)


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("CU2GRAD_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_a_record_and_its_verdict_are_read_back(toy_catalog: Catalog, cache: Path) -> None:
    first, second = toy_catalog.exercises
    progress.store_verdict(first, '{"schema_version": 1}', PASSED)
    assert progress.load_record(first) == PASSED
    assert progress.load_record(second) is None
    path = progress.verdict_path(first)
    assert path == toy_catalog.course / ".cu2grad" / "verdicts" / "00_negate.json"
    assert path.read_text() == '{"schema_version": 1}'
    assert not cache.exists()


def test_without_a_writable_course_the_cache_remembers(toy_catalog: Catalog, cache: Path) -> None:
    (toy_catalog.course / ".cu2grad").write_text("in the way")
    exercise = toy_catalog.exercises[0]
    progress.store_verdict(exercise, "{}", PASSED)
    assert progress.load_record(exercise) == PASSED
    path = progress.verdict_path(exercise)
    assert path is not None and path.is_relative_to(cache)


def test_where_nothing_can_be_written_the_verdict_still_stands(toy_catalog: Catalog, cache: Path) -> None:
    (toy_catalog.course / ".cu2grad").write_text("in the way")
    cache.write_text("in the way, too")
    progress.store_verdict(toy_catalog.exercises[0], "{}", PASSED)
    assert progress.load_record(toy_catalog.exercises[0]) is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"passed": true}', '{"surplus": 1}', "\x00"])
def test_a_damaged_record_counts_as_none(toy_catalog: Catalog, text: str) -> None:
    exercise = toy_catalog.exercises[0]
    progress.store_verdict(exercise, "{}", PASSED)
    (toy_catalog.course / ".cu2grad" / "progress" / "00_negate.json").write_text(text)
    assert progress.load_record(exercise) is None


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
