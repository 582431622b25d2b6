"""Takes the screenshots of the documentation: `python -m tests.browser.pictures`, by hand.

A right transpose that writes by columns is graded in earnest, in JupyterLab and as a submission in a class.
Two browsers do not draw the same pixels, so no test compares these.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path

from grader.catalog import Catalog
from grader.cli.nbgrader import build
from grader.notebook.building import write_notebook
from tests.browser.chromium import Browser
from tests.browser.jupyter import FORMGRADER, LAB, serving
from tests.browser.test_jupyterlab import command, run_all
from tests.conftest import ROOT
from tests.nbgrader.demo_submissions import kinds_of
from tests.nbgrader.school import Class

FIGURES = ROOT / "docs" / "figures"
SLUG = "13_transpose"
MISTAKE = "written by columns"
STUDENT = "ada"
PAGE = (1000, 5000)  # pixels: so high that nothing has to be scrolled
COMMENT = "Which lanes of a warp write neighbours here? The tile is there to let them."


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="pictures-") as folder:
        top = Path(folder)
        mistaken(top / "handed_in")
        with Browser.start(top / "profile") as browser:
            in_jupyterlab(browser, top)
            in_formgrader(browser, top)


def mistaken(folder: Path) -> None:
    kind = next(each for each in kinds_of(Catalog.open(ROOT).find(SLUG)) if each.name == MISTAKE)
    folder.mkdir()
    for name, text in kind.files.items():
        (folder / name).write_text(text)


def in_jupyterlab(browser: Browser, top: Path) -> None:
    course = top / "course"
    shutil.copytree(ROOT / "exercises" / SLUG, course / "exercises" / SLUG)
    shutil.copytree(top / "handed_in", course / "exercises" / SLUG, dirs_exist_ok=True)
    write_notebook(Catalog.open(course).exercises[0], course / f"{SLUG}.ipynb")
    scratch = top / "lab"
    scratch.mkdir()
    with serving(LAB, course, scratch) as address:
        browser.resize(*PAGE)
        run_all(browser, f"{address}/lab/tree/{SLUG}.ipynb")
        command(browser, "application:toggle-left-area")
        browser.evaluate("document.querySelectorAll('.Toastify').forEach(each => each.remove())")
        time.sleep(2)  # JupyterLab lays itself out anew
        save(browser, ".jp-OutputArea:has(.cu2grad)", "notebook_verdict.png")


def in_formgrader(browser: Browser, top: Path) -> None:
    school = Class(top / "school")
    school.folder.mkdir(parents=True)
    (school.top / "course").symlink_to(ROOT)
    build([SLUG], ROOT, school.folder, False)
    school.api().generate_assignment(SLUG)
    place = school.folder / "submitted" / STUDENT / SLUG
    shutil.copytree(top / "handed_in", place)
    shutil.copy(school.folder / "release" / SLUG / f"{SLUG}.ipynb", place)
    school.api().autograde(SLUG, STUDENT)
    scratch = top / "formgrader"
    scratch.mkdir()
    with serving(FORMGRADER, school.folder, scratch) as address:
        with school.gradebook() as book:
            number = book.find_submission_notebook(SLUG, SLUG, STUDENT).id
        browser.resize(*PAGE)
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
