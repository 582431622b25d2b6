"""PTX instructions of bulk copies: one thread has a box copied, to a barrier object or with its group."""

from __future__ import annotations

import re

from cusimt.translate.ptx.instructions import Instruction
from cusimt.translate.ptx.operands import Registers, Unsupported, vector

_POLICY = "L2::cache_hint"  # its policy is the last operand
_AT_OBJECT = "mbarrier::complete_tx::bytes"
_LOADS = {(to, "global", _AT_OBJECT) for to in ("shared::cluster", "shared::cta")}
_STORE = ("global", "shared::cta", "bulk_group")
_RANK = re.compile(r"[1-5]d")
_BOX = re.compile(r"\[\s*([^,\s]+)\s*,\s*({[^{}]*})\s*\]")
_PREFETCH = re.compile(r"prefetch(\.tensor\.[1-5]d)?\.L2\.global(\.tile)?")


def copy_in_bulk(instruction: Instruction, registers: Registers) -> str | None:
    """The C++ statement for an instruction of bulk copies; None for any other."""
    if instruction.opcode[:3] != ("cp", "async", "bulk"):
        return None
    words = tuple(word for word in instruction.opcode[3:] if word != _POLICY)
    operands = instruction.operands[: -1 if _POLICY in instruction.opcode else None]
    if _PREFETCH.fullmatch(".".join(words)):
        return ";"
    for rule in (_group, _linear, _tensor):
        statement = rule(words, operands, registers)
        if statement:
            return statement
    return None


def _group(words: tuple[str, ...], operands: tuple[str, ...], registers: Registers) -> str | None:
    if words == ("commit_group",):
        return "simt_bulk_commit();"
    if words in {("wait_group",), ("wait_group", "read")}:
        return f"simt_bulk_wait({registers.read(operands[0], 'u32')}, {len(words) - 1});"
    return None


def _linear(words: tuple[str, ...], operands: tuple[str, ...], registers: Registers) -> str | None:
    if words in _LOADS:
        to, source, size, barrier = operands
        arguments = [registers.address(to, "shared"), registers.address(source, "global")]
        arguments += [registers.read(size, "u32"), barrier_object(barrier, registers)]
        return f"simt_bulk_load({', '.join(arguments)});"
    if words == _STORE:
        to, source, size = operands
        arguments = [registers.address(to, "global"), registers.address(source, "shared")]
        return f"simt_bulk_store({', '.join(arguments)}, {registers.read(size, 'u32')});"
    return None


def _tensor(words: tuple[str, ...], operands: tuple[str, ...], registers: Registers) -> str | None:
    """`cp.async.bulk.tensor.2d`: the tensor map and the coordinates are one operand, `[map, {x, y}]`."""
    if words[0] != "tensor" or not _RANK.fullmatch(words[1]):
        return None
    rank, spaces = words[1][0], tuple(word for word in words[2:] if word != "tile")
    if spaces in _LOADS:
        to, box, barrier = operands
        map_, coordinates = _box(box, int(rank), registers)
        given = [registers.address(to, "shared"), map_, "simt_at", rank, barrier_object(barrier, registers)]
        return f"{{ {_coordinates(coordinates)} simt_tensor_load({', '.join(given)}); }}"
    if spaces == _STORE:
        box, source = operands
        map_, coordinates = _box(box, int(rank), registers)
        given = [map_, "simt_at", rank, registers.address(source, "shared")]
        return f"{{ {_coordinates(coordinates)} simt_tensor_store({', '.join(given)}); }}"
    return None


def _coordinates(values: str) -> str:
    return f"const int32_t simt_at[] = {{{values}}};"


def _box(operand: str, rank: int, registers: Registers) -> tuple[str, str]:
    found = _BOX.fullmatch(operand)
    coordinates = [registers.read(each, "s32") for each in vector(found[2])] if found else []
    if not found or len(coordinates) != rank:
        raise Unsupported(operand)
    return registers.address(f"[{found[1]}]", "generic"), ", ".join(coordinates)


def barrier_object(operand: str, registers: Registers) -> str:
    """The barrier object, in shared memory, at which a copy arrives."""
    return f"::simt::ptx::barrier_object({registers.address(operand, 'shared')})"
