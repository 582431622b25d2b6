"""Pictures of lesson 18: who is active in a loop whose lanes leave one by one, and what fits on a multiprocessor."""

from __future__ import annotations

from cusimt.profile.occupancy import known_devices, occupancy
from diagram import Diagram

_LENGTHS = (3, 13, 2, 6)  # of the rows, one for each lane of a warp
_LAUNCHES = (  # what is drawn: threads of a block, registers (or None), bytes of shared memory
    ("smooth, before", 128, None, 48 * 1024),
    ("smooth, after", 128, None, 544),
    ("scale, before", 32, None, 0),
    ("scale, after", 256, None, 0),
    ("256 threads, 44 registers", 256, 44, 0),
    ("256 threads, 40 registers", 256, 40, 0),
)


_LIMIT = {"blocks": "slots", "warps": "warps", "registers": "registers", "shared memory": "shared memory"}


def lanes_in_a_loop() -> Diagram:
    """18: rounds of a warp, one row for each lane and one row for all lanes."""
    lanes, cell, row, left, top = len(_LENGTHS), 44, 21, 100, 58
    alone = [[round < length for length in _LENGTHS] for round in range(max(_LENGTHS))]
    shared = [
        [first + lane < length for lane in range(lanes)]
        for length in _LENGTHS
        for first in range(0, length, lanes)
    ]
    work = sum(_LENGTHS)
    canvas = Diagram(
        "lanes-in-a-loop", 560, top + len(alone) * row + 40, "Four rows of different lengths, added up in two ways",
        f"A warp of four lanes, instead of 32; rows of {', '.join(map(str, _LENGTHS))} elements. On the left each "
        f"lane has a row: the warp makes {len(alone)} rounds, as many as the longest row has elements, and {work} of "
        f"{len(alone) * lanes} places are active. On the right all lanes share a row and take the next one "
        f"together: {len(shared)} rounds, {work} of {len(shared) * lanes} places. Idle are only lanes past the end "
        "of a row.",
    )  # fmt: skip
    for number, (title, active) in enumerate((("a row for each lane", alone), ("a row for the warp", shared))):
        x = left + number * (lanes * cell + 96)
        canvas.text(x + lanes * cell / 2, 20, title, "middle strong")
        for lane in range(lanes):
            canvas.text(x + (lane + 0.5) * cell, 48, f"lane {lane}", "middle tiny")
        for round, taking_part in enumerate(active):
            y = top + round * row
            canvas.text(x - 8, y + 13, f"round {round}", "end tiny")
            for lane, takes_part in enumerate(taking_part):
                canvas.box(x + lane * cell, y, cell - 4, row - 4, "", "c" if takes_part else "box")
    canvas.text(left, top + len(alone) * row + 26, "Coloured: the lane reads an element. The others wait.", "small")
    return canvas


def warps_that_fit() -> Diagram:
    """18: the warps of several launches on one multiprocessor of an H200."""
    device = known_devices()["h200"]
    held = [(name, occupancy(device, threads, registers, shared)) for name, threads, registers, shared in _LAUNCHES]
    said = "; ".join(f"{name}: {each.blocks} blocks, {each.warps} warps, limited by {each.limit}" for name, each in held)
    canvas = Diagram(
        "warps-that-fit", 700, 40 + 34 * len(held) + 30, "What one multiprocessor holds of several launches",
        f"A bar for each launch, of at most {device.warps} warps. {said}.",
    )  # fmt: skip
    left, unit = 196, 4.6
    canvas.text(left, 22, f"warps that one multiprocessor holds, of {device.warps}", "small")
    for row, (name, each) in enumerate(held):
        y = 34 + row * 34
        canvas.text(left - 10, y + 17, name, "end small")
        canvas.box(left, y, device.warps * unit, 26, "", "box")
        canvas.box(left, y, each.warps * unit, 26, str(each.warps), "c")
        canvas.text(left + device.warps * unit + 10, y + 17, f"{each.blocks} blocks; limit: {_LIMIT[each.limit]}", "small")
    canvas.text(left, 34 + len(held) * 34 + 16, "To the right: the blocks, and which limit they reach.", "small")
    return canvas
