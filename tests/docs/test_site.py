"""The site builds without a warning, and what it says exists."""

from __future__ import annotations

import itertools
import re
import runpy
import subprocess
import sys
from pathlib import Path

import models
import pytest

from grader.course.catalog import Catalog, Exercise
from grader.course.mutants import load_mutants
from tests.docs.anchors import anchors
from tests.docs.building import common_site

ROOT = Path(__file__).resolve().parent.parent.parent
DOCS = ROOT / "docs"
EXERCISES = Catalog.open(ROOT).exercises


def test_the_site_builds_strictly(tmp_path_factory: pytest.TempPathFactory) -> None:
    site = common_site(tmp_path_factory)
    for exercise in EXERCISES:
        page = site / "lessons" / exercise.slug / "index.html"
        assert exercise.title.split(",")[0].split(" ")[0] in page.read_text()


@pytest.mark.xdist_group("generated parts")
@pytest.mark.parametrize(
    "script", ["boxes.py", "figures.py", "hints.py", "home.py", "measured.py", "tables.py"]
)
def test_what_is_generated_is_up_to_date(
    script: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one process, since figures and tables show the same profiles."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "argv", [script, "--check"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(DOCS / "_build" / script), run_name="__main__")
    assert ended.value.code == 0, capsys.readouterr().out


@pytest.mark.release("every model of GPU precompiles the headers of torch")
@pytest.mark.slow("profiles the solution on every model of GPU")
@pytest.mark.parametrize("exercise", models.timed(), ids=lambda each: each.slug)
def test_what_a_lesson_says_of_other_gpus_is_counted(exercise: Exercise) -> None:
    shown = (models.FOLDER / f"{exercise.slug}.md").read_text(encoding="utf-8")
    assert shown == models.page(exercise), "Run: python docs/_build/models.py"


def test_every_figure_has_a_text_alternative_and_no_colour_of_its_own() -> None:
    figures = sorted((DOCS / "figures").glob("*.svg"))
    assert figures
    for figure in figures:
        text = figure.read_text()
        assert 'role="img"' in text, figure.name
        assert len(re.search(r"<desc[^>]*>([^<]+)</desc>", text, re.DOTALL)[1]) > 80, figure.name  # type: ignore[index]
        assert not re.search(r"#[0-9a-fA-F]{3,6}\b|rgb\(", text), figure.name
        assert "\n\n" not in text, f"{figure.name}: a blank line ends an HTML block in Markdown"


def test_captions_are_html_and_hold_no_markdown() -> None:
    for page in DOCS.glob("[!_]*/*.md"):
        for caption in re.findall(r"<figcaption>(.*?)</figcaption>", page.read_text(), re.DOTALL):
            assert not re.search(r"[`*]|\]\(", caption), f"{page.name}: {caption}"


def test_the_front_page_lists_every_exercise_in_order() -> None:
    text = (DOCS / "index.md").read_text()
    listed = re.findall(r"^\| (\d\d) \| \[[^]]+\]\(lessons/(\w+)\.md\)", text, re.MULTILINE)
    assert listed == [(exercise.slug[:2], exercise.slug) for exercise in EXERCISES]


TEXT_ONLY = {  # with the reason why nothing executes it
    "text only: no exercise uses either yet, and the page claims no speed for them",
    "text only: it needs a GPU and NVIDIA's viewer, which no test here can run",
}


def _coverage_rows() -> list[list[str]]:
    text = (DOCS / "reference" / "coverage.md").read_text()
    rows = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in row] for row in rows if "lesson" not in row[1].split()]


@pytest.mark.parametrize("row", _coverage_rows(), ids=lambda row: row[0][:40])
def test_a_row_of_the_coverage_table_names_what_exists(row: list[str]) -> None:
    _, lessons, executable = row
    links = re.findall(r"\]\(\.\./([\w/]+\.md)(?:#([\w-]+))?\)", lessons)
    assert links
    for page, anchor in links:
        assert (DOCS / page).is_file()
        assert not anchor or anchor in anchors(DOCS / page), anchor
    paths = re.findall(r"`([^`]+/[^`]+)`", executable)
    for path in paths:
        assert (ROOT / path).exists(), path
    quoted = re.findall(r'(?:(\d\d) )?"([^"]+)"', executable)
    for number, name in quoted:
        lesson = number or links[0][0].removeprefix("lessons/")[:2]
        exercise = next(each for each in EXERCISES if each.slug.startswith(lesson))
        assert name in {mutant.name for mutant in load_mutants(exercise)}, name
    assert paths or quoted or executable in TEXT_ONLY


def test_no_technique_is_listed_twice() -> None:
    techniques = [row[0] for row in _coverage_rows()]
    assert len(techniques) == len(set(techniques))


def _glossary() -> list[str]:
    lines = (DOCS / "reference" / "glossary.md").read_text().splitlines()
    terms = [line for line, after in itertools.pairwise(lines) if after.startswith(":   ")]
    return [re.sub(r" \{ #[\w-]+ \}$", "", term) for term in terms]


def test_the_glossary_is_sorted() -> None:
    assert _glossary() == sorted(_glossary(), key=str.casefold)


def test_words_that_the_glossary_leans_on_are_in_it() -> None:
    text = (DOCS / "reference" / "glossary.md").read_text().casefold()
    terms = {term.casefold() for term in _glossary()}
    used = {" ".join(word.split()) for word in re.findall(r"(?<![*`])\*([\w\s-]+)\*(?![*`])", text)}
    assert not {word for word in used if not terms & {word, word.removesuffix("s"), word.removesuffix("es")}}


def test_the_python_of_the_course_is_clean() -> None:
    command = [sys.executable, "-m", "ruff", "check", "exercises", "solutions", "docs"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
