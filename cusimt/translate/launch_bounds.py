"""Repeat `__launch_bounds__` in the body of its kernel, where template arguments have values.

    __global__ void __launch_bounds__(N) k(float* x) {

gets `SIMT_LAUNCH_BOUNDS(N)` behind the brace; in front of the name the macro stays, and means nothing. Left
alone: bounds that another condition of the preprocessor decides than the one around the body.
"""

from __future__ import annotations

from cusimt.translate.expressions import declaration_head, spelled
from cusimt.translate.passages import Passage
from cusimt.translate.rewrite import Rewrite


def rewrite_launch_bounds(passage: Passage, rewrite: Rewrite) -> None:
    for brace, index in _bounds_of_bodies(passage).items():
        if passage.is_uncertain(brace) == passage.is_uncertain(index):
            bounds = spelled(passage, index + 1, passage.skip(index + 1))
            rewrite.insert(passage.tokens[brace].end, f" SIMT_LAUNCH_BOUNDS{bounds}")


def _bounds_of_bodies(passage: Passage) -> dict[int, int]:
    """The index of the brace that opens a kernel's body to that of its only `__launch_bounds__`."""
    found: dict[int, list[int]] = {}
    for index in passage.positions("__launch_bounds__"):
        head = list(declaration_head(passage, index))
        if passage.text(index + 1) == "(" and passage.text(head[-1]) == "{":
            found.setdefault(head[-1], []).append(index)
    return {brace: indices[0] for brace, indices in found.items() if len(indices) == 1}
