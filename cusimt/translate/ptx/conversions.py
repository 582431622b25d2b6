"""PTX instructions that convert: numbers into other types, addresses into other spaces."""

from __future__ import annotations

import re

from cusimt.translate.ptx.arithmetic import BOUNDS
from cusimt.translate.ptx.instructions import Instruction
from cusimt.translate.ptx.operands import CPP_TYPES, Registers

_ROUNDED = r"(rn|rz|rm|rp|rni|rzi|rmi|rpi)"
_KIND_OF_8_BITS = {"e4m3x2": "__NV_E4M3", "e5m2x2": "__NV_E5M2"}


def convert(instruction: Instruction, registers: Registers) -> str | None:
    """The C++ statement for an instruction that converts; None for any other."""
    opcode = ".".join(word for word in instruction.opcode if word != "ftz")
    for rule in (_address, _pair, _number):
        statement = rule(opcode, instruction.operands, registers)
        if statement:
            return statement
    return None


def _address(opcode: str, operands: tuple[str, ...], registers: Registers) -> str | None:
    """`cvta`, which only renames an address; `isspacep`, which asks where it leads."""
    found = re.fullmatch(r"cvta\.(to\.)?(shared|global)\.u(32|64)", opcode)
    if found:
        way = f"{'to' if found[1] else 'from'}_{found[2]}"
        return registers.write(operands[0], f"::simt::ptx::{way}({registers.name(operands[1])})")
    found = re.fullmatch(r"isspacep\.(shared|global)", opcode)
    if found:
        address = f"reinterpret_cast<const void*>({registers.read(operands[1], 'u64')})"
        return registers.write(operands[0], f"__is{found[1].capitalize()}({address}) != 0")
    return None


def _number(opcode: str, operands: tuple[str, ...], registers: Registers) -> str | None:
    """`cvt` between numbers of their own."""
    if re.fullmatch(r"cvt\.rna\.tf32\.f32", opcode):
        return registers.write(operands[0], f"::simt::ptx::to_tf32({registers.read(operands[1], 'f32')})")
    found = re.fullmatch(rf"cvt(?:\.{_ROUNDED})?(?:\.(sat|relu))?\.(\w+)\.(\w+)", opcode)
    if not found or found[3] not in CPP_TYPES or found[4] not in CPP_TYPES:
        return None
    rounding, bound, to, from_ = found.groups()
    value = registers.read(operands[1], from_)
    to_integer, from_integer = (re.match(r"[usb]\d", each) is not None for each in (to, from_))
    if bound == "sat" and to_integer and from_integer:
        return registers.write(operands[0], f"::simt::ptx::within_range<{CPP_TYPES[to]}>({value})")
    if bound and (from_integer or (bound == "relu" and to_integer)):
        return None
    if bound and not to_integer:  # numbers become integers within their range in any case
        value = f"::simt::ptx::{BOUNDS[bound]}({value})"
    function = f"convert_{rounding or 'exact'}<{CPP_TYPES[to]}>"
    return registers.write(operands[0], f"::simt::ptx::{function}({value})")


def _pair(opcode: str, operands: tuple[str, ...], registers: Registers) -> str | None:
    """`cvt` to or from two numbers in one register, the first operand being the high one."""
    found = re.fullmatch(r"cvt\.(rn|rz)(\.relu)?\.(f16x2|bf16x2)\.f32", opcode)
    if found:
        values = _two_floats(operands, registers, bool(found[2]))
        return registers.write(operands[0], f"::simt::ptx::pair_{found[1]}<{CPP_TYPES[found[3]]}>({values})")
    found = re.fullmatch(r"cvt\.rn\.satfinite(\.relu)?\.(e4m3x2|e5m2x2)\.(f32|f16x2)", opcode)
    if found:
        if found[3] == "f32":
            values = _two_floats(operands, registers, bool(found[1]))
        else:
            value = registers.read(operands[1], "f16x2")
            values = f"::simt::ptx::not_negative({value})" if found[1] else value
        return registers.write(operands[0], f"::simt::ptx::to_8_bits<{_KIND_OF_8_BITS[found[2]]}>({values})")
    found = re.fullmatch(r"cvt\.rn(\.relu)?\.f16x2\.(e4m3x2|e5m2x2)", opcode)
    if found:
        pair = f"::simt::ptx::from_8_bits<{_KIND_OF_8_BITS[found[2]]}>({registers.read(operands[1], 'u16')})"
        return registers.write(operands[0], f"::simt::ptx::not_negative({pair})" if found[1] else pair)
    found = re.fullmatch(r"cvt\.pack\.sat\.(s8|u8|s16|u16)\.s32(\.b32)?", opcode)
    if found and len(operands) == 3 + bool(found[2]):
        first, second = (registers.read(each, "s32") for each in operands[1:3])
        above = registers.read(operands[3], "b32") if found[2] else "0u"
        return registers.write(
            operands[0], f"::simt::ptx::pack_within_range<{CPP_TYPES[found[1]]}>({first}, {second}, {above})"
        )
    return None


def _two_floats(operands: tuple[str, ...], registers: Registers, bounded: bool) -> str:
    values = [registers.read(each, "f32") for each in operands[1:3]]
    return ", ".join(f"::simt::ptx::not_negative({each})" if bounded else each for each in values)
