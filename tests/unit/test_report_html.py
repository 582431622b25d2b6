"""HTML and JUnit: nothing in them comes from outside, and nothing that a submission wrote is markup."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from grader.report.files import require_folder, write_report
from grader.report.html import page, verdict_html
from grader.report.junit import junit
from grader.report.site import at_site
from grader.support.errors import UsageError
from grader.verdict import NOT_JUDGED, CheckResult, ReportedFinding, Status, Verdict, WarpRequest

COLUMN = WarpRequest("global", "store", 4, tuple(384 * lane for lane in range(32)), "out", 4)
STRIDED = ReportedFinding(
    "global_store_sectors", "Writes out with a stride.", "Neighbours write neighbours.", "kernel.cu", 39,
    "  out[i] = tile[i];", request=COLUMN,
)  # fmt: skip
GUARD = ReportedFinding(
    "out_of_bounds", "reads past the end of a.", "Guard it.", "kernel.cu", 12, "x[i] = a[i];",
    (3, 0, 0), (5, 0, 0), 7,
)  # fmt: skip
HOSTILE = '</pre></div><script src="//evil.example/x.js"></script><img src=x onerror="alert(1)">&\'"'


def verdict(*checks: CheckResult, title: str = "Fused multiply-add") -> Verdict:
    versions = {"cu2grad": "0.1.0"}
    return Verdict("03_muladd", title, "simt", 42, checks, versions=versions, seconds=1.73)


FAILED = verdict(
    CheckResult("build", Status.PASS, "Built in 0.6 s."),
    CheckResult("correctness", Status.FAIL, "It returned 0, not 1.", 0, 40, 0.5, "odd sizes", "a = 0.5",
                "1.0", "0.0", (3, 7), lesson="docs/lessons/03_muladd.md#guard"),
    CheckResult("safety", Status.FAIL, "kernel.cu:12: reads past the end of a.", 0, 10,
                findings=(GUARD, replace(GUARD, kind="race", sentence="races."))),
    CheckResult("efficiency", Status.FAIL, "kernel.cu:39: Writes out.", 8.89, 20, findings=(STRIDED,)),
    CheckResult("gradient", Status.FAIL, f"{NOT_JUDGED}: it crashed.", 0, 20),
    CheckResult("performance", Status.UNAVAILABLE, "Speed needs a GPU.", 0, 20),
)  # fmt: skip


class Seen(HTMLParser):
    """Every element with its attributes, the text outside of styles, and whether all were closed in order."""

    VOID = frozenset({"meta", "img", "link", "br"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self._open:
            self.words += data

    @property
    def names(self) -> set[str]:
        return {tag for tag, _ in self.elements}


def test_a_verdict_is_told_whole() -> None:
    words = Seen(verdict_html(FAILED)).words
    for part in (
        "03_muladd", "Fused multiply-add", "not passed, 8.89 of 90 points", "It returned 0, not 1.",
        "odd sizes", "a = 0.5", "[3, 7]", "read docs/lessons/03_muladd.md#guard", "x[i] = a[i];",
        "Thread (5, 0, 0) of block (3, 0, 0), 7 times", "Not judged, since it crashed: gradient.", "0/40",
        "seed 42 · 1.7 s · cu2grad 0.1.0",
    ):  # fmt: skip
        assert part in words, part
    assert "0/20" not in words  # neither what was not judged nor what is unavailable


def test_a_page_around_it_changes_no_widths_and_no_background() -> None:
    """In nbgrader's feedback a rem is 10 pixels, which broke the names of checks, and `.mark` is yellow."""
    style = verdict_html(FAILED).partition("<style>")[2].partition("</style>")[0]
    assert not re.findall(r"[\d.]+rem\b", style)
    assert "grid-template-columns: 20px 136px minmax(0, 1fr) max-content;" in style
    [rule] = re.findall(r"\.cu2grad\.cu2grad \.mark,[^{]*{([^}]*)}", style)
    assert "background: none; padding: 0;" in rule


def test_a_request_is_drawn_where_a_finding_has_one() -> None:
    found = Seen(verdict_html(verdict(FAILED.checks[3])))
    assert "32 lanes ask for 128 bytes; 32 sectors of 32 bytes move: 896 unrequested bytes" in found.words
    assert [tag for tag, _ in found.elements].count("svg") == 1
    assert "svg" not in Seen(verdict_html(verdict(FAILED.checks[2]))).names


@pytest.mark.parametrize(
    "request_",
    [
        replace(COLUMN, space="<b>"),
        replace(COLUMN, access="<b>"),
        replace(COLUMN, bytes=0),
        replace(COLUMN, addresses=(0,) * 3),
        replace(COLUMN, addresses=(None,) * 32),
        replace(COLUMN, addresses=(-4,) * 32),
    ],
)
def test_what_is_no_request_is_not_drawn(request_: WarpRequest) -> None:
    check = replace(FAILED.checks[3], findings=(replace(STRIDED, request=request_),))
    assert "svg" not in Seen(verdict_html(verdict(check))).names


