"""29: losses of a transformer trained with the attention of the exercise, as they were recorded."""

from __future__ import annotations

import json
import math
from pathlib import Path

from diagram import Diagram

COURSE = Path(__file__).resolve().parent.parent.parent
RECORDED = COURSE / "benchmarks" / "results" / "attention_training.json"
_LEFT, _RIGHT, _TOP, _FLOOR = 56, 620, 48, 288  # pixels: where the axes are
_HIGHEST = 3.0


def loss_curves() -> Diagram:
    """The loss of each step: by PyTorch's attention, by the solution's, and with one mistake."""
    losses = json.loads(RECORDED.read_text(encoding="utf-8"))
    own, reference, mistaken = losses["own"], losses["reference"], losses["mistake"]["losses"]
    last = len(own) - 1
    chance, largest = math.log(16), max(abs(one - other) for one, other in zip(own, reference, strict=True))
    canvas = Diagram(
        "loss-curves", 720, 330, "The loss of each step of the training",
        f"Three curves over {len(own)} steps. With PyTorch's attention the loss begins at {reference[0]:.2f}, is "
        f"{reference[60]:.2f} at step 60, {reference[80]:.2f} at step 80 and {reference[last]:.3f} at the end. The "
        f"curve of the exercise's attention is on top of it: the largest difference is {largest:.1e}. With the "
        f"mistake that delta is left out, the loss is {mistaken[80]:.2f} at step 80 and {mistaken[last]:.2f} at "
        f"the end. Guessing has a loss of {chance:.2f}.",
    )  # fmt: skip

    def place(step: float, loss: float) -> tuple[float, float]:
        across, up = step / last, loss / _HIGHEST
        return _LEFT + across * (_RIGHT - _LEFT), _FLOOR - up * (_FLOOR - _TOP)

    canvas.line([place(0, 0), place(last, 0)], "axis")
    canvas.line([place(0, 0), place(0, _HIGHEST)], "axis")
    canvas.text(_LEFT - 36, _TOP - 22, "loss", "strong")
    for loss in range(int(_HIGHEST) + 1):
        x, y = place(0, loss)
        canvas.line([(x - 4, y), (x, y)], "axis")
        canvas.text(x - 10, y + 4, str(loss), "end small")
    for step in range(0, last + 1, 20):
        x, y = place(step, 0)
        canvas.line([(x, y), (x, y + 4)], "axis")
        canvas.text(x, y + 20, str(step), "middle small")
    canvas.text(_RIGHT, _FLOOR + 36, "step", "end small")
    for kind, curve in (("a", reference), ("b dashed", own), ("d", mistaken)):
        canvas.line([place(step, loss) for step, loss in enumerate(curve)], f"curve {kind}")
    x, y = place(last, mistaken[last])
    canvas.text(x + 6, y - 4, "with delta", "small d")
    canvas.text(x + 6, y + 12, "left out", "small d")
    x, y = place(75, 1.45)
    canvas.text(x, y, "PyTorch's attention,", "strong a")
    canvas.text(x, y + 20, "and yours on top, dashed", "strong b")
    return canvas
