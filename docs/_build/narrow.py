"""A second layout of each figure, for a column as narrow as a phone: text keeps its size, the rest gives way.

A drawing is squeezed to `WIDTH` pixels. Labels wrap to the room that their box or their neighbours leave, and
wherever that takes more lines, everything below moves down. narrow_figures.py says which figures are rearranged first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from xml.etree import ElementTree

WIDTH = 358  # of the text column at 390 pixels
LINE = 15  # pixels from line to line of a label
EDGE = 2  # pixels that stay free on both sides
SIZES = {"tiny": 10, "small": 11}  # of text, in pixels; 13 without such a class
_SVG = "{http://www.w3.org/2000/svg}"


@dataclass
class Text:
    kind: str
    x: float
    y: float
    lines: list[str]

    @property
    def size(self) -> int:
        return min((SIZES.get(each, 13) for each in self.kind.split()), default=13)

    def width(self, label: str | None = None) -> float:
        """An estimate, for a wide typeface."""
        letters = 0.615 if "mono" in self.kind.split() else 0.6 if "strong" in self.kind.split() else 0.56
        return max(len(each) for each in ([label] if label is not None else self.lines)) * letters * self.size

    @property
    def left(self) -> float:
        kinds = self.kind.split()
        share = 0.5 if "middle" in kinds else 1.0 if "end" in kinds else 0.0
        return self.x - share * self.width()


@dataclass
class Box:
    kind: str
    x: float
    y: float
    width: float
    height: float
    labels: list[Text] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)  # its attributes `data-...`

    def holds(self, text: Text) -> bool:
        return self.x <= text.x <= self.x + self.width and self.y < text.y < self.y + self.height + 1

    def encloses(self, other: Box) -> bool:
        return (
            other is not self
            and self.x <= other.x and other.x + other.width <= self.x + self.width
            and self.y <= other.y and other.y + other.height <= self.y + self.height
            and other.width * other.height < self.width * self.height
        )  # fmt: skip


@dataclass
class Path:
    kind: str
    points: list[tuple[float, float]]
    head: bool


@dataclass
class Drawing:
    """The shapes in the SVG of a `diagram.Diagram`."""

    name: str
    title: str
    description: str
    width: float
    height: float
    boxes: list[Box]
    texts: list[Text]  # that are no label of a box
    paths: list[Path]

    @classmethod
    def read(cls, svg: str) -> Drawing:
        root = ElementTree.fromstring(svg)
        width, height = (float(number) for number in root.attrib["viewBox"].split()[2:])
        title, description = root.find(f"{_SVG}title"), root.find(f"{_SVG}desc")
        assert title is not None and description is not None
        boxes = [_box(each.attrib) for each in root.iter(f"{_SVG}rect")]
        texts = [_text(each) for each in root.iter(f"{_SVG}text")]
        paths = [_path(each.attrib) for each in root.iter(f"{_SVG}polyline")]
        name = title.attrib["id"].removesuffix("-title")
        return cls(name, title.text or "", description.text or "", width, height, boxes, texts, paths)

    def open_at(self, y: float, more: float) -> None:
        """Insert `more` pixels of height at `y`: what is below moves, what spans it grows."""
        self.height += more
        for box in self.boxes:
            if box.y >= y:
                box.y += more
            elif box.y + box.height > y:
                box.height += more
        for text in (*self.texts, *(label for box in self.boxes for label in box.labels)):
            if text.y > y:
                text.y += more
        for path in self.paths:
            path.points = [(x, at + more if at > y else at) for x, at in path.points]


def _box(facts: dict[str, str]) -> Box:
    x, y, width, height = (float(facts[name]) for name in ("x", "y", "width", "height"))
    data = {name: value for name, value in facts.items() if name.startswith("data-")}
    return Box(facts["class"], x, y, width, height, facts=data)


def _text(element: ElementTree.Element) -> Text:
    facts = element.attrib
    return Text(facts["class"], float(facts["x"]), float(facts["y"]), [element.text or ""])


def _path(facts: dict[str, str]) -> Path:
    points = [tuple(map(float, point.split(","))) for point in facts["points"].split()]
    return Path(facts["class"], [(x, y) for x, y in points], "marker-end" in facts)


# ---- text ------------------------------------------------------------------------------------------------


def wrapped(text: Text, room: float) -> list[str]:
    """The label in lines that fit `room`, broken at blanks; its own line ends stay."""
    lines = []
    for own in text.lines:
        line = ""
        for word in re.findall(r"\S+\s*", own):
            if line and text.width((line + word).rstrip()) > room:
                lines.append(line.rstrip())
                line = ""
            line += word
        lines.append(line.rstrip())
    return lines


def claim_labels(drawing: Drawing) -> None:
    """Give each box the texts that are centred in it, its label."""
    free = []
    for text in drawing.texts:
        around = [box for box in drawing.boxes if box.holds(text) and "middle" in text.kind.split()]
        around = [box for box in around if not any(box.encloses(other) for other in drawing.boxes)]
        owner = min(around, key=lambda box: box.width * box.height, default=None)
        if owner is not None and abs(owner.x + owner.width / 2 - text.x) < 2:
            owner.labels.append(text)
        else:
            free.append(text)
    for box in drawing.boxes:
        box.labels = _merged(box.labels)
    drawing.texts = free


def _merged(labels: list[Text]) -> list[Text]:
    """Lines of one kind that follow one another at a line's distance are one label."""
    merged: list[Text] = []
    for label in sorted(labels, key=lambda each: each.y):
        last = merged[-1] if merged else None
        if last and last.kind == label.kind and label.y - last.y <= 16 * len(last.lines) + 1:
            last.lines += label.lines
        else:
            merged.append(label)
    return merged
