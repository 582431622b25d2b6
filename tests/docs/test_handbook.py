"""The instructors' handbook is true: its commands exist, its figures come out."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from grader.cli.app import app
from grader.instruct.course import LatePolicy
from grader.instruct.course.lateness import charge

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs" / "instructors").glob("*.md"))
BLOCK = re.compile(r"^ *```(?P<kind>\w*)[^\n]*\n(?P<text>.*?)^ *```", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`(grader [^`]+)`")
LINE = re.compile(r"(?:^|&& )(?:\$ )?(?:\S*/)?(grader [^#|&>]+)")


def commands(text: str) -> list[str]:
    """Every `grader ...` in a block of commands, or between backticks in running text."""
    blocks = [match["text"] for match in BLOCK.finditer(text) if match["kind"] in ("sh", "console")]
    lines = "\n".join(blocks).replace("\\\n", " ").splitlines()
    found = [command for line in lines for command in LINE.findall(line.strip())]
    found += SPAN.findall(BLOCK.sub("", text))
    return list(dict.fromkeys(" ".join(command.replace("...", "").split()) for command in found))


def objection(command: str) -> str:
    """What `grader` has against these words, or "". With --help behind them nothing runs."""
    result = CliRunner().invoke(app, [*shlex.split(command)[1:], "--help"])
    return "" if result.exit_code == 0 else result.output


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_command_of_a_page_is_one(page: Path) -> None:
    wrong = {command: objection(command) for command in commands(page.read_text())}
    assert {command: words for command, words in wrong.items() if words} == {}


def test_commands_are_found_and_wrong_ones_refused() -> None:
    console = "```console\n$ grader class export \\\n    --into a.csv\n1 mark\n```"
    script = "```sh\ncd x && .venv/bin/grader list  # all\n```\nRun `grader check 03`, or grader nothing.\n"
    found = commands(f"{console}\n\n{script}")
    assert found == ["grader class export --into a.csv", "grader list", "grader check 03"]
    assert [objection(command) for command in found] == ["", "", ""]
    assert "No such command 'batches'" in objection("grader batches submitted")
    assert "No such option: --job" in objection("grader class grade --job 2")
    assert sum(len(commands(page.read_text())) for page in PAGES) > 30


def test_the_table_of_late_days() -> None:
    text = (ROOT / "docs/instructors/term.md").read_text()
    rows = re.findall(r"^\| (\d) \| ([\d.]+) \| ([\d.]+) \|$", text, re.MULTILINE)
    assert [row[0] for row in rows] == ["0", "1", "2"]
    for left, *shown in rows:
        for of, mark in zip(("earned", "possible"), shown, strict=True):
            policy = LatePolicy(per_day=10, of=of)
            assert 82 - charge(policy, days=2, budget=int(left), points=82).lost == pytest.approx(float(mark))


def test_the_handbook_is_short() -> None:
    """Without the sizing page, whose sums are looked up and not read."""
    words = {page.name: len(page.read_text().split()) for page in PAGES if page.stem != "sizing"}
    assert len(words) == 3 and sum(words.values()) <= 6000, words


def test_every_page_is_in_the_menu_and_begins_with_what_it_is_for() -> None:
    menu = (ROOT / "mkdocs.yml").read_text()
    for page in PAGES:
        assert f"- instructors/{page.name}" in menu, page.name
        assert re.match(r"# .+\n\n\*\*[^*]+\*\*\n", page.read_text()), page.name
