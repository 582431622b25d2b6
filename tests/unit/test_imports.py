"""Imports point one way: the order of the rooms is the diagram in docs/reference/architecture.md."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GRADER = ROOT / "grader"
PAGE = (ROOT / "docs/reference/architecture.md").read_text()

# Entry points of the package reach up: nothing below imports them.
UPWARD = {("simt/__main__.py", "profile")}  # `python -m cusimt --profile`


def layers(section: str = "# Architecture") -> list[set[str]]:
    """The rooms from top to bottom; those of one layer do not import each other."""
    diagram = PAGE.partition(section)[2].partition("```text\n")[2].partition("```")[0]
    return [set(re.findall(r"\w+", layer)) for layer in diagram.split("→") if layer.strip()]


def rooms() -> set[str]:
    """The modules and packages of `grader/`, less its public face and its entry point."""
    names = {path.stem for path in GRADER.glob("*.py")} - {"__init__", "__main__"}
    return names | {path.parent.name for path in GRADER.glob("*/__init__.py")}


def imported(source: str, package: tuple[str, ...]) -> Iterator[str]:
    """The rooms that a module of `package` imports: anywhere in it, and for types alone, too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            base = ".".join((*above, *([node.module] if node.module else [])))
            names = [f"{base}.{alias.name}" for alias in node.names]
        else:
            continue
        for first, *rest in (name.split(".") for name in names):
            if first == "grader" and rest and rest[0] in rooms():
                yield rest[0]


def imports() -> set[tuple[str, str, str]]:
    """(file, its room, the other room that it imports)."""
    found = set()
    for file in GRADER.rglob("*.py"):
        parts = file.relative_to(GRADER).parts
        room = parts[0].removesuffix(".py")
        for other in imported(file.read_text(), ("grader", *parts[:-1])):
            if room in rooms() and other != room:
                found.add(("/".join(parts), room, other))
    return found


def test_imports_point_one_way() -> None:
    level = {room: number for number, layer in enumerate(layers()) for room in layer}
    found = imports()
    upward = {(file, other) for file, room, other in found if level[other] <= level[room]}
    assert upward == UPWARD
    assert ("profile/program.py", "profile", "simt") in found


def test_every_room_is_in_the_diagram_and_in_the_table() -> None:
    drawn = [room for layer in layers() for room in layer]
    table = PAGE.partition("| room |")[2].partition("\n\n")[0]
    told = [room for row in table.splitlines()[2:] for room in re.findall(r"`(\w+)`", row.split("|")[1])]
    assert sorted(drawn) == sorted(told) == sorted(rooms())


def test_imports_are_seen_in_all_their_forms() -> None:
    source = "import grader.cli.app\nfrom grader import report\nif 1:\n    from grader.run.wire import send\n"
    assert list(imported(source, ("grader", "simt"))) == ["cli", "report", "run"]
    relative = "from ..checks import grade\nfrom . import driver\nfrom .device import x\nimport json\n"
    assert list(imported(relative, ("grader", "simt"))) == ["checks", "simt", "simt"]


def test_rooms_for_instructors_point_one_way() -> None:
    section = "## Within `instruct`"
    drawn = layers(section)
    level = {room: number for number, layer in enumerate(drawn) for room in layer}
    assert level.keys() == {path.parent.name for path in (GRADER / "instruct").glob("*/__init__.py")}
    table = PAGE.partition(section)[2].partition("| room |")[2].partition("\n\n")[0]
    told = [room for row in table.splitlines()[2:] for room in re.findall(r"`(\w+)`", row.split("|")[1])]
    assert sorted(told) == sorted(level)
    found = set()
    for file in (GRADER / "instruct").glob("*/**/*.py"):
        room = file.relative_to(GRADER / "instruct").parts[0]
        others = set(re.findall(r"grader\.instruct\.(\w+)", file.read_text())) - {room}
        found |= {(room, other) for other in others}
    assert {(room, other) for room, other in found if level[other] <= level[room]} == set()
    assert ("results", "submissions") in found
