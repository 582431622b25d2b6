"""The roofline of an H200 and where the course's operations are on it, from their specs' byte and FLOP models."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from grader.course.catalog import Catalog, Exercise
from diagram import Diagram
from grader.specification import TensorSpec, load_spec

COURSE = Path(__file__).resolve().parent.parent.parent
BANDWIDTH = 4.8e12  # bytes/s: NVIDIA, "H200 Tensor Core GPU" data sheet (SXM)
ARITHMETIC = 67e12  # float32 operations/s without tensor cores: the same data sheet
RIDGE = ARITHMETIC / BANDWIDTH  # operations per byte above which arithmetic is the limit
SHOWN = ("02", "03", "06", "07", "14", "21")

_LEFT, _TOP, _WIDTH, _HEIGHT = 70, 24, 520, 250  # pixels of the plot
_X, _Y = (-2.0, 4.0), (10.0, 14.5)  # powers of ten: operations per byte, operations per second


@dataclass(frozen=True)
class Point:
    """What one call of an operation needs: the case of its speed check."""

    number: str
    title: str
    shapes: str
    traffic: int  # bytes
    flops: int

    @property
    def intensity(self) -> float:
        return self.flops / self.traffic

    @property
    def seconds_of_memory(self) -> float:
        return self.traffic / BANDWIDTH

    @property
    def seconds_of_arithmetic(self) -> float:
        return self.flops / ARITHMETIC


def point(exercise: Exercise) -> Point:
    spec = load_spec(exercise)
    assert spec.speed is not None and spec.traffic is not None and spec.flops is not None
    values = [_shaped(each) for each in spec.speed.args]
    return Point(
        exercise.slug[:2], exercise.title.partition(",")[0], _shapes(spec.speed.args),
        spec.traffic(*values), spec.flops(*values),
    )  # fmt: skip


def _shapes(arguments: Sequence[Any]) -> str:
    """`1024×1024, 1024×1024` of matrices, `3 vectors of 16,777,216`."""
    shapes = [each.shape for each in arguments if isinstance(each, TensorSpec)]
    if len({*shapes}) == 1 and len(shapes[0]) == 1:
        return f"{len(shapes)} vectors of {shapes[0][0]:,}"
    return ", ".join("×".join(map(str, shape)) for shape in shapes)


def points() -> list[Point]:
    catalog = Catalog.open(COURSE)
    return [point(catalog.find(number)) for number in SHOWN]


def _shaped(argument: Any) -> Any:
    """Something of the argument's shape and dtype, without memory."""
    if not isinstance(argument, TensorSpec):
        return argument
    return torch.empty(argument.shape, dtype=getattr(torch, argument.dtype), device="meta")


def picture() -> Diagram:
    """Both axes are logarithmic."""
    shown = points()
    listed = "; ".join(f"{each.number} {each.title} {each.intensity:.2g}" for each in shown)
    canvas = Diagram(
        "roofline", _LEFT + _WIDTH + 30, _TOP + _HEIGHT + 62, "The roofline of an H200, float32",
        f"Operations per second against operations per byte. The roof rises with the bandwidth of memory, "
        f"{BANDWIDTH / 1e12:g} TB/s, up to {RIDGE:.0f} operations per byte, and is flat beyond that, at "
        f"{ARITHMETIC / 1e12:g} TFLOP/s. Operations per byte of the exercises: {listed}.",
    )  # fmt: skip
    _axes(canvas)
    canvas.line([_place(10 ** _X[0], 10 ** _X[0] * BANDWIDTH), _place(RIDGE, ARITHMETIC)], "curve a")
    canvas.line([_place(RIDGE, ARITHMETIC), _place(10 ** _X[1], ARITHMETIC)], "curve b")
    x, y = _place(2.5, 2.5 * BANDWIDTH)
    canvas.text(x - 14, y - 10, f"memory: {BANDWIDTH / 1e12:g} TB/s", "a small end")
    x, y = _place(1500, ARITHMETIC)
    canvas.text(x, y - 8, f"arithmetic: {ARITHMETIC / 1e12:g} TFLOP/s", "b small middle")
    x, y = _place(RIDGE, ARITHMETIC)
    canvas.line([(x, y), (x, _TOP + _HEIGHT)], "line dashed")
    canvas.text(x + 6, _TOP + _HEIGHT - 8, f"{RIDGE:.0f} operations per byte", "small")
    for each in shown:
        _mark(canvas, each)
    return canvas


def _place(intensity: float, speed: float) -> tuple[float, float]:
    across = (math.log10(intensity) - _X[0]) / (_X[1] - _X[0])
    up = (math.log10(speed) - _Y[0]) / (_Y[1] - _Y[0])
    return _LEFT + across * _WIDTH, _TOP + (1 - up) * _HEIGHT


def _axes(canvas: Diagram) -> None:
    left, bottom = _LEFT, _TOP + _HEIGHT
    canvas.line([(left, _TOP), (left, bottom), (left + _WIDTH, bottom)], "axis")
    for power in range(int(_X[0]), int(_X[1]) + 1):
        x, _ = _place(10.0**power, 1e12)
        canvas.line([(x, bottom), (x, bottom + 4)], "axis")
        canvas.text(x, bottom + 18, f"{10.0**power:g}", "middle small")
    for speed, label in ((1e10, "0.01"), (1e11, "0.1"), (1e12, "1"), (1e13, "10"), (1e14, "100")):
        _, y = _place(1, speed)
        canvas.line([(left - 4, y), (left, y)], "axis")
        canvas.text(left - 8, y + 4, label, "end small")
    canvas.text(left + _WIDTH / 2, bottom + 40, "operations per byte of least traffic", "middle small")
    canvas.text(left - 58, _TOP - 8, "TFLOP/s", "small")


def _mark(canvas: Diagram, each: Point) -> None:
    """The most that memory and arithmetic allow, and the operation's number beside it."""
    x, y = _place(each.intensity, min(each.intensity * BANDWIDTH, ARITHMETIC))
    canvas.box(x - 4, y - 4, 8, 8, "", "c")
    canvas.text(x + 7, y + 15, f"{each.number}", "small strong c")
