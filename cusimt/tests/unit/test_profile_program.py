"""`profiled`: what is printed and written when a program ends, with counts made by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cusimt import counters, records
from cusimt.profile import launch_profiles
from cusimt.profile.program import profiled
from cusimt.profile.resources import PtxasAnswer
from cusimt.tests.unit.handmade_profile import launched, line


@pytest.fixture(autouse=True)
def two_launches(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = launched([line(lambda lane: 4 * lane)]).counts
    monkeypatch.setattr(counters, "set_counting", lambda on: None)
    monkeypatch.setattr(counters, "take_counts", lambda: [counts, counts])
    monkeypatch.setattr(launch_profiles, "_compiled", lambda *_: PtxasAnswer({}, "nvcc is not installed"))


@pytest.mark.parametrize(("recorded", "told"), [(0, 2), (2, 2), (5, 5)])
def test_launches_are_at_least_those_that_were_counted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, recorded: int, told: int
) -> None:
    monkeypatch.setattr(records, "take_records", lambda kind: [{}] * recorded)
    file = tmp_path / "profile.json"
    with profiled("train.py", file):
        pass
    (stage,) = json.loads(file.read_text())["stages"]
    assert (stage["launched"], [each["times"] for each in stage["launches"]]) == (told, [2])


def test_a_file_that_cannot_be_written_does_not_hide_how_the_program_ended(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(records, "take_records", lambda kind: [{}] * 2)
    file = tmp_path / "nowhere" / "profile.html"
    status = -1
    with profiled("train.py", file):
        status = 7
    assert status == 7
    said = capsys.readouterr().err
    assert f"cusimt: {file} cannot be written: No such file or directory." in said
    assert "Written to" not in said
    with pytest.raises(KeyboardInterrupt), profiled("train.py", file):
        raise KeyboardInterrupt
