"""Split PTX text into instructions."""

from __future__ import annotations

import re
from dataclasses import dataclass


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


_REGISTERS = re.compile(r"\.reg\s+\.(\w+)\s+([\w%$,\s]+)")
_INSTRUCTION = re.compile(r"(?:@(!?[\w%$]+)\s+)?([a-zA-Z][\w.:]*)\s*([\s\S]*)")


def parse(text: str) -> list[Instruction | Register] | None:
    """The instructions of an `asm` text, in order; None for labels and directives.

    Braces only bound the life of registers, whose names are told apart by the compiler's own scopes.
    """
    text = re.sub(r"//[^\n]*|/\*[\s\S]*?\*/", " ", text).strip()
    if text.startswith("{") and text.endswith("}"):
        text = text[1:-1]
    parsed: list[Instruction | Register] = []
    for piece in (each.strip() for each in text.split(";")):
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
    return parsed


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
