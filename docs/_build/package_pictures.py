"""The pictures of 23 and 24: from the sources to an installed package; what a library asks of torch."""

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


_RELEASES = ("torch 2.11", "torch 2.13", "torch 2.14")
_ASKS = (
    ("TORCH_LIBRARY", "C++ symbols of torch", ("torch::Library::_def(…)", "c10_cuda_check_impl…(…)"), (1,)),
    ("stable ABI", "C functions of torch", ("torch_library_impl", "torch_c10_cuda_check_msg"), (0, 1, 2)),
)


def stable_abi() -> Diagram:
    """24: two libraries, the symbols that they ask for, and the releases of torch that have these."""
    canvas = Diagram(
        "stable_abi", 760, 300, "Which releases of torch two libraries can be loaded with",
        "Two rows. Above, a library with TORCH_LIBRARY asks for C++ symbols of torch, such as "
        "torch::Library::_def and c10::cuda::c10_cuda_check_implementation with all their parameters; only "
        "torch 2.13, with which it was compiled, has all of them, and torch 2.11 and 2.14 say undefined symbol. "
        "Below, a library on the stable ABI asks for C functions, such as torch_library_impl and "
        "torch_c10_cuda_check_msg; torch 2.11, 2.13 and 2.14 have them all.",
    )  # fmt: skip
    canvas.text(10, 20, "library", "strong")
    canvas.text(200, 20, "what it leaves undefined", "strong")
    canvas.text(570, 20, "loads with", "strong")
    for row, (name, kind, symbols, fits) in enumerate(_ASKS):
        top = 36 + row * 136
        canvas.box(10, top + 30, 140, 34, name, "ab"[row])
        canvas.box(200, top, 280, 100, "", "ab"[row])
        canvas.text(214, top + 24, kind, "small")
        for line, symbol in enumerate(symbols):
            canvas.text(214, top + 52 + 24 * line, symbol, "mono")
        canvas.line([(153, top + 47), (197, top + 47)], "line")
        for place, release in enumerate(_RELEASES):
            y = top + place * 36
            canvas.box(570, y, 110, 28, release)
            style = "line" if place in fits else "line dashed"
            canvas.line([(483, top + 50), (567, y + 14)], style)
            canvas.text(690, y + 19, "yes" if place in fits else "no", "small")
    return canvas


def _column(canvas: Diagram, x: float, width: float, files: tuple[tuple[str, str], ...]) -> list[float]:
    """Boxes one below the other; returns the heights of their middles."""
    middles = []
    for row, (name, kind) in enumerate(files):
        y = 32 + row * _ROW
        canvas.box(x, y, width, _BOX, name, kind, mono=True)
        middles.append(y + _BOX / 2)
    return middles
