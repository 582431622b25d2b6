"""The canvas of the site's diagrams: that of the simulator's pictures, with lines and arrows.

The site's `course.css` has the colours: besides those of the pictures, `c` and `d`.
"""

from __future__ import annotations

from collections.abc import Sequence

from cusimt.counters.canvas import Canvas

Points = Sequence[tuple[float, float]]


class Diagram(Canvas):
    """A canvas for lines between shapes."""

    def line(self, points: Points, kind: str = "line") -> None:
        self._parts.append(f'<polyline class="{kind}" points="{_coordinates(points)}"/>')

    def arrow(self, points: Points, kind: str = "line") -> None:
        """A polyline with a head at its last point."""
        self._parts.append(
            f'<polyline class="{kind}" marker-end="url(#{self.name}-head)" points="{_coordinates(points)}"/>'
        )

    def _definitions(self) -> Sequence[str]:
        return (
            f'<defs><marker id="{self.name}-head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
            'markerHeight="7" orient="auto"><path class="head" d="M0 0 L8 4 L0 8 z"/></marker></defs>',
        )


def _coordinates(points: Points) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
