"""How a `narrow.Drawing` becomes narrow: rearranged, squeezed, its labels wrapped, and written as SVG again."""

from __future__ import annotations

from html import escape
from itertools import groupby, pairwise

from narrow import EDGE, LINE, SIZES, WIDTH, Box, Drawing, Path, Text, claim_labels, wrapped
from narrow_panels import Layout, fold, stacked


def narrowed(svg: str, layout: Layout | None = None) -> str:
    """The narrow layout of a figure, as SVG; nothing for a figure that is narrow already."""
    drawing, layout = Drawing.read(svg), layout or Layout()
    if drawing.width <= WIDTH + 20:
        return ""
    for old, new, down in layout.moved:
        for text in drawing.texts:
            if text.x == old:
                text.x, text.y = new, text.y + down
    if layout.panels:
        drawing = stacked(drawing, layout.panels, layout.arrows)
    if layout.fold:
        fold(drawing, *layout.fold)
    claim_labels(drawing)
    squeeze(drawing, layout.at or ((0, 0), (drawing.width, WIDTH)))
    _fit_boxes(drawing)
    _fit_texts(drawing)
    _centre_labels(drawing)
    return render(drawing)


def squeeze(drawing: Drawing, at: tuple[tuple[float, float], ...]) -> None:
    """Move every x as `at` says, from old to new, in proportion between two of them; heights stay."""

    def moved(x: float) -> float:
        for (old, new), (next_old, next_new) in pairwise(at):
            if x <= next_old:
                return new + (x - old) * (next_new - new) / (next_old - old)
        return at[-1][1]

    drawing.width = moved(drawing.width)
    for box in drawing.boxes:
        box.x, box.width = moved(box.x), moved(box.x + box.width) - moved(box.x)
        for label in box.labels:
            label.x = box.x + box.width / 2
    for text in drawing.texts:
        text.x = moved(text.x)
    for path in drawing.paths:
        path.points = [(moved(x), y) for x, y in path.points]


def _fit_boxes(drawing: Drawing) -> None:
    """Labels wrap in their boxes, from top to bottom; a box grows for them."""
    for box in sorted(drawing.boxes, key=lambda each: each.y):
        for label in box.labels:
            _shrink(label, box.width - 2)
            label.lines = wrapped(label, box.width - 6)
        needed = sum(len(label.lines) for label in box.labels) * LINE + 6
        if len(box.labels) == 1 and needed > box.height:
            drawing.open_at(box.y + box.height - 1, needed - box.height)
        elif len(box.labels) > 1:
            _one_below_another(drawing, box)


def _shrink(label: Text, room: float) -> None:
    """Smaller letters for a word that is longer than its box is wide."""
    words = [word for line in label.lines for word in line.split()]
    for kind in ("small", "tiny"):
        if any(label.width(word) > room for word in words) and label.size > SIZES[kind]:
            label.kind += f" {kind}"


def _centre_labels(drawing: Drawing) -> None:
    """In the middle of their boxes, which may have grown with others beside them."""
    for box in drawing.boxes:
        if len(box.labels) == 1:
            (label,) = box.labels
            label.y = box.y + box.height / 2 + 0.35 * label.size - (len(label.lines) - 1) / 2 * LINE


def _one_below_another(drawing: Drawing, box: Box) -> None:
    for label in sorted(box.labels, key=lambda each: each.y):
        more = (len(label.lines) - 1) * LINE
        if more:
            drawing.open_at(label.y + 2, more)


def _fit_texts(drawing: Drawing) -> None:
    """Free labels wrap to the room that is theirs, row by row from top to bottom."""
    rows = [
        list(row) for _, row in groupby(sorted(drawing.texts, key=lambda each: each.y), lambda each: each.y)
    ]
    for row in rows:
        for text in row:
            text.lines = wrapped(text, _room(drawing, text))
        more = max(len(text.lines) - 1 for text in row) * LINE
        if more:
            drawing.open_at(row[0].y + 3, more)
        for text in row:
            right = text.left + text.width()
            text.x += max(EDGE - text.left, 0) - max(right - drawing.width + EDGE, 0)


def _room(drawing: Drawing, text: Text) -> float:
    """From `text` to what is beside it, or to the edge."""
    low, high = float(EDGE), drawing.width - EDGE
    top, bottom = text.y - text.size, text.y + 3
    for box in drawing.boxes:
        if box.holds(text):
            low, high = max(low, box.x + 4), min(high, box.x + box.width - 4)
        elif box.y < bottom and box.y + box.height > top:
            low, high = _beside(text, box.x, box.x + box.width, low, high)
    for other in drawing.texts:
        if (
            other is not text
            and other.y - other.size < bottom
            and other.y + LINE * (len(other.lines) - 1) > top
        ):
            low, high = _beside(text, other.left, other.left + other.width(), low, high)
    kinds = text.kind.split()
    if "middle" in kinds:
        return 2 * min(text.x - low, high - text.x)
    return text.x - low if "end" in kinds else high - text.x


def _beside(text: Text, left: float, right: float, low: float, high: float) -> tuple[float, float]:
    if left > text.x:
        return low, min(high, left - 4)
    return (max(low, right + 4), high) if right < text.x else (low, high)


# ---- SVG -------------------------------------------------------------------------------------------------


def render(drawing: Drawing) -> str:
    name = f"{drawing.name}-narrow"
    texts = [*drawing.texts, *(label for box in drawing.boxes for label in box.labels)]
    parts = [
        *(_rect(box) for box in drawing.boxes),
        *(_polyline(path, name) for path in drawing.paths),
        *(line for text in texts for line in _label(text)),
    ]
    return "\n".join(
        [
            f'<svg class="fig narrow" xmlns="http://www.w3.org/2000/svg" '
            f'viewBox="0 0 {drawing.width:g} {drawing.height:g}" role="img" '
            f'aria-labelledby="{name}-title {name}-text">',
            f'<title id="{name}-title">{escape(drawing.title)}</title>',
            f'<desc id="{name}-text">{escape(drawing.description)}</desc>',
            f'<defs><marker id="{name}-head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
            'markerHeight="7" orient="auto"><path class="head" d="M0 0 L8 4 L0 8 z"/></marker></defs>',
            *parts,
            "</svg>",
        ]
    )


def _rect(box: Box) -> str:
    data = "".join(f' {name}="{escape(value)}"' for name, value in box.facts.items())
    return (
        f'<rect class="{box.kind}" x="{box.x:g}" y="{box.y:g}" width="{max(box.width, 1):g}" '
        f'height="{box.height:g}" rx="3"{data}/>'
    )


def _polyline(path: Path, name: str) -> str:
    head = f' marker-end="url(#{name}-head)"' if path.head else ""
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in path.points)
    return f'<polyline class="{path.kind}"{head} points="{points}"/>'


def _label(text: Text) -> list[str]:
    return [
        f'<text class="{text.kind}" x="{text.x:g}" y="{text.y + number * LINE:g}">{escape(line)}</text>'
        for number, line in enumerate(text.lines)
    ]
