"""Pictures of lesson 16: the running maximum and sum of a row, and the rounds in which a whole warp gets a result."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import warp_rounds
from warp_rounds import LANES, middle

from diagram import Diagram

ROW = (1.0, 3.0, 2.0, -1.0, 4.0, 2.0)  # the elements of the example in the lesson


@dataclass(frozen=True)
class Step:
    """One element taken in: the maximum then, the factor for the old sum, the new term, the sum then."""

    maximum: float
    factor: float
    term: float
    total: float


def recurrence(row: Sequence[float]) -> list[Step]:
    """The online recurrence, as online.cu of docs/samples/softmaxes computes it."""
    maximum, total, steps = -3.4e38, 0.0, []
    for element in row:
        larger = max(maximum, element)
        factor, term = math.exp(maximum - larger), math.exp(element - larger)
        maximum, total = larger, total * factor + term
        steps.append(Step(maximum, factor, term, total))
    return steps


def running_max_and_sum() -> Diagram:
    """16: a row, element by element: each new maximum rescales the sum of the earlier elements."""
    left, cell, unit, zero, top = 130, 84, 18, 116, 164
    steps = recurrence(ROW)
    last = steps[-1]
    elements = ", ".join(f"{each:g}" for each in ROW)
    canvas = Diagram(
        "running-max-and-sum", left + len(ROW) * cell + 10, top + 4 * 34 + 4,
        "The running maximum and sum of a row of six elements",
        f"The elements are {elements}. Bars show them, and a line above the bars the largest so far. For each "
        "element a column gives the maximum so far, the factor by which the old sum is multiplied, the new "
        "term, and the sum. Where the maximum rises, the factor is less than 1; elsewhere it is 1. "
        f"At the end the maximum is {last.maximum:g} and the sum {last.total:.3f}.",
    )  # fmt: skip
    labels = ("maximum m", "old sum times", "new term", "sum")
    for number, label in enumerate(labels):
        canvas.text(14, top + number * 34 + 17, label, "strong" if number in (0, 3) else "")
    canvas.text(14, zero - 4 * unit - 4, "largest so far", "a")
    canvas.text(14, zero + 4, "element x", "d")
    for index, (element, step) in enumerate(zip(ROW, steps, strict=True)):
        x, rises = left + index * cell, index > 0 and step.factor < 1
        upper, lower = zero - max(element, 0) * unit, zero - min(element, 0) * unit
        canvas.box(x + 20, upper, cell - 44, lower - upper, "", "d")
        canvas.text(x + cell / 2 - 2, lower + 15, f"{element:g}", "middle mono small")
        canvas.line([(x, zero), (x + cell - 4, zero)])
        y = zero - step.maximum * unit
        canvas.line([(x + 4, y - 4), (x + cell - 8, y - 4)], "curve a")
        rows = (f"{step.maximum:g}", f"{step.factor:.3f}", f"{step.term:.3f}", f"{step.total:.3f}")
        kinds = ("a", "b" if rises or index == 0 else "box", "box", "c")
        for number, (value, kind) in enumerate(zip(rows, kinds, strict=True)):
            canvas.box(x, top + number * 34, cell - 4, 26, value, kind, mono=True)
    return canvas


def butterfly() -> Diagram:
    """16: what the lanes hold after each round of __shfl_xor_sync: all have everything in the end."""
    canvas = warp_rounds.canvas(
        "butterfly",
        "All lanes of a warp get the merged value in three rounds of exchanges",
        "Eight lanes, instead of 32, hold one value each. At distance 4, lanes 0 and 4 exchange and merge their "
        "values, and so do 1 and 5, 2 and 6, 3 and 7: both lanes of a pair then hold the same value, of two "
        "elements. After a round at distance 2, four lanes each hold the same. After the round at distance 1, "
        "every lane holds the value of all eight.",
    )
    held = [{lane} for lane in range(LANES)]
    for distance, above, y in warp_rounds.rounds(canvas):
        held = [held[lane] | held[lane ^ distance] for lane in range(LANES)]
        for lane in range(LANES):
            canvas.arrow([(middle(lane ^ distance), above), (middle(lane), y - 2)])
            kind = "c" if len(held[lane]) == LANES else "box"
            warp_rounds.box(canvas, lane, y, str(len(held[lane])), kind)
    warp_rounds.legend(canvas, "A number counts the values that a lane has merged.")
    return canvas
