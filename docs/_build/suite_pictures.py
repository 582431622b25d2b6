"""27: what judges a suite, and why two correct sums differ."""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Sequence
from pathlib import Path

from grader.course.catalog import Catalog
from grader.course.implementations import collection
from diagram import Diagram

COURSE = Path(__file__).resolve().parent.parent.parent
EPS = 2.0**-23  # of float32
TERMS = 1000


def two_juries() -> Diagram:
    """The suite between correct implementations, which it accepts, and wrong ones, which it refuses."""
    known = collection(Catalog.open(COURSE).find("27"))
    correct, kinds = len(known.correct), len(known.kinds)
    canvas = Diagram(
        "two-juries", 660, 250, "A suite between correct and wrong implementations",
        f"In the middle, test_op.py. On the left, {correct} correct implementations, the given one and "
        "others written differently: every test must pass, or the suite demands more than was promised. "
        f"On the right, {len(known.mistakes)} wrong implementations of {kinds} classes: for each of them, at "
        "least one test must fail, or a class of mistakes goes unseen.",
    )  # fmt: skip
    canvas.text(100, 24, f"{correct} correct", "middle strong")
    for number, label in enumerate(("given", "warp per row", "thread per row", "other layout")):
        canvas.box(20, 40 + number * 46, 160, 36, label, "c")
    canvas.text(100, 240, "all tests pass, or: too strict", "middle small")
    canvas.box(250, 88, 160, 72, "test_op.py\nyour suite", "a")
    canvas.text(560, 24, f"{len(known.mistakes)} wrong, of {kinds} classes", "middle strong")
    for number, label in enumerate(("narrow rows", "views", "one gradient", "and more, hidden")):
        canvas.box(480, 40 + number * 46, 160, 36, label, "b")
    canvas.text(560, 240, "one test fails, or: not seen", "middle small")
    canvas.arrow([(250, 124), (186, 124)])
    canvas.arrow([(410, 124), (474, 124)])
    canvas.text(218, 112, "accepts", "middle small")
    canvas.text(442, 112, "kills", "middle small")
    return canvas


def orders_of_a_sum() -> Diagram:
    """The same numbers added up in float32 in several orders, beside the bound that holds for all of them."""
    chance = random.Random(27)
    values = [single(math.exp(chance.uniform(-6, 0))) for _ in range(TERMS)]
    exact = math.fsum(values)
    sums = (
        ("one thread, from left to right", strided(values, 1)),
        ("32 lanes, then pairs", strided(values, 32)),
        ("128 threads, then a tree", strided(values, 128)),
    )
    errors = [(label, (total - exact) / exact / EPS) for label, total in sums]
    widest = 2.0 ** math.ceil(math.log2(max(abs(error) for _, error in errors) + 1))
    left, right, top = 250, 620, 40
    middle, scale = (left + right) / 2, (right - left) / 2 / widest
    different = len({total for _, total in sums})
    listed = "; ".join(f"{label}: {error:+.1f} eps" for label, error in errors)
    canvas = Diagram(
        "orders-of-a-sum", 660, 220, f"{TERMS} numbers added up in float32, in three orders",
        f"Relative errors of three sums of the same {TERMS} numbers, in units of eps = 2^-23. {listed}. All "
        f"are correct: the bound for {TERMS} additions is {TERMS} eps. They are {different} different numbers.",
    )  # fmt: skip
    for number, (label, error) in enumerate(errors):
        y = top + number * 40
        canvas.text(left - 14, y + 5, label, "end")
        canvas.line([(left, y), (right, y)], "line dashed")
        x = middle + error * scale
        canvas.box(x - 4, y - 8, 8, 16, kind="c")
        canvas.text(x, y - 12, f"{error:+.1f} eps", "middle small")
    bottom = top + len(errors) * 40
    canvas.line([(middle, top - 14), (middle, bottom)], "line")
    canvas.text(middle, bottom + 16, "exact", "middle small")
    for edge, sign in ((left, -1), (right, 1)):
        canvas.text(edge, bottom + 16, f"{sign * widest:+.0f} eps", "middle small")
    beyond = f"the tolerance is {TERMS} eps to either side, far beyond this picture"
    canvas.text(middle, bottom + 44, beyond, "middle small")
    return canvas


def strided(values: Sequence[float], workers: int) -> float:
    """The float32 sum: each worker adds what is a stride apart, then halves are added to halves."""
    parts = [0.0] * workers
    for index, value in enumerate(values):
        parts[index % workers] = single(parts[index % workers] + value)
    while len(parts) > 1:
        half = len(parts) // 2
        parts = [single(one + other) for one, other in zip(parts[:half], parts[half:], strict=True)]
    return parts[0]


def single(value: float) -> float:
    """`value` rounded to float32."""
    rounded: float = struct.unpack("f", struct.pack("f", value))[0]
    return rounded
