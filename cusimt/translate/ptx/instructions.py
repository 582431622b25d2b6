"""Split PTX text into instructions."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True)
class Instruction:
    """`@!p ld.global.v2.f32 {a, b}, [c + 4];`: predicate `!p`, opcode words and operands as written."""

    opcode: tuple[str, ...]
    operands: tuple[str, ...]
    predicate: str = ""


@dataclass(frozen=True)
class Register:
    """`.reg .b32 name;`"""

    type: str
    name: str


@dataclass(frozen=True)
class Label:
    """`name:`, to which a `bra` may lead."""

    name: str


class Brace(Enum):
    """Where a scope of registers begins or ends."""

    OPENS = "{"
    CLOSES = "}"


_REGISTERS = re.compile(r"\.reg\s+\.(\w+)\s+([\w%$,\s]+)")
_LABEL = re.compile(r"([\w$%]+)\s*:(?!:)\s*")
_INSTRUCTION = re.compile(r"(?:@(!?[\w%$]+)\s+)?([a-zA-Z][\w.:]*)\s*([\s\S]*)")


Piece = Instruction | Register | Label | Brace


def parse(text: str) -> list[Piece] | None:
    """The instructions of an `asm` text, in order; None for directives other than `.reg`.

    Braces bound the life of registers, as they do in C++.
    """
    text = re.sub(r"//[^\n]*|/\*[\s\S]*?\*/", " ", text)
    parsed: list[Piece] = []
    for piece in (each.strip() for each in text.split(";")):
        piece = _openings(piece, parsed)
        registers = _REGISTERS.fullmatch(piece)
        found = _INSTRUCTION.fullmatch(piece)
        if not piece:
            continue
        if registers:
            parsed += [Register(registers[1], name.strip()) for name in registers[2].split(",")]
        elif found and ":" not in found[2].replace("::", ""):
            opcode = tuple(found[2].split("."))
            parsed.append(Instruction(opcode, _operands(found[3]), found[1] or ""))
        else:
            return None
    return parsed if _are_balanced(each for each in parsed if isinstance(each, Brace)) else None


def _openings(piece: str, parsed: list[Piece]) -> str:
    """Parse the braces and labels before an instruction; returns what follows them."""
    while True:
        label = _LABEL.match(piece)
        if label:
            parsed.append(Label(label[1]))
            piece = piece[label.end() :]
        elif piece.startswith(("{", "}")):
            parsed.append(Brace(piece[0]))
            piece = piece[1:].strip()
        else:
            return piece


def _are_balanced(braces: Iterable[Brace]) -> bool:
    depth = 0
    for brace in braces:
        depth += 1 if brace is Brace.OPENS else -1
        if depth < 0:
            return False
    return depth == 0


def _operands(text: str) -> tuple[str, ...]:
    """Split at commas outside of braces and brackets."""
    operands, depth, start = [], 0, 0
    for at, character in enumerate(text):
        depth += (character in "{[") - (character in "}]")
        if character == "," and depth == 0:
            operands.append(text[start:at].strip())
            start = at + 1
    rest = text[start:].strip()
    return (*operands, rest) if rest else tuple(operands)
