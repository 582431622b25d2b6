"""Renderings that go into a file, and what is said where they cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from cusimt.support.errors import UsageError
from cusimt.support.renderings import unwritable, write_rendering


def test_a_rendering_is_written_in_utf_8(tmp_path: Path) -> None:
    write_rendering(tmp_path / "profile.html", "✗", "profile")
    assert (tmp_path / "profile.html").read_bytes() == "✗".encode()


def test_a_place_that_cannot_be_written_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written: No such file or directory") as refusal:
        write_rendering(tmp_path / "nowhere" / "page.html", "", "profile")
    assert refusal.value.next == "Choose another place, for example: page.html"


def test_the_place_that_was_refused_is_not_recommended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    here = unwritable(Path("page.html"), "Read-only file system", "report")
    assert here.next == "Choose another place, for example: ~/page.html"
    folder = unwritable(tmp_path, "it is a folder", "report")
    assert folder.next == f"Choose another place, for example: {tmp_path}/report.html"
