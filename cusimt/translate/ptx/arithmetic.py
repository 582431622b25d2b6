"""PTX instructions that compute: arithmetic, bits, comparisons."""

from __future__ import annotations

import re

from cusimt.translate.ptx.instructions import Instruction
from cusimt.translate.ptx.operands import CPP_TYPES, Registers, Unsupported

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
    (rf"(min|max)\.NaN\.{_FLOAT}", r"\1_nan", 2),
    (r"(ex2|tanh)\.approx\.(f32|f16x2|f16|bf16x2|bf16)", r"\1", 1),
    (r"(lg2|sin|cos)\.approx\.(f32)", r"\1", 1),
    (r"(rsqrt)\.approx\.(f32|f64)", r"\1", 1),
    (r"(rcp|sqrt)\.(?:approx|rn)\.(f32|f64)", r"\1", 1),
    (r"(copysign)\.(f32|f64)", r"\1", 2),
    (r"bfi\.(b32|b64)", "bfi", 4),
    (r"(?:shf\.(l|r)\.(clamp|wrap))\.(b32)", r"shf_\1_\2", 3),
    (r"prmt\.(b32)", "prmt", 3),
    (r"lop3\.(b32)", "lop3", 4),
)
_COMPARE = re.compile(
    rf"setp\.(eq|ne|lt|le|gt|ge|lo|ls|hi|hs|equ|neu|ltu|leu|gtu|geu|num|nan)(?:\.(and|or|xor))?\.({_ANY[1:-1]})"
)
BOUNDS = {"sat": "unit_interval", "relu": "not_negative"}  # of floating-point results


def compute(instruction: Instruction, registers: Registers) -> str | None:
    """The C++ statement for an instruction that computes; None for any other."""
    flushes = "ftz" in instruction.opcode
    opcode = ".".join(word for word in instruction.opcode if word != "ftz")
    for rule in (_uniform, _bounded, _widening, _shift, _bits, _comparison, _choice, _move):
        statement = rule(opcode, instruction.operands, registers, flushes)
        if statement:
            return statement
    return None


def _uniform(opcode: str, operands: tuple[str, ...], registers: Registers, flushes: bool) -> str | None:
    found = _uniform_value(opcode, operands, registers, flushes)
    return registers.write(operands[0], found[0]) if found else None


def _uniform_value(
    opcode: str, operands: tuple[str, ...], registers: Registers, flushes: bool
) -> tuple[str, str] | None:
    """The result of an instruction all of whose operands have one type, and this type."""
    for pattern, function, count in _UNIFORM:
        found = re.fullmatch(pattern, opcode)
        if not found or len(operands) != count + 1:
            continue
        type_ = found[found.lastindex or 1]
        values = [registers.read(operand, type_) for operand in operands[1:]]
        if flushes:
            values = [f"::simt::ptx::flushed({value})" for value in values]
        result = f"::simt::ptx::{found.expand(function)}<{CPP_TYPES[type_]}>({', '.join(values)})"
        return (f"::simt::ptx::flushed({result})" if flushes else result), type_
    return None


def _bounded(opcode: str, operands: tuple[str, ...], registers: Registers, flushes: bool) -> str | None:
    """`.sat` and `.relu`, which ptxas takes in front of the type and behind it."""
    words = opcode.split(".")
    bounds = [word for word in words if word in BOUNDS]
    if len(bounds) != 1 or words[0] not in ("add", "sub", "mul", "fma"):
        return None
    rest = ".".join(word for word in words if word not in BOUNDS)
    integers = re.fullmatch(r"(add|sub)\.s32", rest)
    if integers and bounds == ["sat"]:
        first, second = (registers.read(each, "s32") for each in operands[1:])
        return registers.write(operands[0], f"::simt::ptx::{integers[1]}_within_range({first}, {second})")
    found = _uniform_value(rest, operands, registers, flushes)
    if found is None or not re.fullmatch(_FLOAT, found[1]):
        return None
    return registers.write(operands[0], f"::simt::ptx::{BOUNDS[bounds[0]]}({found[0]})")


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
    found = re.fullmatch(r"(bfind|bfind\.shiftamt)\.([us](?:32|64))", opcode)
    if found:
        value = registers.read(operands[1], found[2])
        return registers.write(operands[0], f"::simt::ptx::{found[1].replace('.', '_')}({value})")
    return _dot_product(opcode, operands, registers)


def _dot_product(opcode: str, operands: tuple[str, ...], registers: Registers) -> str | None:
    """`dp4a` of four bytes by four; `dp2a` of two words by the low or the high two bytes."""
    found = re.fullmatch(r"(dp4a|dp2a\.lo|dp2a\.hi)\.(s32|u32)\.(s32|u32)", opcode)
    if not found:
        return None
    first, second = registers.read(operands[1], found[2]), registers.read(operands[2], found[3])
    added = registers.read(operands[3], "u32" if found[2] == found[3] == "u32" else "s32")
    function = f"::simt::ptx::{found[1].replace('.', '_')}"
    return registers.write(operands[0], f"{function}({first}, {second}, {added})")


def _comparison(opcode: str, operands: tuple[str, ...], registers: Registers, _: bool) -> str | None:
    """`setp` into `p`, or into `p|q`, the opposite; `.and` and its kind combine both with a predicate."""
    found = _COMPARE.fullmatch(opcode)
    if not found or len(operands) != 3 + bool(found[2]):
        return None
    first, second = (registers.read(each, found[3]) for each in operands[1:3])
    pieces = [f"const bool simt_compared = ::simt::ptx::compare_{found[1]}({first}, {second});"]
    if found[2]:
        pieces.append(f"const bool simt_other = {_predicate(operands[3], registers)};")
    for sign, target in zip(("", "!"), operands[0].split("|"), strict=False):
        value = f"{sign}simt_compared"
        if found[2]:
            value = f"::simt::ptx::bit_{found[2]}<bool>({value}, simt_other)"
        pieces.append(registers.write(target.strip(), value))
    return f"{{ {' '.join(pieces)} }}"


def _choice(opcode: str, operands: tuple[str, ...], registers: Registers, _: bool) -> str | None:
    found = re.fullmatch(r"selp\.([usb](?:16|32|64)|f32|f64)", opcode)
    if found:
        first, second = (registers.read(each, found[1]) for each in operands[1:3])
        condition = registers.read(operands[3], "pred")
        return registers.write(operands[0], f"({condition} ? {first} : {second})")
    return None


def _predicate(operand: str, registers: Registers) -> str:
    """The value of `p` or `!p`."""
    return ("!" if operand.startswith("!") else "") + registers.read(operand.lstrip("!"), "pred")


def _move(opcode: str, operands: tuple[str, ...], registers: Registers, _: bool) -> str | None:
    found = re.fullmatch(rf"mov\.(?:{_ANY[1:-1]}|pred)", opcode)
    if not found:
        return None
    if len(operands) != 2:
        raise Unsupported(opcode)
    return registers.write(operands[0], registers.read(operands[1], opcode.split(".")[1]))