def hostile() -> Verdict:
    finding = replace(
        STRIDED, kind=HOSTILE, sentence=HOSTILE, rule=HOSTILE, file=HOSTILE, source=HOSTILE,
        request=replace(COLUMN, tensor=HOSTILE),
    )  # fmt: skip
    check = CheckResult(
        HOSTILE, Status.FAIL, HOSTILE, 0, 40, 0.1, HOSTILE, HOSTILE, HOSTILE, HOSTILE, (1,),
        (finding, finding), (HOSTILE,), HOSTILE,
    )  # fmt: skip
    skipped = CheckResult("gradient", Status.FAIL, f"{NOT_JUDGED}: {HOSTILE}", 0, 20)
    return replace(
        verdict(check, skipped, title=HOSTILE),
        exercise=HOSTILE, backend=HOSTILE, files=HOSTILE, versions={HOSTILE: HOSTILE},
    )  # fmt: skip


def test_nothing_that_a_submission_says_is_markup() -> None:
    found = Seen(page([hostile()]))
    harmless = Seen(page([FAILED]))
    assert found.names <= harmless.names
    assert {key for _, given in found.elements for key in given} <= {
        key for _, given in harmless.elements for key in given
    }
    assert found.words.count(HOSTILE) > 10


def test_a_page_fetches_and_runs_nothing() -> None:
    text = page([FAILED, hostile()])
    addresses = [
        value for _, given in Seen(text).elements for key, value in given.items() if key in ("src", "href")
    ]
    assert addresses == []
    assert not re.search(r"url\((?!#)|@import|@font-face", text)
    policy = next(given for tag, given in Seen(text).elements if given.get("http-equiv"))
    assert str(policy["content"]).startswith("default-src 'none'")


def test_what_cannot_be_seen_is_shown_as_such() -> None:
    lines = (
        "\x1b[1;31mkernel.cu:3: error\x1b[0m\x07",
        "a \u202e b \ud800",
        "\x1b]8;;http://x\x07link\x1b]8;;\x07",
    )
    text = page([verdict(CheckResult("build", Status.BUILD_ERROR, "It fails.", lines=lines))])
    assert "kernel.cu:3: error\ufffd\na \ufffd b \ufffd\nlink" in Seen(text).words
    assert "\x1b" not in text and "\u202e" not in text
    text.encode()


def test_an_endless_line_is_cut() -> None:
    endless = CheckResult("build", Status.BUILD_ERROR, "It fails.", lines=("x" * 3_000_000,))
    text = verdict_html(verdict(endless))
    assert len(text) < 200_000 and "and 2900000 more characters" in text


def test_several_verdicts_share_a_page_and_ids_are_unique() -> None:
    elements = Seen(page([FAILED, replace(FAILED, seed=43)])).elements
    ids = [given["id"] for _, given in elements if "id" in given]
    assert len(ids) == len(set(ids)) > 0


# ---- JUnit -------------------------------------------------------------------------------------------------


def test_junit_counts_and_words() -> None:
    crash = CheckResult("dispatcher", Status.CRASH, "It died.", 0, 10)
    suite = ElementTree.fromstring(junit([replace(FAILED, checks=(*FAILED.checks, crash))]))[0]
    assert {key: suite.get(key) for key in ("tests", "failures", "errors", "skipped", "time")} == {
        "tests": "7", "failures": "4", "errors": "1", "skipped": "1", "time": "1.730",
    }  # fmt: skip
    ended = {case.get("name"): [each.tag for each in case] for case in suite}
    assert ended["build"] == [] and ended["performance"] == ["skipped"] and ended["dispatcher"] == ["error"]
    failure = suite.find("testcase[@name='safety']/failure")
    assert failure is not None and failure.get("message") == "kernel.cu:12: reads past the end of a."
    assert "Line 12 of kernel.cu is: x[i] = a[i];" in (failure.text or "")


def test_junit_is_xml_whatever_a_submission_says() -> None:
    nasty = CheckResult("build", Status.FAIL, f"{HOSTILE}\x00\x1b[31m\ud800\ufffe", lines=("]]>\x0b",))
    text = junit([verdict(nasty)])
    (failure,) = ElementTree.fromstring(text.encode()).iter("failure")
    assert failure.get("message") == f"{HOSTILE}\ufffd\ufffd\ufffd"


# ---- files -------------------------------------------------------------------------------------------------


def test_a_place_that_cannot_be_written_is_refused_before_grading(tmp_path: Path) -> None:
    require_folder(tmp_path / "verdict.html")
    for place in (tmp_path, tmp_path / "missing" / "verdict.html"):
        with pytest.raises(UsageError, match=re.escape(str(place))):
            require_folder(place)
        with pytest.raises(UsageError):
            write_report(place, "")


def test_at_the_site_of_a_class_pages_have_an_address() -> None:
    path = "docs/reference/allowed.md lists them."
    finding = ReportedFinding("read", f"So: {path}", path, "kernel.cu", 1)
    checks = (
        CheckResult(
            "build", Status.FAIL, path, lesson="docs/lessons/03_muladd.md#guard", findings=(finding,)
        ),
        CheckResult("safety", Status.PASS, "Nothing."),
    )
    there = at_site(verdict(*checks), "https://gpu.example.org/101")
    seen = Seen(verdict_html(there))
    assert [told["href"] for tag, told in seen.elements if tag == "a"] == [
        "https://gpu.example.org/101/lessons/03_muladd/#guard"
    ]
    assert there.checks[0].sentence == "https://gpu.example.org/101/reference/allowed/ lists them."
    assert "docs/" not in seen.words
    assert at_site(there, "") is there
    assert "a" not in Seen(verdict_html(verdict(*checks))).names
