"""Eight lanes of a warp that exchange their values in three rounds, for the pictures of lessons 14 and 16."""

from __future__ import annotations

from collections.abc import Iterator

from diagram import Diagram

LANES = 8  # instead of 32
DISTANCES = (4, 2, 1)
CELL = 62  # of a lane
_LEFT, _LEVEL, _TOP, _HEIGHT = 96, 62, 34, 24


def canvas(name: str, title: str, description: str) -> Diagram:
    """An empty picture with the lanes and the values that they hold at first."""
    width, height = _LEFT + LANES * CELL + 14, _TOP + len(DISTANCES) * _LEVEL + 62
    made = Diagram(name, width, height, title, description)
    for lane in range(LANES):
        made.text(middle(lane), 20, f"lane {lane}", "middle small")
        box(made, lane, _TOP, f"v{lane}", "a")
    return made


def rounds(picture: Diagram) -> Iterator[tuple[int, float, float]]:
    """Names the distance of each round; where the values before it end, and where those after it begin."""
    for depth, distance in enumerate(DISTANCES, 1):
        y = _TOP + depth * _LEVEL
        picture.text(8, y - _LEVEL / 2 + 16, "distance", "small")
        picture.text(68, y - _LEVEL / 2 + 16, str(distance), "mono strong")
        yield distance, y - _LEVEL + _HEIGHT + 2, y


def middle(lane: int) -> float:
    return _LEFT + (lane + 0.5) * CELL


def box(picture: Diagram, lane: int, y: float, value: str, kind: str) -> None:
    """What a lane holds."""
    picture.box(_LEFT + lane * CELL + 4, y, CELL - 8, _HEIGHT, value, kind, mono=True)


def legend(picture: Diagram, text: str) -> None:
    picture.text(_LEFT, _TOP + len(DISTANCES) * _LEVEL + 44, text, "small")
