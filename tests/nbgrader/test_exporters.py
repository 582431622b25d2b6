"""nbgrader export into the sheets of Canvas and Moodle."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from grader.verdict import Status
from tests.nbgrader.school import SLUG, Class, a_verdict

EXPORTERS = "grader.instruct.nbgrader.exporters"
CANVAS = (
    "Student,ID,SIS Login ID,Section,Negate (4711)\n"
    "    Points Possible,,,,50\n"
    '"Lovelace, Ada",1,ada,A,\n'
    '"Noether, Emmy",2,emmy,A,7\n'
    '"Zuse, Zoe",3,zoe,A,\n'
)
MOODLE = (
    "Identifier,Full name,Email address,Grade,Maximum Grade,Feedback comments\n"
    "Participant 1,Ada Lovelace,ada,,100.00,\n"
    "Participant 2,Emmy Noether,emmy,,100.00,\n"
)


@pytest.fixture
def graded(toys: Class) -> Class:
    """ada: 53.5 of 100 and a comment; emmy: a person has to look."""
    toys.decide(toys.submit("ada"), a_verdict(correctness=13.5))
    toys.decide(toys.submit("emmy", "// other\n"), a_verdict(safety=Status.INFRA_ERROR))
    for student in ("ada", "emmy"):
        assert toys.autograde(student)["success"]
    with toys.gradebook() as book:
        book.find_comment("file-kernel-cu", SLUG, SLUG, "ada").manual_comment = "Look at the guard."
        book.db.commit()
    return toys


def _export(toys: Class, name: str, sheet: Path, to: Path, *options: str) -> None:
    toys.command(
        "ExportApp", f"--exporter={EXPORTERS}.{name}", f'--assignment=["{SLUG}"]', f"--{name}.sheet={sheet}",
        f"--to={to}", *options,
    )  # fmt: skip


def test_canvas(graded: Class, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sheet, out = tmp_path / "gradebook.csv", tmp_path / "upload.csv"
    sheet.write_text(CANVAS)
    _export(graded, "CanvasExport", sheet, out, "--CanvasExport.column=Negate")
    rows = {row["SIS Login ID"]: row["Negate (4711)"] for row in csv.DictReader(out.read_text().splitlines())}
    assert float(rows["ada"]) == 26.75
    assert (rows["emmy"], rows["zoe"]) == ("7", "")
    assert "1 mark written" in capsys.readouterr().out


def test_moodle(graded: Class, tmp_path: Path) -> None:
    sheet, out = tmp_path / "worksheet.csv", tmp_path / "upload.csv"
    sheet.write_text(MOODLE)
    _export(graded, "MoodleExport", sheet, out)
    ada, emmy = csv.DictReader(out.read_text().splitlines())
    assert (float(ada["Grade"]), ada["Feedback comments"]) == (53.5, "Look at the guard.")
    assert emmy["Grade"] == ""


def test_what_is_missing_is_said(graded: Class, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        graded.command("ExportApp", f"--exporter={EXPORTERS}.MoodleExport", "--to=x.csv")
    assert left.value.code == 2
    assert "--MoodleExport.sheet=FILE" in capfd.readouterr().err
