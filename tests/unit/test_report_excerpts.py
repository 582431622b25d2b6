"""Compilers' excerpts at the widths of terminals: the caret stays below what it points at."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from grader.compilation import diagnostics
from grader.report import verdict_text
from grader.report.excerpts import fitted
from grader.report.terminal import show_verdict
from grader.verdict import CheckResult, Status, Verdict

LAUNCH = (
    "    multiply_kernel<scalar_t><<<static_cast<unsigned>(blocks), kThreadsPerBlock, 0, stream>>>"
    "(a.const_data_ptr<float>(), bb.const_data_ptr<float>(), n);"
)
AT = LAUNCH.index("bb.const")
# What g++ 12 and nvcc 13 print for that line.
GNU = f"""\
{{file}}: In function ‘void launch()’:
{{file}}:1:{AT + 1}: error: ‘bb’ was not declared in this scope; did you mean ‘b’?
    1 | {LAUNCH}
      | {" " * AT}^~
      | {" " * AT}b
"""
NVCC = f"""\
{{file}}(1): error: identifier "bb" is undefined
{LAUNCH}
{" " * AT}^

1 error detected in the compilation of "{{file}}".
"""
WIDTHS = [60, 80, 100, 120]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    file = tmp_path / "kernel.cu"
    file.write_text(LAUNCH + "\n")
    return file


def verdict(log: str, source: Path) -> Verdict:
    lines = tuple(diagnostics.trim(log.format(file=source), [source]).splitlines())
    check = CheckResult("build", Status.BUILD_ERROR, "It does not compile.", lines=lines)
    return Verdict("02_x", "X", "simt", 7, (check,))


def pointed_at(text: str, width: int) -> str:
    """The two characters above the caret; every line fits."""
    lines = text.splitlines()
    (below,) = (number for number, line in enumerate(lines) if line.strip(" |~") == "^")
    assert len(lines[below - 1]) <= width
    column = lines[below].index("^")
    return lines[below - 1][column : column + 2]


def terminal(found: Verdict, width: int) -> str:
    stream = io.StringIO()
    show_verdict(found, Console(file=stream, width=width, color_system=None, highlight=False))
    return stream.getvalue()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("log", [GNU, NVCC], ids=["g++", "nvcc"])
def test_the_caret_stays_below_what_it_points_at(log: str, width: int, source: Path) -> None:
    found = verdict(log, source)
    assert pointed_at(terminal(found, width), width) == "bb"
    assert pointed_at(verdict_text(found, width), width) == "bb"


def test_a_cut_line_says_so_on_both_sides() -> None:
    excerpt = ["   12 | " + "a" * 50 + "X" + "b" * 50, "      | " + " " * 50 + "^" + "~" * 50]
    assert list(fitted(excerpt, 28)) == [
        "   12 | …" + "a" * 9 + "X" + "b" * 8 + "…",
        "      | " + " " * 10 + "^" + "~" * 9,
    ]


def test_near_an_end_of_the_line_only_the_other_is_cut() -> None:
    line = "0123456789" * 5
    assert list(fitted([line, "   ^"], 20)) == [line[:19] + "…", "   ^"]
    assert list(fitted([line, " " * 48 + "^"], 20)) == ["…" + line[-19:], " " * 18 + "^"]


def test_a_suggestion_moves_with_its_line() -> None:
    excerpt = ["    1 | " + " " * 60 + "nn = 3;", "      | " + " " * 60 + "^~", "      | " + " " * 60 + "n"]
    source, markers, suggestion = fitted(excerpt, 40)
    assert source.index("nn") == markers.index("^") == suggestion.index("n")


def test_what_fits_and_what_is_no_excerpt_stays() -> None:
    lines = ["kernel.cu:3: error: " + "x" * 90, "    3 | int a", "      |     ^", "It printed:", "  a"]
    assert list(fitted(lines, 40)) == lines
    assert list(fitted([], 40)) == []


def test_a_remark_below_the_bar_is_no_part_of_the_excerpt() -> None:
    remark = "      | (this line leads to torch.h:7, where the compiler gives up)"
    assert list(fitted(["    3 | int a", remark], 30)) == ["    3 | int a", remark]
