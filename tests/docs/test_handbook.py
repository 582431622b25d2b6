"""The instructors' handbook is true: its commands exist, its figures come out."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from grader.cli.app import app
from grader.instruct.course import LatePolicy, read_course
from grader.instruct.course.late import charge

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs" / "instructors").glob("*.md"))
COMMAND = re.compile(r"(?:^|&& |\$ |`)(grader [^`\n]*)", re.MULTILINE)


def commands() -> Iterator[tuple[str, str]]:
    """(page, command) for every `grader ...` in a block of commands or between backticks."""
    for page in PAGES:
        text = page.read_text()
        fences = re.findall(r"^ *```(?:sh|console)\n(.*?)^ *```", text, re.MULTILINE | re.DOTALL)
        prose = re.sub(r"^ *```.*?^ *```", "", text, flags=re.MULTILINE | re.DOTALL)
        spans = re.findall(r"`(grader [^`]+)`", prose)
        for line in (line.strip() for fence in fences for line in fence.splitlines()):
            spans += COMMAND.findall(line)
        yield from ((page.name, span) for span in dict.fromkeys(spans))


def unknown(command: str) -> str:
    """What of ``command`` the command line does not know, or ""."""
    words = shlex.split(re.split(r" (?:&&|\||>|2>) ?", command)[0].replace("...", ""), comments=True)[1:]
    here: Any = typer.main.get_command(app)
    options = {"--help"}
    previous = ""
    for word in words:
        if word.startswith("-"):
            if word.split("=")[0] not in options:
                return word
        elif hasattr(here, "commands"):  # a group; none takes an argument of its own
            if word in here.commands:
                here = here.commands[word]
                options |= {name for parameter in here.params for name in parameter.opts}
            elif not previous.startswith("-"):
                return word
        previous = word
    return ""


@pytest.mark.parametrize(("page", "command"), list(commands()))
def test_a_command_of_the_handbook_exists(page: str, command: str) -> None:
    assert unknown(command) == ""


def test_commands_that_do_not_exist_are_seen() -> None:
    assert unknown("grader batch submitted --jobs 2 --only ada") == ""
    assert unknown("grader batches submitted") == "batches"
    assert unknown("grader batch submitted --job 2") == "--job"
    assert unknown("grader workspace make handout") == "make"
    assert len(list(commands())) > 30


def test_the_table_of_late_days() -> None:
    text = (ROOT / "docs/instructors/weights.md").read_text()
    rows = re.findall(r"^\| (\d) \| ([\d.]+) \| ([\d.]+) \|$", text, re.MULTILINE)
    assert [row[0] for row in rows] == ["0", "1", "2"]
    for left, *shown in rows:
        for of, mark in zip(("earned", "possible"), shown, strict=True):
            policy = LatePolicy(per_day=10, of=of)
            assert 82 - charge(policy, days=2, budget=int(left), points=82).lost == pytest.approx(float(mark))


def test_the_course_of_the_first_page_can_be_read() -> None:
    course = read_course(ROOT / "docs/samples/class")
    text = (ROOT / "docs/instructors/first_course.md").read_text()
    assert {slug[:2] for slug in course.assignments} == {"00", "02", "03"}
    assert "--exercises 00,02,03" in text


def test_every_page_is_in_the_menu_and_begins_with_what_it_is_for() -> None:
    menu = (ROOT / "mkdocs.yml").read_text()
    for page in PAGES:
        assert f"- instructors/{page.name}" in menu, page.name
        assert re.match(r"# .+\n\n\*\*[^*]+\*\*\n", page.read_text()), page.name
