"""The index of failure modes names every kind of finding, and what it says of mutants and lessons is true."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from cusimt.findings import KINDS
from grader.course.catalog import Catalog
from grader.course.mutants import Mutant, load_mutants
from tests.docs.anchors import anchors

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "reference" / "failure_modes.md"
COURSES = (ROOT, ROOT / "docs" / "samples" / "course")
MUTANTS: dict[tuple[str, str], Mutant] = {
    (exercise.slug[:2], mutant.name): mutant
    for course in COURSES
    for exercise in Catalog.open(course).exercises
    for mutant in load_mutants(exercise)
}


@dataclass(frozen=True)
class Row:
    symptom: str
    cause: str
    check: str
    planted: str
    read: str


def _rows() -> list[Row]:
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    return [Row(*row) for row in cells if row[0] != "symptom"]


ROWS = _rows()


def test_every_kind_of_finding_is_named() -> None:
    named = set(re.findall(r"`(\w+)`", "\n".join(f"{row.cause} {row.check}" for row in ROWS)))
    assert set(KINDS) <= named, sorted(set(KINDS) - named)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.symptom[:40])
def test_a_row_names_what_is_planted_and_what_catches_it(row: Row) -> None:
    mutants = re.findall(r'(\d\d) "([^"]+)"', row.planted)
    paths = re.findall(r"`([^`]+)`", row.planted)
    assert mutants or paths
    for number, name in mutants:
        mutant = MUTANTS[number, name]
        assert mutant.caught_by.replace("_", " ") in row.check
        assert not mutant.finding or f"`{mutant.finding}`" in row.check
    for path in paths:
        assert (ROOT / path).is_file()
        for kind in set(re.findall(r"`(\w+)`", f"{row.cause} {row.check}")) & set(KINDS):
            assert f'"{kind}"' in (ROOT / path).read_text(), f"{path} has no {kind}"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.symptom[:40])
def test_a_row_leads_somewhere(row: Row) -> None:
    links = re.findall(r"\]\(([^)#]+)(?:#([\w-]+))?\)", f"{row.check} {row.read}")
    assert links
    for page, anchor in links:
        target = (PAGE.parent / page).resolve()
        assert target.is_file(), page
        assert not anchor or anchor in anchors(target), f"{page}#{anchor}"
