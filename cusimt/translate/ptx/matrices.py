"""PTX instructions of the tensor cores: ldmatrix and mma.sync."""

from __future__ import annotations

import re

from cusimt.translate.ptx.instructions import Instruction
from cusimt.translate.ptx.operands import CPP_TYPES, Registers, vector

_PRODUCT = re.compile(
    r"mma\.sync\.aligned\.m(\d+)n(\d+)k(\d+)\.row\.col(\.satfinite)?"
    r"\.(f16|f32|f64|s32)\.(f16|bf16|tf32|f64|s8|u8)\.(f16|bf16|tf32|f64|s8|u8)\.(f16|f32|f64|s32)"
)
_SHAPES = {"f16": (8, 16), "bf16": (8, 16), "tf32": (4, 8), "s8": (16, 32), "u8": (16, 32)}
_ELEMENTS = {
    "f16": "__half",
    "bf16": "__nv_bfloat16",
    "tf32": "nvcuda::wmma::precision::tf32",
    "f64": "double",
    "s8": "signed char",
    "u8": "unsigned char",
    "f32": "float",
    "s32": "int",
}
_COUNTS = {"x1", "x2", "x4"}
_OF_8_ROWS = {("f64", 4), ("s8", 16), ("u8", 16)}


def multiply(instruction: Instruction, registers: Registers) -> str | None:
    """The C++ statement for an instruction of the tensor cores; None for any other."""
    opcode, operands = ".".join(instruction.opcode), instruction.operands
    if opcode == "movmatrix.sync.aligned.m8n8.trans.b16":
        return registers.write(operands[0], f"::simt::ptx::transposed({registers.read(operands[1], 'b32')})")
    if instruction.opcode[0] in {"ldmatrix", "stmatrix"}:
        return _matrices(instruction, registers)
    return _product(opcode, operands, registers)


def _matrices(instruction: Instruction, registers: Registers) -> str | None:
    (name, *modifiers), operands = instruction.opcode, instruction.operands
    count = _count(modifiers)
    if not count:
        return None
    template = f"<{count}, {str('trans' in modifiers).lower()}>"
    if name == "stmatrix":
        values = ", ".join(registers.read(part, "b32") for part in vector(operands[1]))
        address = registers.address(operands[0], "shared")
        return f"::simt::ptx::store_matrices{template}({address}, {{{{{values}}}}});"
    takes = " ".join(
        registers.write(part, f"simt_loaded.part[{i}]") for i, part in enumerate(vector(operands[0]))
    )
    address = registers.address(operands[1], "shared")
    return f"{{ auto simt_loaded = ::simt::ptx::load_matrices{template}({address}); {takes} }}"


def _count(modifiers: list[str]) -> int:
    """How many matrices of 8 x 8 halves are meant, 0 if others are. ptxas takes any order of modifiers."""
    counts = _COUNTS.intersection(modifiers)
    space = {"shared", "shared::cta"}.intersection(modifiers)
    others = set(modifiers) - counts - space - {"trans"}
    if len(counts) != 1 or len(space) != 1 or others != {"sync", "aligned", "m8n8", "b16"}:
        return 0
    return int(counts.pop()[1:])


def _product(opcode: str, operands: tuple[str, ...], registers: Registers) -> str | None:
    found = _PRODUCT.fullmatch(opcode)
    if not found:
        return None
    m, n, k = (int(found[i]) for i in (1, 2, 3))
    result, left, right, added = found.groups()[4:]
    if n != 8 or not _is_shape(m, k, left) or (left != right and {left, right} != {"s8", "u8"}):
        return None
    factor = "f64" if left == "f64" else "b32"
    term = "b32" if added == "f16" else added
    sum_type = f"::simt::ptx::word<{_ELEMENTS[result]}>"
    parts = [vector(operand) for operand in operands]
    takes = " ".join(registers.write(part, f"simt_d[{i}]") for i, part in enumerate(parts[0]))
    types = ", ".join(_ELEMENTS[each] for each in (result, left, right, added))
    saturates = str(bool(found[4])).lower()
    return (
        f"{{ {_array('simt_a', factor, parts[1], registers)} {_array('simt_b', factor, parts[2], registers)} "
        f"{_array('simt_c', term, parts[3], registers)} {sum_type} simt_d[{len(parts[0])}]; "
        f"::simt::ptx::multiply<{m}, {n}, {k}, {types}>(simt_d, simt_a, simt_b, simt_c, {saturates}); "
        f"{takes} }}"
    )


def _is_shape(rows: int, depth: int, type_: str) -> bool:
    if rows == 8:
        return (type_, depth) in _OF_8_ROWS
    return rows == 16 and type_ != "f64" and depth in _SHAPES[type_]


def _array(name: str, type_: str, parts: list[str], registers: Registers) -> str:
    values = ", ".join(registers.read(part, type_) for part in parts)
    return f"{CPP_TYPES[type_]} {name}[] = {{{values}}};"
