"""The verdict on the home page, and the lines of the kernel that it is about; with ``--check`` only compares.

The grader checks a kernel that lacks one barrier: the mistake that ``make demo`` shows. The verdict is its report
in HTML, as notebooks show it; seconds and versions, which differ from run to run, are left out. The kernel is shown
from its loop over rows to the end of that loop, without its comments.
Run from the course folder: ``python docs/_build/home.py``.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from html import escape
from pathlib import Path

import captures
from generated import bring_up_to_date
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import CudaLexer

from grader.report.html import verdict_html
from grader.verdict import ReportedFinding, Verdict
from grader.course.workspace import without_markers

FOLDER = captures.COURSE / "docs" / "_generated" / "home"
MISTAKE = captures.Capture("home", "90", mutant="second barrier missing", course=captures.SAMPLE)
BUILT = re.compile(r"Built (?:from the cache|in [\d.]+ s)\.")
READ_AT = re.compile(r"unordered with the read at kernel\.cu:(\d+) by thread \(0,0,0\)")
LOOP = "for (int64_t row"
COMMENT = re.compile(r"\s+//.*$")
SECONDS = re.compile(r" · [\d.]+ s(?= ·|</footer>)")


def verdict_and_kernel() -> tuple[Verdict, list[str]]:
    """What the grader says about the mistake, and the kernel with it."""
    with captures.course_with(MISTAKE) as folder:
        (path,) = folder.rglob("exercises/*/kernel.cu")
        kernel = without_markers(path.read_text(encoding="utf-8"))
        path.write_text(kernel, encoding="utf-8")
        environment = {**os.environ, "PYTHONPATH": str(captures.COURSE), "CU2GRAD_BACKEND": "simt"}
        done = subprocess.run(
            [sys.executable, "-m", "grader", "check", "--json", "--seed", captures.SEED, MISTAKE.exercise],
            cwd=folder, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode != MISTAKE.exit_code:
            raise SystemExit(f"grader check: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return Verdict.from_json(done.stdout), kernel.splitlines()


def shown(verdict: Verdict) -> str:
    """The verdict in HTML, on one page with others: without the facts that change from run to run."""
    checks = tuple(replace(check, sentence=BUILT.sub("Built.", check.sentence)) for check in verdict.checks)
    fragment = verdict_html(replace(verdict, checks=checks, versions={}))
    return SECONDS.sub("", fragment).replace("\n\n", "\n")


def race(verdict: Verdict) -> ReportedFinding:
    """The finding of the failed check."""
    (finding,) = {finding.line: finding for check in verdict.checks for finding in check.findings}.values()
    return finding


def kernel_lines(lines: list[str], finding: ReportedFinding) -> str:
    """The loop over rows, with the write that comes too early and the read that it races with marked."""
    read = READ_AT.search(finding.sentence)
    if finding.kind != "race_shared" or finding.thread != (1, 0, 0) or read is None:
        raise SystemExit(f"the notes beside the kernel no longer fit the finding: {finding.sentence}")
    notes = {
        finding.line: "thread 1 stores the next row …",
        int(read[1]): "… thread 0 still adds up this one",
    }
    (loop,) = (number for number, line in enumerate(lines, 1) if line.lstrip().startswith(LOOP))
    depth = lines[loop - 1].index(LOOP)
    end = lines.index(" " * depth + "}", loop) + 1
    numbers = [loop, *range(finding.line, end + 1)]
    shown = [_line(number, lines[number - 1][depth:], notes) for number in numbers if lines[number - 1].strip()]
    return f'<pre class="home-kernel highlight"><code>{"".join(shown)}</code></pre>\n'


def _line(number: int, text: str, notes: dict[int, str]) -> str:
    code = highlight(COMMENT.sub("", text), CudaLexer(), HtmlFormatter(nowrap=True)).rstrip("\n")
    note = f'<span class="home-note">{escape(notes[number])}</span>' if number in notes else ""
    kind = "home-line guilty" if number in notes else "home-line"
    depth = len(text) - len(text.lstrip())
    return f'<span class="{kind}" data-line="{number}" style="--indent:{depth}ch">{code}{note}\n</span>'


def parts() -> Iterator[tuple[Path, str]]:
    verdict, kernel = verdict_and_kernel()
    yield FOLDER / "verdict.html", shown(verdict)
    yield FOLDER / "kernel.html", kernel_lines(kernel, race(verdict))


if __name__ == "__main__":
    raise SystemExit(bring_up_to_date(parts(), "--check" in sys.argv[1:], "home.py"))
