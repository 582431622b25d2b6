"""The docstring of `grader.run` lists its modules so that imports point down the list."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import grader.run

ROOM = Path(grader.run.__path__[0])


def listed() -> list[str]:
    table = (grader.run.__doc__ or "").partition("later ones.")[2]
    columns = re.findall(r"^    (\w+(?:, \w+)*)  ", table, re.MULTILINE)
    return [name for column in columns for name in column.split(", ")]


def imports() -> Iterator[tuple[str, str]]:
    """(module, another module of the room that it imports), in functions and for types alone, too."""
    for file in ROOM.rglob("*.py"):
        module = file.relative_to(ROOM).parts[0].removesuffix(".py")
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ImportFrom):
                names = (f"{node.module}.{alias.name}".split(".") for alias in node.names)
                yield from ((module, name[2]) for name in names if name[:2] == ["grader", "run"])


def test_every_module_is_listed() -> None:
    found = {path.stem for path in ROOM.glob("*.py")} - {"__init__"} | {"inside"}
    assert sorted(listed()) == sorted(found)


def test_imports_point_down_the_list() -> None:
    place = {name: number for number, name in enumerate(listed())}
    found = {(one, other) for one, other in imports() if one in place and other in place and one != other}
    assert ("session", "workers") in found
    assert {(one, other) for one, other in found if place[other] < place[one]} == set()
