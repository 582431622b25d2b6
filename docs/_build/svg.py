"""A small SVG canvas for the diagrams: boxes, labels, arrows, curves, and a text alternative.

Colours are class names (``a`` to ``d``) that ``stylesheets/course.css`` defines for the light and the dark
scheme; nothing here names a colour. The output has no blank line, since it is included into Markdown.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape


class Canvas:
    """``name`` makes the ids of the title and description unique on a page; sizes are in pixels."""

    def __init__(self, name: str, width: int, height: int, title: str, description: str) -> None:
        self.name, self.width, self.height = name, width, height
        self.title, self.description = title, description
        self._parts: list[str] = []

    def box(
        self, x: float, y: float, width: float, height: float, label: str = "", kind: str = "box",
        mono: bool = False,
    ) -> None:  # fmt: skip
        """A rectangle with a centred label; ``kind`` is a class: ``box`` or one of ``a`` to ``d``."""
        self._parts.append(
            f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="3"/>'
        )
        lines = label.split("\n") if label else []
        for number, line in enumerate(lines):
            offset = (number - (len(lines) - 1) / 2) * 16
            self.text(x + width / 2, y + height / 2 + 4.5 + offset, line, "middle mono" if mono else "middle")

    def text(self, x: float, y: float, label: str, kind: str = "") -> None:
        """``kind``: classes such as ``middle``, ``end``, ``small``, ``mono``, ``strong``, ``a``."""
        self._parts.append(f'<text class="{kind}" x="{x:g}" y="{y:g}">{escape(label)}</text>')

    def line(self, points: Sequence[tuple[float, float]], kind: str = "line") -> None:
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self._parts.append(f'<polyline class="{kind}" points="{path}"/>')

    def arrow(self, points: Sequence[tuple[float, float]], kind: str = "line") -> None:
        """A polyline with a head at its last point."""
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self._parts.append(f'<polyline class="{kind}" marker-end="url(#{self.name}-head)" points="{path}"/>')

    def render(self) -> str:
        head = (
            f'<defs><marker id="{self.name}-head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
            'markerHeight="7" orient="auto"><path class="head" d="M0 0 L8 4 L0 8 z"/></marker></defs>'
        )
        return "\n".join(
            [
                '<svg class="fig" xmlns="http://www.w3.org/2000/svg" '
                f'viewBox="0 0 {self.width} {self.height}" role="img" '
                f'aria-labelledby="{self.name}-title {self.name}-text">',
                f'<title id="{self.name}-title">{escape(self.title)}</title>',
                f'<desc id="{self.name}-text">{escape(self.description)}</desc>',
                head,
                *self._parts,
                "</svg>",
                "",
            ]
        )
