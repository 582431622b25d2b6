"""What a verdict quotes is the learner's own: no trick makes the grader read another file of its user."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cusimt.records.source_lines import Frame, SourceReader
from grader.audit import audit_sources
from grader.checks import build as building
from grader.checks import grade
from grader.course.catalog import Catalog
from grader.course.stubs import without_markers
from grader.verdict import Verdict

SECRET = "4711,ada,the list of the class"


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "results" / "roster.csv"
    path.parent.mkdir()
    path.write_text(f"pseudonym,student\n{SECRET}\n")
    return path


def _verdict(catalog: Catalog, folder: Path, directive: str) -> Verdict:
    """Of a kernel that writes past the end, in a line that claims to be another file's."""
    exercise = catalog.find("00")
    folder.mkdir(exist_ok=True)
    for name in (*exercise.edit, *exercise.given):
        source = exercise.solution_dir / name
        text = without_markers((source if source.exists() else exercise.root / name).read_text())
        (folder / name).write_text(text.replace("y[i] =", f"\n{directive}\ny[i + 100000] =", 1))
    return grade(exercise, folder, backend="simt", owner="quotes", seed=1)


def test_a_line_directive_quotes_no_other_file(
    toy_catalog: Catalog, tmp_path: Path, secret: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "audit_sources", lambda *_: None)
    verdict = _verdict(toy_catalog, tmp_path / "learner", f'#line 2 "{secret}"')
    findings = [finding for check in verdict.checks for finding in check.findings]
    assert {(finding.file, finding.line) for finding in findings} == {("roster.csv", 2)}  # what was claimed
    assert SECRET not in str(verdict)


@pytest.mark.parametrize("directive", ['#line 2 "{}"', '# 2 "{}"', '%:line 2 "{}"', '#  /**/ line 2 "{}"'])
def test_the_audit_refuses_it_anyway(
    toy_catalog: Catalog, tmp_path: Path, secret: Path, directive: str
) -> None:
    exercise = toy_catalog.find("00")
    for name in (*exercise.edit, *exercise.given):
        source = exercise.solution_dir / name
        text = without_markers((source if source.exists() else exercise.root / name).read_text())
        (tmp_path / name).write_text(text.replace("y[i] =", f"\n{directive.format(secret)}\ny[i] =", 1))
    objection = audit_sources(exercise, tmp_path, "simt")
    assert objection is not None
    rule = "has the digraph `%:`" if directive.startswith("%:") else "the lines of your own files"
    assert rule in objection.sentence


def test_lines_are_found_in_the_folder_alone(tmp_path: Path, secret: Path) -> None:
    folder = tmp_path / "learner"
    (folder / "csrc").mkdir(parents=True)
    (folder / "csrc/kernel.cu").write_text("first\nsecond\n")
    (folder / "link.cu").symlink_to(secret)
    os.mkfifo(folder / "pipe.cu")
    quote = SourceReader(folder)
    assert quote(Frame(str(folder / "csrc/kernel.cu"), 2)).source == "second"
    assert quote(Frame("/cache/packages/1234/tree/csrc/kernel.cu", 1)).source == "first"
    for other in (secret, folder / "link.cu", folder / "pipe.cu", "/dev/zero", "../results/roster.csv", ""):
        assert quote(Frame(str(other), 2)).source == ""
