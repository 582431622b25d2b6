"""Labels and branches of PTX, which are C++'s: most loops that wait for a barrier object are written so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from cusimt.translate.ptx.instructions import Instruction, Label, Piece
from cusimt.translate.ptx.operands import Registers, Unsupported

_BRANCHES = {("bra",), ("bra", "uni")}


def branch(instruction: Instruction, _: Registers) -> str | None:
    """The C++ statement for `bra`; None for any other instruction."""
    if instruction.opcode not in _BRANCHES:
        return None
    (target,) = instruction.operands
    return f"goto {_name(target)};"


def label(piece: Label) -> str:
    """A label, with a statement for it to stand before."""
    return f"{_name(piece.name)}: ;"


def local_labels(pieces: Sequence[Piece]) -> Iterator[str]:
    """The declaration that lets another `asm` of the function have the same labels; none without labels.

    Raises Unsupported where two labels have one name, which PTX allows in scopes of their own, or where a
    branch leads out of the statement.
    """
    counts = Counter(piece.name for piece in pieces if isinstance(piece, Label))
    branches = [each for each in pieces if isinstance(each, Instruction) and each.opcode[0] == "bra"]
    targets = {each.operands[0] for each in branches}
    for name in [*(name for name, count in counts.items() if count > 1), *sorted(targets - set(counts))]:
        raise Unsupported(f"label {name}")
    if counts:
        yield f"__label__ {', '.join(map(_name, counts))};"


def _name(target: str) -> str:
    return "simt_to_" + target.replace("$", "_d_").replace("%", "_p_")
