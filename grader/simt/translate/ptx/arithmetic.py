"""PTX instructions that compute: arithmetic, bits, comparisons, conversions."""

from __future__ import annotations

import re

from grader.simt.translate.ptx.instructions import Instruction
from grader.simt.translate.ptx.operands import CPP_TYPES, Registers, Unsupported

_INTEGER = r"([usb](?:16|32|64))"
_FLOAT = r"(f32|f64|f16x2|f16|bf16x2|bf16)"
_ANY = r"([usb](?:16|32|64)|f32|f64|f16x2|f16|bf16x2|bf16)"
# Opcode, C++ function in simt::ptx, number of operands that are read. The last group is the type of all.
_UNIFORM: tuple[tuple[str, str, int], ...] = (
    (rf"(add|sub|min|max)\.{_ANY}", r"\1", 2),
    (rf"(add|sub|mul)\.rn\.{_FLOAT}", r"\1", 2),
    (rf"(mul)\.{_FLOAT}", r"\1", 2),
    (rf"mul\.lo\.{_INTEGER}", "mul", 2),
    (rf"(mul)\.(hi)\.{_INTEGER}", r"\1_\2", 2),
    (rf"(div|rem)\.{_INTEGER}", r"\1", 2),
    (r"div\.(?:rn|full|approx)\.(f32|f64)", "div", 2),
    (rf"mad\.lo\.{_INTEGER}", "mad", 3),
    (rf"(?:fma\.rn|mad\.rn)\.{_FLOAT}", "fma", 3),
    (r"(and|or|xor)\.(b16|b32|b64|pred)", r"bit_\1", 2),
    (r"(not)\.(b16|b32|b64|pred)", r"bit_\1", 1),
    (rf"(neg|abs)\.{_ANY}", r"\1", 1),
    (r"(brev)\.(b32|b64)", r"\1", 1),
    (r"(ex2|lg2|sin|cos|tanh|rsqrt)\.approx\.(f32)", r"\1", 1),
    (r"(rcp|sqrt)\.(?:approx|rn)\.(f32|f64)", r"\1", 1),
    (r"bfi\.(b32|b64)", "bfi", 4),
    (r"(?:shf\.(l|r)\.(clamp|wrap))\.(b32)", r"shf_\1_\2", 3),
    (r"prmt\.(b32)", "prmt", 3),
    (r"lop3\.(b32)", "lop3", 4),
)
_COMPARE = re.compile(rf"setp\.(eq|ne|lt|le|gt|ge|lo|ls|hi|hs)\.(?:{_ANY[1:-1]})")


def compute(instruction: Instruction, registers: Registers) -> str | None:
    """The C++ statement for an instruction that computes; None for any other."""
    flushes = "ftz" in instruction.opcode
    opcode = ".".join(word for word in instruction.opcode if word != "ftz")
    for rule in (_uniform, _widening, _shift, _bits, _choice, _conversion, _move):
        statement = rule(opcode, instruction.operands, registers, flushes)
        if statement:
            return statement
    return None


def _uniform(opcode: str, operands: tuple[str, ...], registers: Registers, flushes: bool) -> str | None:
    for pattern, function, count in _UNIFORM:
        found = re.fullmatch(pattern, opcode)
        if not found or len(operands) != count + 1:
            continue
        type_ = found[found.lastindex or 1]
        values = [registers.read(operand, type_) for operand in operands[1:]]
        if flushes:
            values = [f"::simt::ptx::flushed({value})" for value in values]
        result = f"::simt::ptx::{found.expand(function)}<{CPP_TYPES[type_]}>({', '.join(values)})"
        return registers.write(operands[0], f"::simt::ptx::flushed({result})" if flushes else result)
    return None


def _widening(opcode: str, operands: tuple[str, ...], registers: Registers, _: bool) -> str | None:
    """`mul.wide.u16`: the product of twice the width."""
    found = re.fullmatch(r"(mul|mad)\.wide\.([us])(16|32)", opcode)
    if not found:
        return None
    wide = f"{found[2]}{int(found[3]) * 2}"
    first, second = (registers.read(each, found[2] + found[3]) for each in operands[1:3])
    product = f"static_cast<{CPP_TYPES[wide]}>({first}) * static_cast<{CPP_TYPES[wide]}>({second})"
    added = f" + {registers.read(operands[3], wide)}" if found[1] == "mad" else ""
    return registers.write(operands[0], f"static_cast<{CPP_TYPES[wide]}>({product}{added})")


