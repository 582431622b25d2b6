"""A small SVG canvas for pictures and diagrams: boxes, labels, arrows, curves, and a text alternative.

Colours are class names (``a`` to ``d``) that a stylesheet defines for the light and the dark scheme: the
site's ``course.css``, or `STYLE` here for a picture or a page that stands alone. A rendering with rules of
its own for what is dark takes `SHAPES` and the two palettes.
The output has no blank line, since it is included into Markdown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

__all__ = ["DARK", "LIGHT", "SHAPES", "variables"]

# The palette of Okabe and Ito, which stays distinct for colour-blind readers, in two brightnesses.
LIGHT = {
    "ink": "#1d1f27", "line": "#6b7080", "empty": "#f1f2f6", "a": "#0072b2", "b": "#d55e00",
    "c": "#007a58", "d": "#a4478a", "wash": "0.16",
}  # fmt: skip
DARK = {
    "ink": "#e6e8f0", "line": "#9aa0b4", "empty": "#2a2d3a", "a": "#56b4e9", "b": "#e69f00",
    "c": "#3fc79c", "d": "#dd9cc7", "wash": "0.28",
}  # fmt: skip


def variables(palette: Mapping[str, str]) -> str:
    """The declarations that give a stylesheet's rule these colours."""
    return " ".join(f"--fig-{name}: {value};" for name, value in palette.items())


_KINDS = "".join(
    f".fig .{kind} {{ stroke: var(--fig-{kind}); }} "
    f".fig rect.{kind} {{ fill: var(--fig-{kind}); fill-opacity: var(--fig-wash); stroke-width: 1.5; }} "
    f".fig text.{kind} {{ fill: var(--fig-{kind}); stroke: none; }} "
    for kind in "abcd"
)
SHAPES = (
    ".fig text { fill: var(--fig-ink); font: 13px sans-serif; } "
    ".fig text.mono { font-family: monospace; } .fig text.small { font-size: 11px; } "
    ".fig text.tiny { font-size: 9px; } .fig text.middle { text-anchor: middle; } "
    ".fig text.end { text-anchor: end; } .fig text.strong { font-weight: 700; } "
    ".fig .box { stroke: var(--fig-line); fill: var(--fig-empty); stroke-width: 1; } "
    ".fig .line { stroke: var(--fig-line); fill: none; stroke-width: 1.5; } "
    ".fig .dashed { stroke-dasharray: 4 3; } .fig .head { fill: var(--fig-line); } "
    f".fig rect.hollow {{ fill: none; stroke: var(--fig-line); stroke-width: 0.7; }} {_KINDS}"
)
STYLE = (
    f":root {{ {variables(LIGHT)} }} "
    f"@media (prefers-color-scheme: dark) {{ :root {{ {variables(DARK)} }} }} {SHAPES}"
)


class Canvas:
    """``name`` makes the ids of the title and description unique on a page; sizes are in pixels."""

    def __init__(self, name: str, width: int, height: int, title: str, description: str) -> None:
        self.name, self.width, self.height = name, width, height
        self.title, self.description = title, description
        self._parts: list[str] = []

    def box(
        self, x: float, y: float, width: float, height: float, label: str = "", kind: str = "box",
        mono: bool = False, **facts: object,
    ) -> None:  # fmt: skip
        """A rectangle with a centred label; ``kind`` is a class: ``box`` or one of ``a`` to ``d``.

        ``facts`` become ``data-`` attributes: what the rectangle stands for.
        """
        data = "".join(f' data-{name}="{escape(str(value))}"' for name, value in facts.items())
        self._parts.append(
            f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="3"{data}/>'
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

    def render(self, *, alone: bool = False) -> str:
        """The SVG; ``alone`` adds `STYLE`, for a picture that no page gives its colours."""
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
                *([f"<style>{STYLE}</style>"] if alone else []),
                head,
                *self._parts,
                "</svg>",
                "",
            ]
        )
