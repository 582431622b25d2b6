"""The site for a class shows no answer, wherever one could stand."""

from __future__ import annotations

import html
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from grader.course.catalog import Catalog
from tests.docs.building import ROOT, build_site, common_site
from tests.solution_lines import TOLD, solution_lines, squeezed

EXERCISES = Catalog.open(ROOT).exercises
READABLE = {".html", ".js", ".json", ".xml", ".txt", ".svg"}


def shown_in(site: Path, lines: set[str]) -> dict[str, set[str]]:
    """The lines that a file of the site shows, with these files."""
    found: dict[str, set[str]] = {}
    for path in site.rglob("*"):
        if path.suffix in READABLE:
            text = path.read_text()
            texts = squeezed(html.unescape(re.sub(r"<[^>]+>", "", text))) + squeezed(html.unescape(text))
            for line in lines:
                if line in texts:
                    found.setdefault(line, set()).add(path.relative_to(site).as_posix())
    return found


@pytest.fixture(scope="module")
def class_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    site = tmp_path_factory.mktemp("class") / "site"
    build_site(site, audience="class")
    return site


def test_no_file_of_the_site_shows_a_line_of_a_solution(class_site: Path) -> None:
    found = shown_in(class_site, solution_lines(EXERCISES))
    assert {line: places for line, places in found.items() if line not in TOLD} == {}


def test_the_search_finds_the_solutions_in_the_site_for_everybody(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    lines = solution_lines(EXERCISES)
    found = shown_in(common_site(tmp_path_factory), lines)
    assert len(lines) > 250
    assert len(found) > 0.95 * len(lines)
    assert any("search/search_index.json" in places for places in found.values())


def test_every_lesson_is_there_and_says_where_its_solution_went(class_site: Path) -> None:
    for exercise in EXERCISES:
        page = (class_site / "lessons" / exercise.slug / "index.html").read_text()
        assert 'id="solution"' in page, exercise.slug
        assert "Ask for it when you have passed." in page, exercise.slug
        assert 'id="hints"' in page and 'id="next"' in page, exercise.slug


def test_verdicts_stay_but_for_the_lines_that_they_quote(class_site: Path) -> None:
    page = html.unescape(re.sub(r"<[^>]+>", "", (class_site / "before/verdict/index.html").read_text()))
    assert "Line 41 of kernel.cu is: (left out here)" in page
    assert "Thread (25, 0, 0) of block (0, 0, 0), 325 times." in page
    profile = html.unescape(re.sub(r"<[^>]+>", "", (class_site / "guides/profile/index.html").read_text()))
    assert "26 │ (left out here)" in profile
    assert "✗  store of the output      4       512      32 sectors" in profile


def test_mistakes_planted_in_solutions_are_no_part_of_the_site(class_site: Path) -> None:
    page = (class_site / "reference/exercise_toml/index.html").read_text()
    assert "caught_by" in page  # what it is for is told
    finds = re.findall(r"^find = .*$", (ROOT / "solutions/00_first_kernel/mutants.toml").read_text(), re.M)
    assert finds
    text = html.unescape(re.sub(r"<[^>]+>", "", page))
    assert not [find for find in finds if find in text]


def test_the_handbook_of_instructors_is_not_in_the_menu(class_site: Path) -> None:
    menus = re.findall(r"<nav .*?</nav>", (class_site / "index.html").read_text(), re.DOTALL)
    assert any("lessons/00_first_kernel" in menu for menu in menus)
    assert not [menu for menu in menus if "instructors/" in menu]


def test_make_builds_it(tmp_path: Path) -> None:
    if shutil.which("make") is None:
        pytest.skip("needs make")
    done = subprocess.run(
        ["make", "--dry-run", "site-class"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"CU2GRAD_SITE=class \S+ -m mkdocs build --strict --site-dir site-class", done.stdout)