def _shift(opcode: str, operands: tuple[str, ...], registers: Registers, _: bool) -> str | None:
    """`shl` and `shr`, whose distance is always 32 bits wide; `bfe`, whose position and length are."""
    found = re.fullmatch(r"(shl|shr)\.([usb](?:16|32|64))|(bfe)\.([us](?:32|64))", opcode)
    if not found:
        return None
    name, type_ = found[1] or found[3], found[2] or found[4]
    distances = ", ".join(registers.read(each, "u32") for each in operands[2:])
    value = registers.read(operands[1], type_)
    return registers.write(operands[0], f"::simt::ptx::{name}<{CPP_TYPES[type_]}>({value}, {distances})")


def _bits(opcode: str, operands: tuple[str, ...], registers: Registers, _: bool) -> str | None:
    """Instructions whose result has another type than their operands."""
    found = re.fullmatch(r"(popc|clz)\.(b32|b64)", opcode)
    if found:
        value = registers.read(operands[1], found[2])
        return registers.write(operands[0], f"::simt::ptx::{found[1]}({value})")
    found = re.fullmatch(r"dp4a\.(s32|u32)\.(s32|u32)", opcode)
    if found and found[1] == found[2]:
        values = ", ".join(registers.read(each, found[1]) for each in operands[1:])
        return registers.write(operands[0], f"__dp4a({values})")
    return None


def _choice(opcode: str, operands: tuple[str, ...], registers: Registers, _: bool) -> str | None:
    found = _COMPARE.fullmatch(opcode)
    if found and len(operands) == 3 and "|" not in operands[0]:
        type_ = opcode.rsplit(".", 1)[1]
        first, second = (registers.read(each, type_) for each in operands[1:])
        return registers.write(operands[0], f"::simt::ptx::compare_{found[1]}({first}, {second})")
    found = re.fullmatch(r"selp\.([usb](?:16|32|64)|f32|f64)", opcode)
    if found:
        first, second = (registers.read(each, found[1]) for each in operands[1:3])
        condition = registers.read(operands[3], "pred")
        return registers.write(operands[0], f"({condition} ? {first} : {second})")
    return None


def _conversion(opcode: str, operands: tuple[str, ...], registers: Registers, _: bool) -> str | None:
    """`cvt`, to and from the types that it joins; `cvta`, which only renames an address."""
    found = re.fullmatch(r"cvta\.(to\.)?(shared|global)\.u(32|64)", opcode)
    if found:
        way = f"{'to' if found[1] else 'from'}_{found[2]}"
        return registers.write(operands[0], f"::simt::ptx::{way}({registers.name(operands[1])})")
    found = re.fullmatch(r"cvt\.(rn|rz)\.(f16x2|bf16x2)\.f32", opcode)
    if found and len(operands) == 3:
        high, low = (registers.read(each, "f32") for each in operands[1:])
        return registers.write(
            operands[0], f"::simt::ptx::pair_{found[1]}<{CPP_TYPES[found[2]]}>({high}, {low})"
        )
    if re.fullmatch(r"cvt\.rna\.tf32\.f32", opcode):
        return registers.write(operands[0], f"::simt::ptx::to_tf32({registers.read(operands[1], 'f32')})")
    found = re.fullmatch(r"cvt(?:\.(rn|rz|rm|rp|rni|rzi|rmi|rpi))?\.(\w+)\.(\w+)", opcode)
    if not found or found[2] not in CPP_TYPES or found[3] not in CPP_TYPES:
        return None
    value = registers.read(operands[1], found[3])
    rounding = found[1] or "exact"
    return registers.write(operands[0], f"::simt::ptx::convert_{rounding}<{CPP_TYPES[found[2]]}>({value})")


def _move(opcode: str, operands: tuple[str, ...], registers: Registers, _: bool) -> str | None:
    found = re.fullmatch(rf"mov\.(?:{_ANY[1:-1]}|pred)", opcode)
    if not found:
        return None
    if len(operands) != 2:
        raise Unsupported(opcode)
    return registers.write(operands[0], registers.read(operands[1], opcode.split(".")[1]))
