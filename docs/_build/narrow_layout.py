"""How `narrow.Drawing` becomes narrow: cut into panels, squeezed, its labels wrapped, and written as SVG again."""

from __future__ import annotations

from copy import deepcopy
from html import escape

from narrow import _EDGE, _LINE, WIDTH, Box, Drawing, Path, Text, claim_labels, wrapped

_GAP = 22  # pixels between panels
_Spans = tuple[tuple[float, float], ...]


def narrowed(svg: str, panels: _Spans = ()) -> str:
    """The narrow layout of a figure, as SVG. `panels` are stretches of its width that go one below the other."""
    drawing = Drawing.read(svg)
    if drawing.width <= WIDTH + 20:
        return ""
    if panels:
        drawing = stacked(drawing, panels)
    claim_labels(drawing)
    squeeze(drawing)
    _fit_boxes(drawing)
    _fit_texts(drawing)
    return render(drawing)


def stacked(drawing: Drawing, panels: _Spans) -> Drawing:
    """The panels one below the other, as wide as the widest. An arrow from one to the next is drawn between."""
    widest = max(end - begin for begin, end in panels)
    result = Drawing(drawing.name, drawing.title, drawing.description, widest, 0, [], [], [])
    for begin, end in panels:
        part = _part(drawing, begin, end, (widest - (end - begin)) / 2)
        top, bottom = _extent(part)
        for box in part.boxes:
            box.y += result.height - top
        for text in part.texts:
            text.y += result.height - top
        for path in part.paths:
            path.points = [(x, y + result.height - top) for x, y in path.points]
        result.boxes += part.boxes
        result.texts += part.texts
        result.paths += part.paths
        result.height += bottom - top + _GAP
    result.height -= _GAP - 4
    return result


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


def squeeze(drawing: Drawing) -> None:
    """Every place moves towards the left in proportion; nothing changes its height."""
    factor = min(1.0, WIDTH / drawing.width)
    drawing.width *= factor
    for box in drawing.boxes:
        box.x, box.width = box.x * factor, box.width * factor
        for label in box.labels:
            label.x *= factor
    for text in drawing.texts:
        text.x *= factor
    for path in drawing.paths:
        path.points = [(x * factor, y) for x, y in path.points]


def _fit_boxes(drawing: Drawing) -> None:
    """Labels wrap in their boxes, from top to bottom; a box grows for them."""
    for box in sorted(drawing.boxes, key=lambda each: each.y):
        if not box.labels:
            continue
        for label in box.labels:
            label.lines = wrapped(label, box.width - 6)
        needed = sum(len(label.lines) for label in box.labels) * _LINE + 6
        alone = len(box.labels) == 1
        if alone and needed > box.height:
            drawing.open_at(box.y + box.height - 1, needed - box.height)
        if alone:
            label = box.labels[0]
            label.y = box.y + box.height / 2 + 0.35 * label.size - (len(label.lines) - 1) / 2 * _LINE
        else:
            _one_below_another(drawing, box)


def _one_below_another(drawing: Drawing, box: Box) -> None:
    for label in sorted(box.labels, key=lambda each: each.y):
        more = (len(label.lines) - 1) * _LINE
        if more:
            drawing.open_at(label.y + 2, more)


def _fit_texts(drawing: Drawing) -> None:
    """Free labels wrap to the room that is theirs, from top to bottom."""
    for text in sorted(drawing.texts, key=lambda each: each.y):
        text.lines = wrapped(text, _room(drawing, text))
        more = (len(text.lines) - 1) * _LINE
        if more:
            drawing.open_at(text.y + 3, more)
        text.x = min(max(text.x, _EDGE + text.x - text.left), drawing.width - _EDGE - (text.left + text.width() - text.x))


def _room(drawing: Drawing, text: Text) -> float:
    """From `text` to what is beside it, or to the edge."""
    low, high = float(_EDGE), drawing.width - _EDGE
    top, bottom = text.y - text.size, text.y + 3
    for box in drawing.boxes:
        if box.holds(text):
            low, high = max(low, box.x + 4), min(high, box.x + box.width - 4)
        elif box.y < bottom and box.y + box.height > top:
            low, high = _beside(text, box.x, box.x + box.width, low, high)
    for other in drawing.texts:
        if other is not text and other.y - other.size < bottom and other.y + _LINE * (len(other.lines) - 1) > top:
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
    return (
        f'<rect class="{box.kind}" x="{box.x:g}" y="{box.y:g}" width="{max(box.width, 1):g}" '
        f'height="{box.height:g}" rx="3"/>'
    )


def _polyline(path: Path, name: str) -> str:
    head = f' marker-end="url(#{name}-head)"' if path.head else ""
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in path.points)
    return f'<polyline class="{path.kind}"{head} points="{points}"/>'


def _label(text: Text) -> list[str]:
    return [
        f'<text class="{text.kind}" x="{text.x:g}" y="{text.y + number * _LINE:g}">{escape(line)}</text>'
        for number, line in enumerate(text.lines)
    ]
