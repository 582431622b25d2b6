"""`grader nbgrader`, as it is typed."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from grader.cli import main
from tests.nbgrader.school import NOTEBOOK, SLUG, Class, a_verdict


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr("sys.argv", ["grader", "nbgrader", *map(str, arguments)])
    return main()


def test_import_then_autograde(
    toys: Class, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What Canvas gives out: no notebook among it, and it counts all the same."""
    download = tmp_path / "submissions.zip"
    with zipfile.ZipFile(download, "w") as archive:
        archive.writestr("lovelaceada_4711_90210_kernel.cu", toys.solution())
    roster = tmp_path / "roster.csv"
    roster.write_text("lms,student\n4711,ada\n")
    course = toys.top / "course"
    into = toys.folder / "submitted"
    options = ("--course", course, "--assignment", "00", "--into", into, "--roster", roster)
    assert run(monkeypatch, "import", download, *options, "--due", "2026-10-01T12:00:00") == 0
    assert "1 new" in capsys.readouterr().out
    folder = into / "ada" / SLUG
    assert {path.name for path in folder.iterdir()} >= {NOTEBOOK, "kernel.cu", "timestamp.txt"}
    from grader.instruct.submissions import Submission

    toys.decide(Submission("ada", SLUG, folder), a_verdict())
    for command in ("AutogradeApp", "GenerateFeedbackApp"):
        toys.command(command, SLUG)
    assert toys.grades("ada")["correctness"] == (60.0, False)


def test_build_and_check(
    toys: Class, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ("--course", toys.top / "course", "--out", tmp_path / "class")
    assert run(monkeypatch, "build", "00", *where) == 0
    assert "nbgrader generate_assignment 00_negate" in capsys.readouterr().out
    assert run(monkeypatch, "build", "00", "--check", *where) == 0
    assert run(monkeypatch, "build", "--check", *where) == 1
    assert "differs" in capsys.readouterr().out
    assert run(monkeypatch, "build", "99", *where) == 2


def test_an_unknown_layout_is_a_usage_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    options = ("--assignment", "00", "--layout", "blackboard")
    assert run(monkeypatch, "import", tmp_path / "x.zip", *options) == 2


def test_mend(toys: Class, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    submission = toys.submit("ada")
    (submission.folder / NOTEBOOK).unlink()
    assert run(monkeypatch, "mend", toys.folder, "--course", toys.top / "course") == 0
    assert "1 notebook was missing" in capsys.readouterr().out
    assert (submission.folder / NOTEBOOK).is_file()


def test_a_wrong_course_in_the_configuration_is_said(toys: Class) -> None:
    from traitlets.config import Config

    from grader.errors import UsageError
    from grader.instruct.nbgrader import configure

    with pytest.raises(UsageError, match="is not a course folder"):
        configure(Config(), course=toys.folder)
