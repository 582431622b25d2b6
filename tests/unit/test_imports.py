"""Imports point one way: the order of the rooms is the diagrams in docs/reference/architecture.md."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GRADER, CUSIMT = ROOT / "grader", ROOT / "cusimt"
PAGE = (ROOT / "docs/reference/architecture.md").read_text()
SECTIONS = {GRADER: "## The grader", CUSIMT: "## The simulator", GRADER / "instruct": "## Within `instruct`"}


def layers(section: str) -> list[set[str]]:
    """The rooms from top to bottom; those of one layer do not import each other."""
    diagram = PAGE.partition(section)[2].partition("```text\n")[2].partition("```")[0]
    return [set(re.findall(r"\w+", layer)) for layer in diagram.split("→") if layer.strip()]


def rooms(package: Path) -> set[str]:
    """The modules and packages in `package`, less its public face."""
    faces = {"__init__"} if package == CUSIMT else {"__init__", "__main__"}
    names = {path.stem for path in package.glob("*.py")} - faces
    return names | {path.parent.name for path in package.glob("*/__init__.py")}


def modules(package: Path) -> Iterator[Path]:
    return (path for path in package.rglob("*.py") if CUSIMT / "tests" not in path.parents)


def dotted(package: Path) -> str:
    return package.relative_to(ROOT).as_posix().replace("/", ".")


def imported(source: str, package: tuple[str, ...]) -> Iterator[str]:
    """The dotted names that a module of `package` imports: anywhere in it, and for types alone, too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            base = ".".join((*above, *([node.module] if node.module else [])))
            yield from (f"{base}.{alias.name}" for alias in node.names)


def names_imported(file: Path) -> Iterator[str]:
    return imported(file.read_text(), file.relative_to(ROOT).parent.parts)


def imports(package: Path) -> set[tuple[str, str, str]]:
    """(file, its room, the other room of the same package that it imports)."""
    found, known, prefix = set(), rooms(package), f"{dotted(package)}."
    for file in modules(package):
        parts = file.relative_to(package).parts
        room = parts[0].removesuffix(".py")
        for name in names_imported(file):
            other = name.removeprefix(prefix).partition(".")[0]
            if name.startswith(prefix) and {room, other} <= known and room != other:
                found.add(("/".join(parts), room, other))
    return found


@pytest.mark.parametrize("package", SECTIONS, ids=dotted)
def test_imports_point_one_way(package: Path) -> None:
    level = {room: number for number, layer in enumerate(layers(SECTIONS[package])) for room in layer}
    found = imports(package)
    assert {(file, other) for file, room, other in found if level[other] <= level[room]} == set()
    seen = {(room, other) for _, room, other in found}
    known = {
        GRADER: ("cli", "checks"),
        CUSIMT: ("profile", "counters"),
        GRADER / "instruct": ("results", "submissions"),
    }
    assert known[package] in seen


@pytest.mark.parametrize("package", SECTIONS, ids=dotted)
def test_every_room_is_in_the_diagram_and_in_the_table(package: Path) -> None:
    drawn = [room for layer in layers(SECTIONS[package]) for room in layer]
    table = PAGE.partition(SECTIONS[package])[2].partition("| room |")[2].partition("\n\n")[0]
    told = [room for row in table.splitlines()[2:] for room in re.findall(r"`(\w+)`", row.split("|")[1])]
    assert sorted(drawn) == sorted(told) == sorted(rooms(package))


def test_the_page_names_files_that_exist() -> None:
    """A name without a folder is in that of the first path of its row."""
    table = PAGE.partition("| to see | open |")[2].partition("\n\n")[0]
    missing, seen = [], 0
    for row in table.splitlines()[2:]:
        names = [name for name in re.findall(r"`([\w./]+)`", row) if "NN_slug" not in name]
        folder = Path(names[0]).parent if names else Path()
        paths = [name if "/" in name else str(folder / name) for name in names]
        missing += [path for path in paths if not (ROOT / path).exists()]
        seen += len(paths)
    assert missing == []
    assert seen > 8


def test_the_simulator_imports_nothing_of_the_grader() -> None:
    found = {(file.name, name) for file in modules(CUSIMT) for name in names_imported(file)}
    assert {each for each in found if each[1].split(".")[0] in ("grader", "tests")} == set()


def test_the_grader_uses_the_public_face_of_the_simulator() -> None:
    """What a module of it lists in ``__all__``, and modules as a whole that have such a list."""
    used = {name for file in modules(GRADER) for name in names_imported(file) if name.startswith("cusimt.")}
    assert "cusimt.counters.LineCounts" in used
    assert {name for name in used if not _is_public(name)} == set()


def _is_public(name: str) -> bool:
    owner, _, last = name.rpartition(".")
    try:
        return hasattr(importlib.import_module(name), "__all__")
    except ImportError:
        return last in getattr(importlib.import_module(owner), "__all__", ())


def test_imports_are_seen_in_all_their_forms() -> None:
    source = "import grader.cli.app\nfrom grader import report\nif 1:\n    from grader.run.wire import send\n"
    assert list(imported(source, ("grader", "x"))) == [
        "grader.cli.app",
        "grader.report",
        "grader.run.wire.send",
    ]
    relative = "from ..checks import grade\nfrom . import driver\nimport json\n"
    assert list(imported(relative, ("grader", "x"))) == ["grader.checks.grade", "grader.x.driver", "json"]
