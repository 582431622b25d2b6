"""What a teaching assistant sees: formgrader in a browser, with grades, the learner's files and comments."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from cusimt.tests.waiting import waited
from grader.verdict import CheckResult, ReportedFinding, Status, WarpRequest
from tests.browser.chromium import Browser, program
from tests.browser.jupyter import FORMGRADER, serving
from tests.conftest import TOY_COURSE
from tests.nbgrader.school import SLUG, Class, a_verdict

pytestmark = pytest.mark.filterwarnings("ignore")  # nbgrader warns of much that is theirs to change

HOSTILE = "// </code></pre><script>document.title = 'owned'</script>"
COLUMN = WarpRequest("global", "store", 4, tuple(384 * lane for lane in range(32)), "out", 4)
STRIDED = ReportedFinding(
    "global_store_sectors", "Writes out with a stride.", file="kernel.cu", line=9, source="y[i] = -x[i];",
    request=COLUMN,
)  # fmt: skip


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> Class:
    """Ada passed; Zoe did not, and would like to run a script in the grader's browser."""
    program()  # skips before anything is built
    pytest.importorskip("nbgrader", reason="nbgrader is not installed: pip install 'cu2grad[instructor]'")
    pytest.importorskip("jupyter_server", reason="jupyter_server is not installed: pip install nbgrader")
    from grader.cli.nbgrader import build

    school = Class(tmp_path_factory.mktemp("formgrader"))
    shutil.copytree(TOY_COURSE, school.top / "course")
    school.begin(SLUG)
    build([SLUG], school.top / "course", school.folder)
    assert school.api().generate_assignment(SLUG)["success"]
    sentence = "Element 3 is wrong. <script>document.title = 'owned'</script>"
    wrong = CheckResult("correctness", Status.FAIL, sentence, 12.5, 60.0, findings=(STRIDED,))
    school.decide(school.submit("ada"), a_verdict())
    school.decide(school.submit("zoe", f"{HOSTILE}\n{school.solution()}"), a_verdict(correctness=wrong))
    for student in ("ada", "zoe"):
        assert school.autograde(student)["success"]
    return school


@pytest.fixture(scope="module")
def address(school: Class, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(FORMGRADER, school.folder, tmp_path_factory.mktemp("jupyter")) as address:
        yield address


@pytest.fixture(scope="module")
def formgrader(address: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser.start(tmp_path_factory.mktemp("profile")) as browser:
        browser.resize(1200, 900)
        yield browser


def open_submission(browser: Browser, address: str, school: Class, student: str) -> None:
    with school.gradebook() as book:
        number = book.find_submission_notebook(SLUG, SLUG, student).id
    browser.open(f"{address}/formgrader/submissions/{number}/")
    # Both are filled in by scripts, and what is entered before is overwritten.
    browser.wait_until("[...document.querySelectorAll('.score, .comment')].every(each => each.placeholder)")


def test_the_list_of_submissions_shows_the_points(formgrader: Browser, address: str) -> None:
    formgrader.open(f"{address}/formgrader/gradebook/{SLUG}/{SLUG}")
    formgrader.wait_until("document.querySelectorAll('tbody tr td').length > 3")
    shown = formgrader.evaluate("document.querySelector('tbody').innerText")
    assert "100 / 100" in shown and "52.5 / 100" in shown


def test_a_submission_shows_points_files_and_the_verdict(
    formgrader: Browser, address: str, school: Class
) -> None:
    open_submission(formgrader, address, school, "zoe")
    points = formgrader.evaluate(
        "Object.fromEntries([...document.querySelectorAll('input.score')].map(e => [e.id, e.placeholder]))"
    )
    assert points == {"check-correctness": "12.5", "check-safety": "20", "check-device_work": "20"}
    page = formgrader.evaluate("document.body.innerText")
    for line in (HOSTILE, *school.solution().splitlines()):
        assert line.strip() in page
    assert "not passed, 52.5 of 100 points" in page
    assert formgrader.evaluate("document.querySelectorAll('.cu2grad svg rect').length") > 32
    assert formgrader.evaluate("document.title") != "owned"


def test_a_click_adds_a_comment(formgrader: Browser, address: str, school: Class) -> None:
    open_submission(formgrader, address, school, "zoe")
    box = "#file-kernel-cu-comment"
    formgrader.click(box)
    assert formgrader.evaluate(f"document.activeElement === document.querySelector('{box}')")
    formgrader.type("Line 9: which thread writes this element?")
    formgrader.evaluate("document.activeElement.blur()")  # the page saves what is left

    def is_saved() -> bool:
        with school.gradebook() as book:
            comment = book.find_comment("file-kernel-cu", SLUG, SLUG, "zoe")
            return bool(comment.manual_comment == "Line 9: which thread writes this element?")

    assert waited(is_saved, 30.0)  # it is sent when the field is left
    open_submission(formgrader, address, school, "zoe")
    assert formgrader.evaluate(f"document.querySelector('{box}').value").startswith("Line 9")
    assert school.api().generate_feedback(SLUG, "zoe")["success"]
    assert "Line 9: which thread writes this element?" in school.feedback("zoe")


def test_points_given_by_hand_replace_the_grader_s(formgrader: Browser, address: str, school: Class) -> None:
    open_submission(formgrader, address, school, "ada")
    formgrader.click("#check-safety")
    formgrader.type("5")
    formgrader.evaluate("document.activeElement.blur()")

    def is_saved() -> bool:
        with school.gradebook() as book:
            grade = book.find_grade("check-safety", SLUG, SLUG, "ada")
            return (grade.auto_score, grade.manual_score, grade.score) == (20.0, 5.0, 5.0)

    assert waited(is_saved, 30.0)  # it is sent when the field is left
    with school.gradebook() as book:
        assert book.find_submission(SLUG, "ada").score == 85.0
