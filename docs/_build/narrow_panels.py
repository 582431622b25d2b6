"""How a figure is rearranged before it is squeezed: panels that are stacked, or a wide row that is folded once."""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import dataclass, replace

from narrow import LINE, Drawing, Path, Text

GAP = 22  # pixels between panels
KEY = 20  # from a box of a key to its label
_EARLIER = re.compile(r"^\w*\[\d+\]$")  # where a row of memory begins: its second half begins elsewhere
Spans = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Layout:
    """What is special about one figure; all places are those of the wide drawing.

    `panels`: stretches of its width, stacked, the first of them with `arrows` to the next. `fold`: rows that begin at the
    first x and end at the last are cut at the middle one; what is left of them, their labels, is repeated. `at`:
    pairs of an old x and its new one, where not everything gives way alike. `moved`: texts at an x go to another,
    and down.
    """

    panels: Spans = ()
    arrows: int = 0
    fold: tuple[float, float, float] | None = None
    at: Spans = ()
    moved: tuple[tuple[float, float, float], ...] = ()


def stacked(drawing: Drawing, panels: Spans, arrows: int) -> Drawing:
    """The panels one below the other, as wide as the widest, the first `arrows` of them with one to the next.

    What is written across several panels goes below the last.
    """
    widest = max(end - begin for begin, end in panels)
    notes = [text for text in drawing.texts if _crosses(text, panels)]
    drawing.texts = [text for text in drawing.texts if text not in notes]
    result = Drawing(drawing.name, drawing.title, drawing.description, widest, 0, [], [], [])
    for number, (begin, end) in enumerate(panels):
        part = _part(drawing, begin, end, (widest - (end - begin)) / 2)
        top, bottom = _extent(part)
        if 0 < number <= arrows:
            ends = [(widest / 2, result.height - GAP + 3), (widest / 2, result.height - 4)]
            result.paths.append(Path("line", ends, True))
        for box in part.boxes:
            box.y += result.height - top
        for text in part.texts:
            text.y += result.height - top
        for path in part.paths:
            path.points = [(x, y + result.height - top) for x, y in path.points]
        result.boxes += part.boxes
        result.texts += part.texts
        result.paths += part.paths
        result.height += bottom - top + GAP
    for note in notes:
        result.texts.append(replace(note, x=4, y=result.height))
        result.height += LINE
    result.height -= 4 if notes else GAP - 4
    return result


def _crosses(text: Text, panels: Spans) -> bool:
    ends = [end for begin, end in panels if begin <= text.x <= end]
    return bool(ends) and text.left + text.width() > ends[0] + 40 and "middle" not in text.kind


def _part(drawing: Drawing, begin: float, end: float, shift: float) -> Drawing:
    def inside(x: float) -> bool:
        return begin <= x <= end

    part = deepcopy(drawing)
    move = shift - begin
    part.boxes = [box for box in part.boxes if inside(box.x) and inside(box.x + box.width - 3)]
    part.texts = [text for text in part.texts if inside(text.x)]
    part.paths = [path for path in part.paths if all(inside(x) for x, _ in path.points)]
    for box in part.boxes:
        box.x += move
    for text in part.texts:
        text.x += move
    for path in part.paths:
        path.points = [(x + move, y) for x, y in path.points]
    return part


def _extent(drawing: Drawing) -> tuple[float, float]:
    tops = [box.y for box in drawing.boxes] + [text.y - text.size for text in drawing.texts]
    bottoms = [box.y + box.height for box in drawing.boxes] + [text.y + 4 for text in drawing.texts]
    points = [y for path in drawing.paths for _, y in path.points]
    return min([*tops, *points]), max([*bottoms, *points])


def fold(drawing: Drawing, begin: float, middle: float, end: float) -> None:
    """The second half of each row goes below the first half of all rows, beside copies of their labels."""
    labels = [text for text in drawing.texts if text.x < begin and "end" in text.kind.split()]
    boxes = [] if labels else [box for box in drawing.boxes if box.x < begin]
    labels = labels or [text for text in drawing.texts if text.x < begin]
    first = min(text.y for text in labels) - 16
    last = max([text.y + 12 for text in labels] + [box.y + box.height for box in boxes])
    down, left, share = last - first + 8, middle - begin, (middle - begin) / (end - begin)

    def place(x: float, y: float, label: float = 0) -> tuple[float, float]:
        if y > last:  # a key below the rows, whose labels keep their distance from their boxes
            return (begin + (x - label - begin) * share + label if x > begin else x), y + down
        return (x - left, y + down) if y >= first and x >= middle - 2 else (x, y)

    again = [replace(text, y=text.y + down, lines=[_EARLIER.sub("…", text.lines[0])]) for text in labels]
    boxes_again = [replace(box, y=box.y + down, labels=[]) for box in boxes]
    for box in drawing.boxes:
        box.x, box.y = place(box.x, box.y)
    for text in drawing.texts:
        text.x, text.y = place(text.x, text.y, KEY)
    for path in drawing.paths:
        path.points = [place(x, y) for x, y in path.points]
    drawing.texts += again
    drawing.boxes += boxes_again
    drawing.width -= end - middle
    drawing.height += down
