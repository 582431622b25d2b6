"""Takes the screenshots of the documentation: `python -m tests.browser.pictures`, by hand.

A right transpose that writes by columns is graded in JupyterLab, and row sums without a barrier as a
submission in a class; of the course's own exercises no solution is shown. Two browsers do not draw the same
pixels, so no test compares these.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path

from grader.cli.nbgrader import build
from grader.course.catalog import Catalog
from grader.course.exercise import Exercise
from grader.course.mutants import load_mutants
from grader.course.stubs import without_markers
from grader.notebook.building import write_notebook
from tests.browser.chromium import Browser
from tests.browser.jupyter import FORMGRADER, LAB, serving
from tests.browser.test_jupyterlab import command, run_all
from tests.conftest import ROOT
from tests.nbgrader.school import Class

FIGURES = ROOT / "docs" / "figures"
SAMPLE = ROOT / "docs" / "samples" / "course"
STUDENT = "ada"
PAGE = (1000, 5000)  # pixels: so high that nothing has to be scrolled
COMMENT = "What may a fast warp do to the sums that a slow one still reads?"


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="pictures-") as folder:
        top = Path(folder)
        with Browser.start(top / "profile") as browser:
            browser.resize(*PAGE)
            in_jupyterlab(browser, top)
            in_formgrader(browser, top)


def write_mistake(exercise: Exercise, name: str, folder: Path) -> None:
    """The solution with a planted mistake, as a learner would have it: without markers."""
    folder.mkdir(parents=True, exist_ok=True)
    next(mutant for mutant in load_mutants(exercise) if mutant.name == name).write(folder)
    for file in exercise.edit:
        (folder / file).write_text(without_markers((folder / file).read_text()))


def in_jupyterlab(browser: Browser, top: Path) -> None:
    slug, course = "13_transpose", top / "course"
    shutil.copytree(ROOT / "exercises" / slug, course / "exercises" / slug)
    write_mistake(Catalog.open(ROOT).find(slug), "written by columns", course / "exercises" / slug)
    write_notebook(Catalog.open(course).find(slug), course / f"{slug}.ipynb")
    scratch = top / "lab"
    scratch.mkdir()
    with serving(LAB, course, scratch) as address:
        run_all(browser, f"{address}/lab/tree/{slug}.ipynb")
        command(browser, "application:toggle-left-area")
        browser.evaluate("document.querySelectorAll('.Toastify').forEach(each => each.remove())")
        time.sleep(2)  # JupyterLab lays itself out anew
        save(browser, ".jp-OutputArea:has(.cu2grad)", "notebook_verdict.png")


def in_formgrader(browser: Browser, top: Path) -> None:
    slug, school = "90_row_sums", Class(top / "school")
    school.top.mkdir()
    (school.top / "course").symlink_to(SAMPLE)
    school.begin(slug)
    build([slug], SAMPLE, school.folder)
    school.api().generate_assignment(slug)
    place = school.folder / "submitted" / STUDENT / slug
    write_mistake(school.catalog.find(slug), "second barrier missing", place)
    shutil.copy(school.folder / "release" / slug / f"{slug}.ipynb", place)
    school.api().autograde(slug, STUDENT)
    scratch = top / "formgrader"
    scratch.mkdir()
    with serving(FORMGRADER, school.folder, scratch) as address:
        with school.gradebook() as book:
            number = book.find_submission_notebook(slug, slug, STUDENT).id
        browser.open(f"{address}/formgrader/submissions/{number}/")
        browser.wait_until(
            "[...document.querySelectorAll('.score, .comment')].every(each => each.placeholder)"
        )
        browser.click("#file-kernel-cu-comment")
        browser.type(COMMENT)
        browser.evaluate(
            "document.activeElement.blur(); document.querySelector('.navbar-fixed-top').remove()"
        )
        save(browser, ".nbgrader_cell:has(#file-kernel-cu-comment)", "formgrader_comment.png")


def save(browser: Browser, selector: str, name: str) -> None:
    picture = browser.screenshot(selector)
    (FIGURES / name).write_bytes(picture)
    print(f"docs/figures/{name}: {len(picture) / 1024:.0f} KiB")


if __name__ == "__main__":
    main()
