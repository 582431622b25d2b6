"""The site builds without a warning, and what it says exists."""

from __future__ import annotations

import importlib.util
import itertools
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from grader.catalog import Catalog, Exercise
from grader.mutants import load_mutants

ROOT = Path(__file__).resolve().parent.parent.parent
DOCS = ROOT / "docs"
EXERCISES = Catalog.open(ROOT).exercises
LESSON_HEADINGS = (
    "The idea", "The stub", "The command", "Hints", "Solution", "When a verdict points here", "Measurement",
    "What a pass does not prove", "Next",
)  # fmt: skip


def _mkdocs() -> list[str]:
    if importlib.util.find_spec("mkdocs") and importlib.util.find_spec("material"):
        return [sys.executable, "-m", "mkdocs"]
    program = shutil.which("mkdocs")
    if program is None:
        pytest.skip("needs mkdocs-material: pip install -e '.[docs]'")
    return [program]


def test_the_site_builds_strictly(tmp_path: Path) -> None:
    command = [*_mkdocs(), "build", "--strict", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for exercise in EXERCISES:
        page = tmp_path / "site" / "lessons" / exercise.slug / "index.html"
        assert exercise.title.split(",")[0].split(" ")[0] in page.read_text()


@pytest.mark.parametrize("script", ["figures.py", "hints.py", "measured.py"])
def test_what_is_generated_is_up_to_date(script: str) -> None:
    command = [sys.executable, str(DOCS / "_build" / script), "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda each: each.slug)
def test_a_lesson_has_all_its_parts_and_is_in_the_menu(exercise: Exercise) -> None:
    text = exercise.lesson_path.read_text()
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert [heading for heading in headings if heading in LESSON_HEADINGS] == list(LESSON_HEADINGS)
    assert re.search(r"^\*\*[^*]+\*\*$", text, re.MULTILINE | re.DOTALL), "the promise"
    assert "docs/figures/" in text
    assert f"docs/_captured/{exercise.slug}.txt" in text
    for file in exercise.edit:
        assert f'--8<-- "exercises/{exercise.slug}/{file}"' in text
    for section in exercise.sections.values():
        assert f'--8<-- "solutions/{exercise.slug}/{section.file}:{section.name}"' in text
    assert f"lessons/{exercise.slug}.md" in (ROOT / "mkdocs.yml").read_text()


def test_every_figure_has_a_text_alternative_and_no_colour_of_its_own() -> None:
    figures = sorted((DOCS / "figures").glob("*.svg"))
    assert figures
    for figure in figures:
        text = figure.read_text()
        assert 'role="img"' in text, figure.name
        assert len(re.search(r"<desc[^>]*>([^<]+)</desc>", text, re.DOTALL)[1]) > 80, figure.name  # type: ignore[index]
        assert not re.search(r"#[0-9a-fA-F]{3,6}\b|rgb\(", text), figure.name
        assert "\n\n" not in text, f"{figure.name}: a blank line ends an HTML block in Markdown"


def _coverage_rows() -> list[list[str]]:
    text = (DOCS / "reference" / "coverage.md").read_text()
    rows = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in row] for row in rows if "lesson" not in row[1].split()]


@pytest.mark.parametrize("row", _coverage_rows(), ids=lambda row: row[0][:40])
def test_a_row_of_the_coverage_table_names_what_exists(row: list[str]) -> None:
    _, lessons, executable = row
    pages = re.findall(r"\]\(\.\./([\w/]+\.md)\)", lessons)
    assert pages
    for page in pages:
        assert (DOCS / page).is_file()
    paths = re.findall(r"`([^`]+/[^`]+)`", executable)
    for path in paths:
        assert (ROOT / path).exists(), path
    quoted = re.findall(r'(?:(\d\d) |mutant )"([^"]+)"', executable)
    for number, name in quoted:
        lesson = number or pages[0].removeprefix("lessons/")[:2]
        exercise = next(each for each in EXERCISES if each.slug.startswith(lesson))
        assert name in {mutant.name for mutant in load_mutants(exercise)}, name
    assert paths or quoted or executable in ("text only", "in the stub")


def test_the_glossary_is_sorted() -> None:
    lines = (DOCS / "reference" / "glossary.md").read_text().splitlines()
    terms = [line for line, after in itertools.pairwise(lines) if after.startswith(":   ")]
    assert terms == sorted(terms, key=str.casefold)


def test_the_python_of_the_course_is_clean() -> None:
    command = [sys.executable, "-m", "ruff", "check", "exercises", "solutions", "docs"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_links_from_verdicts_into_lessons_have_a_target() -> None:
    for exercise in EXERCISES:
        anchors = re.findall(r"\{ #([\w-]+) \}", exercise.lesson_path.read_text())
        assert anchors, exercise.slug
        assert len(anchors) == len(set(anchors)), exercise.slug
