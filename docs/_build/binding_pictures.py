"""The chart of docs/bindings.md: which binding. It runs from top to bottom and fits the width of a phone."""

from __future__ import annotations

from diagram import Diagram

WIDTH, STEP = 360, 140
QUESTIONS = (  # the question, and what to take after a yes
    ("Are the data NumPy arrays on the host?", "pybind11 alone", "copies in and out at every call"),
    ("Will you publish one wheel\nfor many versions of torch?", "stable ABI", "torch 2.10 and later"),
    (
        "Is the kernel in a C library already,\nor in Triton or another Python package?",
        "torch.library.custom_op",
        "none of PyTorch's C++ headers",
    ),
    (
        "Must it stay in one graph of torch.compile\nor torch.export, or have C++ callers?",
        "TORCH_LIBRARY",
        "all of ATen, one torch a wheel",
    ),
    ("Are you trying something out?", "load_inline() or load()", "compiled on the first run"),
)
LAST = ("CUDAExtension", "pybind11 functions in a package")


def which_binding() -> Diagram:
    """Five questions; the first yes decides, and the last no leaves functions in a package."""
    asked = " ".join(f"{question} If so: {way}, {how}." for question, way, how in QUESTIONS)
    canvas = Diagram(
        "which-binding", WIDTH, len(QUESTIONS) * STEP + 66, "Which binding for which kernel",
        "Five questions from top to bottom; the first yes decides. "
        f"{asked.replace(chr(10), ' ')} If every answer is no: {LAST[0]}, {LAST[1]}.",
    )  # fmt: skip
    for number, (question, way, how) in enumerate(QUESTIONS):
        top = 4 + number * STEP
        canvas.box(4, top, WIDTH - 8, 50, question)
        canvas.arrow([(36, top + 52), (36, top + STEP - 2)])
        canvas.text(44, top + 112, "no", "strong")
        canvas.arrow([(80, top + 52), (80, top + 89), (110, top + 89)])
        canvas.text(86, top + 82, "yes", "strong")
        canvas.box(114, top + 64, WIDTH - 118, 50, f"{way}\n{how}", "a")
    canvas.box(4, 4 + len(QUESTIONS) * STEP, WIDTH - 8, 56, "\n".join(LAST), "b")
    return canvas
