"""Pictures of lesson 18: who is active in a loop whose lanes leave one by one, and what fits on a multiprocessor."""

from __future__ import annotations

from cusimt.profile.occupancy import known_devices, occupancy
from diagram import Diagram

_LENGTHS = (3, 7, 1, 5, 2, 6, 4, 2)  # of the rows; 32 in the exercise
_LAUNCHES = (  # what is drawn: threads of a block, registers (or None), bytes of shared memory
    ("smooth, before", 128, None, 48 * 1024),
    ("smooth, after", 128, None, 544),
    ("scale, before", 32, None, 0),
    ("scale, after", 256, None, 0),
    ("256 threads, 44 registers", 256, 44, 0),
    ("256 threads, 40 registers", 256, 40, 0),
)


def lanes_in_a_loop() -> Diagram:
    """18: rounds of a warp, one row for each lane and one row for all lanes."""
    lanes, cell, left, top = len(_LENGTHS), 30, 86, 62
    each = max(_LENGTHS)  # rounds of a warp whose lanes have a row each
    shared = sum(-(-length // lanes) for length in _LENGTHS)
    work = sum(_LENGTHS)
    canvas = Diagram(
        "lanes-in-a-loop", 700, 350, "Eight rows of different lengths, added up by a warp in two ways",
        f"Eight lanes, instead of 32. On the left each lane has a row: the warp makes {each} rounds, as many as "
        f"the longest row has elements, and {work} of {each * lanes} lanes of these rounds are active. On the "
        f"right all lanes share a row and take the next one together: {shared} rounds, because here every row "
        "fits into one; idle lanes are only those past the end of a row.",
    )  # fmt: skip
    halves = (
        ("a row for each lane", each, [[round < length for length in _LENGTHS] for round in range(each)]),
        ("a row for the warp", shared, [[lane < length for lane in range(lanes)] for length in _LENGTHS]),
    )
    for number, (title, rounds, active) in enumerate(halves):
        x = left + number * (lanes * cell + 90)
        canvas.text(x + lanes * cell / 2, 20, title, "middle strong")
        for lane in range(lanes):
            canvas.text(x + (lane + 0.5) * cell, 50, str(lane), "middle tiny")
        canvas.text(x - 8, 50, "lane", "end tiny")
        for round in range(rounds):
            y = top + round * cell
            canvas.text(x - 8, y + 18, f"round {round}", "end tiny")
            for lane, takes_part in enumerate(active[round]):
                canvas.box(x + lane * cell, y, cell - 3, cell - 5, "", "c" if takes_part else "box")
    canvas.text(left, 338, "Coloured: the lane reads an element. The others wait.", "small")
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
        canvas.text(left + device.warps * unit + 10, y + 17, f"{each.blocks} blocks; {each.limit}", "small")
    canvas.text(left, 34 + len(held) * 34 + 16, "To the right: the blocks, and what a further block lacks.", "small")
    return canvas
