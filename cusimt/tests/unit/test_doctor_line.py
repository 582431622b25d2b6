"""A line of a doctor's report names a page only where that page is."""

from __future__ import annotations

from pathlib import Path

import pytest

from cusimt.doctor import line
from cusimt.doctor.line import Line

TOLD = Line("problem", "ninja", "The program ninja was not found.", "Install it.", "ninja")


def test_the_course_has_the_page() -> None:
    assert TOLD.read == "docs/reference/errors.md#ninja"
    assert Line("ok", "ninja", "1.13").read == ""


def test_the_simulator_alone_has_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line, "IMPORT_FOLDER", tmp_path)
    monkeypatch.chdir(tmp_path)
    assert TOLD.read == ""
    (tmp_path / "docs/reference").mkdir(parents=True)
    (tmp_path / "docs/reference/errors.md").touch()
    assert TOLD.read == "docs/reference/errors.md#ninja"
