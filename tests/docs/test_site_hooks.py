"""What the hooks of mkdocs.yml make of a page: pristine stubs, narrow figures, indented code, search."""

from __future__ import annotations

import html
import re
import shutil
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from grader.course.catalog import Catalog
from grader.course.workspace import shipped_files
from tests.docs.building import ROOT, build_site

BUILD = ROOT / "docs" / "_build"
FIGURES = sorted((ROOT / "docs" / "figures").glob("*.svg"))


@pytest.fixture(autouse=True)
def build_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BUILD))


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A copy of the course, as one who learns with it has."""
    folder = tmp_path / "course"
    folder.mkdir()
    for name in ("docs", "exercises", "solutions"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", ".cu2grad"))
    for name in ("grader", "benchmarks", "CONTRIBUTING.md", "CHANGELOG.md"):
        (folder / name).symlink_to(ROOT / name)
    shutil.copy(ROOT / "mkdocs.yml", folder)
    return folder


def shown_code(page: Path) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", page.read_text(encoding="utf-8")))


def test_lessons_show_the_stub_and_not_what_a_learner_made_of_it(course: Path, tmp_path: Path) -> None:
    exercise = Catalog.open(course).find("00")
    own = exercise.root / "kernel.cu"
    stub = shipped_files(exercise)[own]
    own.write_text(stub.replace("#include", "// my own attempt\n#include", 1), encoding="utf-8")
    build_site(tmp_path / "site", course=course)
    page = shown_code(tmp_path / "site" / "lessons" / exercise.slug / "index.html")
    assert stub.rstrip() in page
    assert "my own attempt" not in page
    assert "my own attempt" in own.read_text(encoding="utf-8")


def test_lessons_show_the_stub_that_is_missing_from_the_exercise(course: Path, tmp_path: Path) -> None:
    exercise = Catalog.open(course).find("03")
    stub = (exercise.root / "op.py").read_text(encoding="utf-8")
    (exercise.root / "op.py").unlink()
    build_site(tmp_path / "site", course=course)
    assert stub.rstrip() in shown_code(tmp_path / "site" / "lessons" / exercise.slug / "index.html")


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


def test_hooks_leave_no_folder_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    build_site(tmp_path / "site")
    assert not list(tmp_path.glob("cu2grad-stubs-*"))
    assert "pristine" not in sys.modules
