"""Draws the diagrams of the lessons into ``docs/figures``; with ``--check`` only compares.

Whatever a diagram shows about indices, addresses or values is computed by the kernel's own arithmetic.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import execution
import values
from svg import Canvas

FOLDER = Path(__file__).resolve().parent.parent / "figures"

FIGURES: dict[str, Callable[[], Canvas]] = {
    "grid_index": execution.grid_index,
    "host_device": execution.host_device,
    "strided_view": values.strided_view,
    "autograd_tape": values.autograd_tape,
    "layers": execution.layers,
    "matmul_warp": execution.matmul_warp,
    "bias_columns": values.bias_columns,
    "gelu_curves": values.gelu_curves,
}


def main(check: bool) -> int:
    """Writes every diagram, or with ``check`` returns 1 and names those that differ from the files."""
    stale = []
    for name, draw in FIGURES.items():
        path, text = FOLDER / f"{name}.svg", draw().render()
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            stale.append(path.name)
            if not check:
                path.write_text(text, encoding="utf-8")
    if check and stale:
        print(f"not up to date: {', '.join(stale)}. Run: python docs/_build/figures.py")
    return 1 if check and stale else 0


if __name__ == "__main__":
    raise SystemExit(main("--check" in sys.argv[1:]))
