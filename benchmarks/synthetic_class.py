"""A class that never was: submissions to 03 that differ as those of different authors do, and copies.

Every author chooses, at each place where people choose: a guard or a condition around the statement, types,
names, temporaries, order. A copy is what a copier makes of a text: other names, other layout, other
comments, and one section of the copier's own.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

from grader.course.catalog import Catalog, Exercise
from grader.course.sections import find_regions

REPOSITORY = Path(__file__).resolve().parent.parent
SLUG = "03_fused_muladd"

_TEXT = (Path(__file__).parent / "synthetic_class.txt").read_text()
_SECTIONS = dict(part.split("\n", 1) for part in _TEXT.split("\n== ")[1:])
_STEMS = [
    "i",
    "idx",
    "index",
    "tid",
    "g",
    "val",
    "res",
    "tmp",
    "cur",
    "dy",
    "grad",
    "need",
    "ptr",
    "num",
    "k",
]
_OWN_NAME = re.compile(rf"\b(?:{'|'.join(_STEMS)})_\d+\b")
_CHOICE = re.compile("‹([^‹›]*)›")


def exercise() -> Exercise:
    return Catalog.open(REPOSITORY).find(SLUG)


def author(number: int, *, but: str = "") -> dict[str, str]:
    """What author ``number`` hands in, the same for the same number; section ``but`` is somebody else's."""
    found = exercise()
    files = {}
    for name in found.edit:
        text = (found.solution_dir / name).read_text()
        lines = text.splitlines()
        for region in reversed(find_regions(text, name)):
            body = lines[region.start : region.end - 1]
            if region.name in _SECTIONS:
                whose = f"{number} {region.name}" + (" again" if region.name == but else "")
                body = _written(_SECTIONS[region.name], random.Random(whose))
            lines[region.start - 1 : region.end] = body
        files[name] = "\n".join(lines) + "\n"
    return files


def copied(number: int) -> dict[str, str]:
    """Author ``number``'s text in a copier's hands: other names and layout, one section rewritten."""
    draw = random.Random(f"copy {number}")
    return {
        name: _disguised(text, name, draw)
        for name, text in author(number, but=draw.choice(sorted(_SECTIONS))).items()
    }


def _disguised(text: str, name: str, draw: random.Random) -> str:
    python = name.endswith(".py")
    for each in sorted(set(_OWN_NAME.findall(text))):
        text = re.sub(rf"\b{each}\b", f"my{draw.randrange(10_000)}", text)
    lines = []
    for line in text.splitlines():
        spread = line if python else line.replace(" = ", "  =  ").replace("(", "( ")
        remark = ("  # " if python else "  // ") + f"step {draw.randrange(99)}"
        lines.append(spread + (remark if draw.random() < 0.2 and line.strip() else ""))
    return "\n".join(lines) + "\n"


def _written(section: str, draw: random.Random) -> list[str]:
    names: dict[str, str] = {}

    def named(match: re.Match[str]) -> str:
        return names.setdefault(match[1], f"{draw.choice(_STEMS)}_{draw.randrange(100)}")

    lines = []
    for line in section.strip().splitlines():
        while _CHOICE.search(line):
            line = _CHOICE.sub(lambda match: draw.choice(match[1].split("¦")), line)
        lines.append(re.sub(r"\$(\w+)", named, line))
    return lines
