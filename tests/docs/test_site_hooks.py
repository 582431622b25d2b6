"""What the hooks of mkdocs.yml make of a page: pristine stubs, narrow figures, indented code, search."""

from __future__ import annotations

import html
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import pytest

from grader.course.catalog import Catalog, Exercise
from grader.course.workspace import shipped_files
from tests.docs.building import ROOT, build_site

BUILD = ROOT / "docs" / "_build"
FIGURES = sorted((ROOT / "docs" / "figures").glob("*.svg"))


@pytest.fixture(autouse=True)
def build_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BUILD))


@dataclass(frozen=True)
class Learner:
    """A copy of the course as one who learns with it has: 00 begun, a file of 03 lost; and its site.

    `temporary` is where the build had its temporary files.
    """

    course: Path
    site: Path
    temporary: Path

    def lesson(self, exercise: Exercise) -> str:
        """The text of a lesson's page, without its markup."""
        page = self.site / "lessons" / exercise.slug / "index.html"
        return html.unescape(re.sub(r"<[^>]+>", "", page.read_text(encoding="utf-8")))


ATTEMPT = "// my own attempt\n"


@pytest.fixture(scope="module")
def learner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Learner]:
    folder = tmp_path_factory.mktemp("learner")
    course, temporary = folder / "course", folder / "temporary"
    course.mkdir()
    temporary.mkdir()
    for name in ("docs", "exercises", "solutions"):
        shutil.copytree(ROOT / name, course / name, ignore=shutil.ignore_patterns("__pycache__", ".cu2grad"))
    for name in ("grader", "benchmarks", "CONTRIBUTING.md", "CHANGELOG.md"):
        (course / name).symlink_to(ROOT / name)
    shutil.copy(ROOT / "mkdocs.yml", course)
    catalog = Catalog.open(course)
    begun = catalog.find("00").root / "kernel.cu"
    text = begun.read_text(encoding="utf-8")
    begun.write_text(text.replace("#include", f"{ATTEMPT}#include", 1), encoding="utf-8")
    (catalog.find("03").root / "op.py").unlink()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(temporary))
        build_site(folder / "site", course=course)
    yield Learner(course, folder / "site", temporary)


def test_lessons_show_the_stub_and_not_what_a_learner_made_of_it(learner: Learner) -> None:
    exercise = Catalog.open(learner.course).find("00")
    own = exercise.root / "kernel.cu"
    page = learner.lesson(exercise)
    assert shipped_files(exercise)[own].rstrip() in page
    assert ATTEMPT.strip() not in page
    assert ATTEMPT in own.read_text(encoding="utf-8")


def test_lessons_show_the_stub_that_is_missing_from_the_exercise(learner: Learner) -> None:
    exercise = Catalog.open(learner.course).find("03")
    assert not (exercise.root / "op.py").exists()
    stub = (ROOT / "exercises" / exercise.slug / "op.py").read_text(encoding="utf-8")
    assert stub.rstrip() in learner.lesson(exercise)


def test_hooks_leave_no_folder_behind(learner: Learner) -> None:
    assert not list(learner.temporary.glob("cu2grad-stubs-*"))
    assert "pristine" not in sys.modules


def words(svg: str) -> set[str]:
    """What the labels of a figure say; labels wrap at other places in a narrow one."""
    texts = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    return {word for text in texts for word in (text.text or "").split()}


@pytest.mark.parametrize("figure", FIGURES, ids=lambda path: path.stem)
def test_a_narrow_figure_says_what_the_wide_one_says(figure: Path) -> None:
    from narrow import WIDTH
    from narrow_figures import LAYOUTS
    from narrow_layout import narrowed

    wide = figure.read_text(encoding="utf-8")
    narrow = narrowed(wide, LAYOUTS.get(figure.stem))
    if not narrow:
        assert float(re.search(r'viewBox="0 0 (\d+)', wide)[1]) <= WIDTH + 20  # type: ignore[index]
        return
    assert words(wide) <= words(narrow)
    assert words(narrow) - words(wide) <= {"…"}
    kinds = re.compile(r'<rect class="([abcd])"')
    assert set(kinds.findall(narrow)) == set(kinds.findall(wide))
    assert float(re.search(r'viewBox="0 0 ([\d.]+)', narrow)[1]) <= WIDTH + 1  # type: ignore[index]
    assert not set(re.findall(r' id="([^"]+)"', narrow)) & set(re.findall(r' id="([^"]+)"', wide))
    assert "\n\n" not in narrow


def test_layouts_are_those_of_figures_that_exist() -> None:
    from narrow_figures import LAYOUTS

    assert set(LAYOUTS) <= {figure.stem for figure in FIGURES}


def test_every_line_of_code_knows_its_indentation() -> None:
    from wrapped_code import on_page_content

    line = '<span id="__span-0-%d"><a id="x" name="x" href="#x"></a>%s\n</span>'
    indented = '<span class="w">    </span><span>if</span> (b)'
    page = on_page_content(line % (1, "a = 1;") + line % (2, indented))
    assert 'id="__span-0-1"><a' in page
    assert 'id="__span-0-2" style="--indent:4ch"><a' in page


def test_an_identifier_is_followed_by_the_parts_that_search_would_miss() -> None:
    from search_parts import with_parts

    section = "<p>Ask <code>ctx.needs_input_grad</code> for the grad.</p>"
    text = with_parts(section)
    hidden = re.findall(r'<span class="search-parts"> ([^<]*) </span>', text)
    assert hidden == ["input_grad needs_input_grad"]
    assert re.sub(r"<span.*?</span>", "", text) == section
    assert with_parts("<p>No name at all.</p>") == "<p>No name at all.</p>"
