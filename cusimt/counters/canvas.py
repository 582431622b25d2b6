"""A small SVG canvas for pictures of memory requests: boxes, labels and a text alternative.

Colours are class names that a stylesheet defines for the light and the dark scheme: `STYLE` for a standalone
picture or page. A page that detects dark mode by other means combines `SHAPES` with the palettes.
The output has no blank line, because Markdown pages include it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

__all__ = ["DARK", "LIGHT", "SHAPES", "variables"]

# The palette of Okabe and Ito, which stays distinct for colour-blind readers, in two brightnesses.
LIGHT = {
    "ink": "#1d1f27", "line": "#6b7080", "empty": "#f1f2f6", "a": "#0072b2", "b": "#d55e00",
    "wash": "0.16",
}  # fmt: skip
DARK = {
    "ink": "#e6e8f0", "line": "#9aa0b4", "empty": "#2a2d3a", "a": "#56b4e9", "b": "#e69f00",
    "wash": "0.28",
}  # fmt: skip


def variables(palette: Mapping[str, str]) -> str:
    """The declarations of this palette in a rule of a stylesheet."""
    return " ".join(f"--fig-{name}: {value};" for name, value in palette.items())


_KINDS = "".join(
    f".fig .{kind} {{ stroke: var(--fig-{kind}); }} "
    f".fig rect.{kind} {{ fill: var(--fig-{kind}); fill-opacity: var(--fig-wash); stroke-width: 1.5; }} "
    f".fig text.{kind} {{ fill: var(--fig-{kind}); stroke: none; }} "
    for kind in "ab"
)
SHAPES = (
    ".fig text { fill: var(--fig-ink); font: 13px sans-serif; } "
    ".fig text.mono { font-family: monospace; } .fig text.small { font-size: 11px; } "
    ".fig text.tiny { font-size: 9px; } .fig text.middle { text-anchor: middle; } "
    ".fig text.end { text-anchor: end; } .fig text.strong { font-weight: 700; } "
    ".fig .box { stroke: var(--fig-line); fill: var(--fig-empty); stroke-width: 1; } "
    ".fig .dashed { stroke-dasharray: 4 3; } "
    f".fig rect.hollow {{ fill: none; stroke: var(--fig-line); stroke-width: 0.7; }} {_KINDS}"
)
STYLE = (
    f":root {{ {variables(LIGHT)} }} "
    f"@media (prefers-color-scheme: dark) {{ :root {{ {variables(DARK)} }} }} {SHAPES}"
)


class Canvas:
    """`name` makes the ids of the SVG unique on a page; sizes are in pixels."""

    def __init__(self, name: str, width: int, height: int, title: str, description: str) -> None:
        self.name, self.width, self.height = name, width, height
        self.title, self.description = title, description
        self._parts: list[str] = []

    def box(
        self, x: float, y: float, width: float, height: float, label: str = "", kind: str = "box",
        mono: bool = False, **facts: object,
    ) -> None:  # fmt: skip
        """A rectangle with a centred label; `kind` is its class: `box` or a colour.

        `facts` become `data-` attributes, which describe the rectangle to tests and scripts.
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
        """`kind`: classes such as `middle`, `end`, `small`, `mono`, `strong`, `a`."""
        self._parts.append(f'<text class="{kind}" x="{x:g}" y="{y:g}">{escape(label)}</text>')

    def render(self, *, alone: bool = False) -> str:
        """The SVG; `alone` embeds `STYLE`, for a picture outside a page with these colours."""
        return "\n".join(
            [
                '<svg class="fig" xmlns="http://www.w3.org/2000/svg" '
                f'viewBox="0 0 {self.width} {self.height}" role="img" '
                f'aria-labelledby="{self.name}-title {self.name}-text">',
                f'<title id="{self.name}-title">{escape(self.title)}</title>',
                f'<desc id="{self.name}-text">{escape(self.description)}</desc>',
                *([f"<style>{STYLE}</style>"] if alone else []),
                *self._definitions(),
                *self._parts,
                "</svg>",
                "",
            ]
        )

    def _definitions(self) -> Sequence[str]:
        """Elements of SVG that shapes refer to by their id."""
        return ()
