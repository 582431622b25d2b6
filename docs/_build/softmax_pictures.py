"""Pictures of lesson 16: the running maximum and sum of a row, and the rounds in which a whole warp gets a result."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import warp_rounds
from warp_rounds import LANES, middle

from diagram import Diagram
from steps import step_list

RECORD = Path(__file__).resolve().parent.parent / "samples" / "softmaxes" / "steps.txt"


@dataclass(frozen=True)
class Step:
    """One element taken in: the maximum then, the factor for the old sum, the new term, the sum then."""

    element: float
    maximum: float
    factor: float
    term: float
    total: float


def recurrence() -> list[Step]:
    """What steps.cu of docs/samples/softmaxes printed on the simulated GPU, line by line."""
    lines = RECORD.read_text(encoding="utf-8").splitlines()
    return [Step(*map(float, line.split())) for line in lines]


def running_max_and_sum() -> Diagram:
    """16: a row, element by element: each new maximum rescales the sum of the earlier elements."""
    left, cell, unit, zero, top = 130, 84, 18, 116, 164
    steps = recurrence()
    last = steps[-1]
    elements = ", ".join(f"{each.element:g}" for each in steps)
    canvas = Diagram(
        "running-max-and-sum", left + len(steps) * cell + 10, top + 4 * 34 + 4,
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
    for index, step in enumerate(steps):
        element = step.element
        x, rises = left + index * cell, index > 0 and step.factor < 1
        upper, lower = zero - max(element, 0) * unit, zero - min(element, 0) * unit
        facts = {"begin": index, "end": index + 1}
        canvas.box(x + 20, upper, cell - 44, lower - upper, "", "d", **facts)
        canvas.text(x + cell / 2 - 2, lower + 15, f"{element:g}", "middle mono small")
        canvas.line([(x, zero), (x + cell - 4, zero)])
        y = zero - step.maximum * unit
        canvas.line([(x + 4, y - 4), (x + cell - 8, y - 4)], "curve a")
        rows = (f"{step.maximum:g}", f"{step.factor:.3f}", f"{step.term:.3f}", f"{step.total:.3f}")
        kinds = ("a", "b" if rises or index == 0 else "box", "box", "c")
        for number, (value, kind) in enumerate(zip(rows, kinds, strict=True)):
            canvas.box(x, top + number * 34, cell - 4, 26, value, kind, mono=True, **facts)
    return canvas


def running_steps_in_words() -> str:
    """16: what each element of the row does to the maximum and the sum."""
    steps = recurrence()
    befores = [None, *steps[:-1]]
    return step_list("Element", map(_sentence, steps, befores))


def _sentence(step: Step, before: Step | None) -> str:
    element, total = _signed(step.element), f"{step.total:.3f}"
    if before is None:
        return (
            f"<p>The first element, {element}, is the largest so far. The sum was 0; the new term is "
            f"exp({element} − {element}) = 1.</p>"
        )
    old = _signed(before.maximum)
    if step.maximum > before.maximum:
        return (
            f"<p>{element} is larger than {old}, the largest so far. <strong>The old sum is scaled "
            f"down</strong>: {before.total:.3f} · exp({old} − {element}) = {before.total * step.factor:.3f}. "
            f"The new term is exp({element} − {element}) = 1: the sum is {total}.</p>"
        )
    return (
        f"<p>{element} is not larger than {old}, the largest so far, so the old sum stays. The new term is "
        f"exp({element} − {old}) = {step.term:.3f}: the sum is {total}.</p>"
    )


def _signed(number: float) -> str:
    return f"{number:g}".replace("-", "−")


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
