"""A profile as one HTML file: the source with its counts beside it, and a picture for each access.

The page stands alone: no script, no font, nothing fetched; light and dark follow the reader's system.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from itertools import groupby
from pathlib import Path

from grader.errors import UsageError
from grader.profile.look import LOOK
from grader.profile.model import Launched, Profile, Stage
from grader.profile.remarks import line_remarks, remarks
from grader.profile.words import (
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
from grader.simt.canvas import STYLE
from grader.simt.counters import LineCounts
from grader.simt.pictures import Contents, picture

_BEFORE, _AFTER = 12, 3  # lines of source shown around the counted ones
_COLUMNS = ("bytes", "requests", "per request", "ideal", "lanes")


def write_file(path: Path, text: str) -> None:
    """Write a rendering; raises UsageError where it cannot be written."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"{path} cannot be written: {error.strerror}.",
            "A profile goes into a file whose folder exists.",
            "Choose another place, for example: profile.html",
        ) from None


def page(profile: Profile) -> str:
    """The whole document."""
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>Profile of {escape(profile.title)}</title><style>{STYLE}{LOOK}</style></head><body>",
        f"<h1>Profile of {escape(profile.title)}</h1>",
        *_opening(profile),
        *_remarks(profile),
    ]
    for number_of_stage, stage in enumerate(profile.stages):
        for position, launched in enumerate(stage.launches):
            parts.extend(_launch(launched, stage, f"s{number_of_stage}l{position}"))
        parts.extend(_totals(stage))
    return "\n".join([*parts, "</body></html>", ""])


def _opening(profile: Profile) -> Iterator[str]:
    if profile.call:
        yield f"<p><code>{escape(profile.call)}</code>, case “{escape(profile.case)}”</p>"
    device = profile.device
    yield f'<p class="dim">on {escape(device.name)}, {device.multiprocessors} multiprocessors</p>'


def _remarks(profile: Profile) -> Iterator[str]:
    found = remarks(profile)
    yield "<h2>Remarks</h2>"
    if not found:
        yield f"<p>{NOTHING}</p>"
        return
    yield '<ul class="remarks">'
    yield from (f"<li>{escape(remark.sentence)}</li>" for remark in found)
    yield "</ul>"


def _totals(stage: Stage) -> Iterator[str]:
    yield f"<h2>{escape(stage.name.capitalize() + ' in all' if stage.name else 'In all')}</h2><dl>"
    yield from (f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in totals(stage))
    yield "</dl>"


def _launch(launched: Launched, stage: Stage, identity: str) -> Iterator[str]:
    times = f" × {launched.times}" if launched.times > 1 else ""
    stage_name = f"{stage.name}: " if stage.name else ""
    yield f"<h2>{escape(stage_name)}<code>{escape(launched.name)}</code>{times}</h2>"
    facts = [
        configuration(launched),
        resources(launched.needs, launched.counts.launch.shared_bytes),
        holds(launched),
        *([barriers(launched.counts.barriers)] if launched.counts.barriers else []),
    ]
    yield f'<p class="dim">{"<br>".join(map(escape, facts))}</p>'
    number_of_picture = 0
    for file, group in groupby(launched.counts.lines, key=lambda line: line.frame.file):
        lines = list(group)
        yield '<div class="scroll"><table><thead><tr><th scope="col">line</th><th scope="col">source</th>'
        yield "".join(f'<th scope="col">{name}</th>' for name in _COLUMNS) + "</tr></thead><tbody>"
        yield from _listing(file, lines, launched, stage, f"{identity}f{number_of_picture}")
        yield "</tbody></table></div>"
        number_of_picture += len(lines)


def _listing(
    file: str, lines: list[LineCounts], launched: Launched, stage: Stage, identity: str
) -> Iterator[str]:
    """The source around the counted lines; below each of those its accesses."""
    counted = {number: list(group) for number, group in groupby(lines, key=lambda line: line.frame.line)}
    position = 0
    for line, text in _source(file, min(counted), max(counted), lines):
        kind = ' class="counted"' if line in counted else ""
        yield f'<tr{kind}><td class="line">{line}</td>'
        yield f'<td class="code" colspan="{len(_COLUMNS) + 1}">{escape(text)}</td></tr>'
        for each in counted.get(line, []):
            yield from _access(each, launched, stage, f"{identity}-{position}")
            position += 1


def _source(file: str, first: int, last: int, lines: list[LineCounts]) -> list[tuple[int, str]]:
    """Numbered lines around the counted ones; only those themselves where the file cannot be read."""
    try:
        text = Path(file).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return sorted({line.frame.line: line.frame.source for line in lines}.items())
    begin, end = max(1, first - _BEFORE), min(len(text), last + _AFTER)
    return [(number, text[number - 1]) for number in range(begin, end + 1)]


def _access(line: LineCounts, launched: Launched, stage: Stage, identity: str) -> Iterator[str]:
    took, ideal, unit = transfers(line)
    found = list(line_remarks(line, launched, stage))
    mark = ' class="bad"' if found else ""
    cells = (str(line.bytes), number(line.requests), counted(took, unit), number(ideal),
             number(line.active_lanes))  # fmt: skip
    yield f'<tr{mark}><td></td><td class="what">{"✗ " if found else ""}{escape(access(line, stage))}</td>'
    yield "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
    memory = stage.memory(line)
    what = f"{line.frame.where}: {access(line, stage)}"
    drawn = picture(
        line.sample, what, Contents(memory.name, memory.itemsize), access=line.access, name=identity
    )
    which = "Its worst request" if found else "One request of it"
    where = f"warp {line.sample.warp} of block {line.sample.block}"
    sentences = "".join(f"<p>{escape(remark.sentence)}</p>" for remark in found)
    yield f'<tr><td></td><td class="picture" colspan="{len(_COLUMNS) + 1}">'
    yield f"<details{' open' if found else ''}><summary>{which}: {where}</summary>"
    yield f"{sentences}{drawn.render()}</details></td></tr>"
