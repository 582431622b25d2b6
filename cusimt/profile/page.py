"""A profile as one HTML file: the source with its counts beside it, and a picture for each access.

The page stands alone: no script, no font, nothing fetched; light and dark follow the reader's system.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from markupsafe import Markup

from cusimt.counters import LineCounts
from cusimt.counters.canvas import STYLE
from cusimt.counters.pictures import Contents, picture
from cusimt.profile.model import LaunchProfile, Profile, Stage
from cusimt.profile.phrases import (
    NOTHING,
    access,
    barriers,
    configuration,
    counted,
    holds,
    number,
    resources,
    totals,
    transfers,
)
from cusimt.profile.remarks import line_remarks, remarks
from cusimt.support.markup import environment

__all__ = ["page"]

_BEFORE, _AFTER = 12, 3  # lines of source shown around the counted ones
_COLUMNS = ("bytes", "requests", "per request", "ideal", "lanes")


@dataclass(frozen=True)
class Line:
    """A line of source; each of its `accesses` with a name that is unique on the page."""

    number: int
    text: str
    accesses: list[tuple[LineCounts, str]]


def page(profile: Profile) -> str:
    """The whole document."""
    return _TEMPLATES.get_template("page.html").render(profile=profile)


def _facts(launched: LaunchProfile) -> list[str]:
    return [
        configuration(launched),
        resources(launched.needs, launched.counts.launch.shared_bytes),
        holds(launched),
        *([barriers(launched.counts.barriers)] if launched.counts.barriers else []),
    ]


def _listings(launched: LaunchProfile, identity: str) -> Iterator[list[Line]]:
    """Of each file, the source around the counted lines."""
    names = (f"{identity}-{position}" for position in range(len(launched.counts.lines)))
    for file, group in groupby(launched.counts.lines, key=lambda line: line.frame.file):
        lines = list(group)
        accesses: dict[int, list[tuple[LineCounts, str]]] = defaultdict(list)
        for line in lines:
            accesses[line.frame.line].append((line, next(names)))
        yield [
            Line(number, text, accesses.get(number, []))
            for number, text in _source(file, min(accesses), max(accesses), lines)
        ]


def _source(file: str, first: int, last: int, lines: list[LineCounts]) -> list[tuple[int, str]]:
    """Numbered lines around the counted ones; only those themselves where the file cannot be read."""
    try:
        text = Path(file).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return sorted({line.frame.line: line.frame.source for line in lines}.items())
    begin, end = max(1, first - _BEFORE), min(len(text), last + _AFTER)
    return [(number, text[number - 1]) for number in range(begin, end + 1)]


def _cells(line: LineCounts) -> tuple[str, ...]:
    """What stands in the columns."""
    took, ideal, unit = transfers(line)
    requests, lanes = number(line.requests), number(line.active_lanes)
    return str(line.bytes), requests, counted(took, unit), number(ideal), lanes


def _drawn(line: LineCounts, stage: Stage, name: str) -> Markup:
    """The picture of one request."""
    memory = stage.memory(line)
    what = f"{line.frame.where}: {access(line, stage)}"
    contents = Contents(memory.name, memory.itemsize)
    return Markup(picture(line.sample, what, contents, access=line.access, name=name).render())


_TEMPLATES = environment(
    __package__,
    COLUMNS=_COLUMNS, NOTHING=NOTHING, STYLE=Markup(STYLE), access=access, cells=_cells,
    drawn=_drawn, facts=_facts, line_remarks=line_remarks, listings=_listings, remarks=remarks, totals=totals,
)  # fmt: skip
