"""Every command that the handbook for instructors shows is one that `grader` takes."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from grader.cli.app import app

PAGES = sorted((Path(__file__).resolve().parents[2] / "docs" / "instructors").glob("*.md"))
# In a console or shell block, a line that begins with the command; in running text, code that consists of it.
_BLOCK = re.compile(r"^\s*```(?:console|sh)\b[^\n]*\n(.*?)^\s*```", re.MULTILINE | re.DOTALL)
_LINE = re.compile(r"^\s*(?:\$ )?(?:\S*/)?(grader (?:[^\n\\#|&>]|\\\n)+)", re.MULTILINE)


def commands_of(text: str) -> list[str]:
    """The `grader ...` lines of a page's blocks."""
    blocks = "\n".join(_BLOCK.findall(text))
    return [line.replace("\\\n", " ").strip() for line in _LINE.findall(blocks)]


def complaint_about(words: list[str]) -> str:
    """What `grader` objects to in these words, or "". With --help behind them nothing runs."""
    result = CliRunner().invoke(app, [*words, "--help"])
    return "" if result.exit_code == 0 else result.output


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_command_on_the_page_is_one(page: Path) -> None:
    for line in commands_of(page.read_text(encoding="utf-8")):
        assert not complaint_about(shlex.split(line)[1:]), line


def test_commands_are_found_and_wrong_ones_refused() -> None:
    console = "```console\n$ grader export csv \\\n    --out a.csv\n1 mark\n```"
    script = "```sh\n.venv/bin/grader list\n```"
    found = [line.split() for line in commands_of(f"{console}\n\n{script}\n")]
    assert found == [["grader", "export", "csv", "--out", "a.csv"], ["grader", "list"]]
    assert [complaint_about(words[1:]) for words in found] == ["", ""]
    assert "No such command 'blackboard'" in complaint_about(["export", "blackboard"])
    assert "No such option: --nothing" in complaint_about(["export", "csv", "--nothing"])
