"""The picture of 23: where each file comes from, from the sources to an installed package."""

from __future__ import annotations

from diagram import Diagram

_SOURCES = (
    ("pyproject.toml", "a"), ("setup.py", "a"), ("csrc/binding.cpp", "b"), ("csrc/kernel.cu", "b"),
    ("csrc/launchers.h", "b"), ("fused_muladd/__init__.py", "c"), ("fused_muladd/ops.py", "c"),
)  # fmt: skip
_WHEEL = (
    ("dist-info/METADATA", "a"), ("dist-info/WHEEL, RECORD", "a"), ("fused_muladd/_C….so", "b"),
    ("fused_muladd/__init__.py", "c"), ("fused_muladd/ops.py", "c"),
)  # fmt: skip
_GPUS = (
    ("sm_75", "Turing"),
    ("sm_80", "Ampere, Ada"),
    ("sm_90", "Hopper"),
    ("compute_90", "PTX: later ones"),
)
_ROW, _BOX = 34, 28


def wheel() -> Diagram:
    """23: the source tree, the wheel, and the folder that it is installed into."""
    canvas = Diagram(
        "wheel", 760, 320, "From a source tree through a wheel to an installed package",
        "On the left, the source tree: pyproject.toml and setup.py, three files in csrc, two in fused_muladd. "
        "In the middle, the wheel: metadata from pyproject.toml and setup.py, one library that nvcc and the "
        "C++ compiler make from the files in csrc, and copies of the two Python files. On the right, what the "
        "library contains: machine code sm_75 for Turing, sm_80 for Ampere and Ada, sm_90 for Hopper, and "
        "compute_90, PTX for later GPUs. pip unpacks the wheel into site-packages and compiles nothing.",
    )  # fmt: skip
    canvas.text(10, 20, "source tree", "strong")
    canvas.text(290, 20, "wheel, a zip archive", "strong")
    canvas.text(570, 20, "in the library", "strong")
    sources = _column(canvas, 10, 200, _SOURCES)
    wheel = _column(canvas, 290, 200, _WHEEL)
    for index, (row, _) in enumerate(zip(sources, _SOURCES, strict=True)):
        target = wheel[0] if index < 2 else wheel[2] if index < 5 else wheel[index - 2]
        canvas.arrow([(213, row), (287, target)])
    canvas.text(222, 104, "nvcc, c++", "small b")
    for row, (code, gpus) in enumerate(_GPUS):
        y = 32 + row * _ROW
        canvas.box(570, y, 90, _BOX, code, "b", mono=True)
        canvas.text(668, y + 18, gpus, "small")
        canvas.line([(493, wheel[2]), (567, y + _BOX / 2)], "line dashed")
    canvas.arrow([(390, wheel[-1] + 20), (390, 258)])
    canvas.text(398, 240, "pip install: unpack, compile nothing", "small")
    canvas.box(290, 262, 200, 34, "site-packages")
    canvas.text(500, 283, "no compiler, no sources, no CUDA toolkit", "small")
    return canvas


def _column(canvas: Diagram, x: float, width: float, files: tuple[tuple[str, str], ...]) -> list[float]:
    """Boxes one below the other; returns the heights of their middles."""
    middles = []
    for row, (name, kind) in enumerate(files):
        y = 32 + row * _ROW
        canvas.box(x, y, width, _BOX, name, kind, mono=True)
        middles.append(y + _BOX / 2)
    return middles
