"""The picture of the home page: the same files, on a GPU or on a CPU, and what the verdict reports."""

from __future__ import annotations

from diagram import Diagram

FILES = ("kernel.cu", "binding.cpp", "op.py")


def two_ways_to_run() -> Diagram:
    """Three files, two ways to run them, one verdict. It is narrow enough for a phone."""
    canvas = Diagram(
        "two-ways-to-run", 370, 330, "The same files run on a GPU or on a CPU",
        f"At the top your files {', '.join(FILES)}. Two arrows lead down: to the left, nvcc and a GPU; to the "
        "right, simt on a CPU, which executes the same threads and checks every access. Both lead to one "
        "verdict on values, gradient, safety and device work. Speed is measured on a GPU only; races and the "
        "stream of each launch are found on simt.",
    )  # fmt: skip
    for column, name in enumerate(FILES):
        canvas.box(5 + column * 122, 24, 116, 38, name, "a", mono=True)
    canvas.text(5, 16, "your files", "strong")
    canvas.arrow([(93, 66), (93, 106)])
    canvas.arrow([(277, 66), (277, 106)])
    canvas.text(103, 90, "nvcc", "mono small")
    canvas.text(287, 90, "g++", "mono small")
    canvas.box(5, 110, 176, 70, "a GPU\nat full speed", "c")
    canvas.box(189, 110, 176, 70, "simt on a CPU\nevery access checked", "c")
    canvas.arrow([(93, 184), (93, 224)])
    canvas.arrow([(277, 184), (277, 224)])
    canvas.text(103, 208, "speed", "small")
    canvas.text(287, 208, "races", "small")
    canvas.box(5, 228, 360, 92, "", "d")
    canvas.text(185, 250, "one verdict", "middle strong")
    canvas.text(185, 272, "values · gradient · safety · device work", "middle")
    canvas.text(185, 294, "the input, the line, the threads", "middle small")
    return canvas
