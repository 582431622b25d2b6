"""Operands of PTX instructions as C++ expressions of `simt/ptx/registers.h`."""

from __future__ import annotations

import re

CPP_TYPES = {
    "pred": "bool",
    "f32": "float",
    "f64": "double",
    "f16": "__half",
    "f16x2": "__half2",
    "bf16": "__nv_bfloat16",
    "bf16x2": "__nv_bfloat162",
    **{f"{kind}{bits}": f"uint{bits}_t" for kind in "ub" for bits in (8, 16, 32, 64)},
    **{f"s{bits}": f"int{bits}_t" for bits in (8, 16, 32, 64)},
}
_REGISTER_TYPES = {
    **CPP_TYPES,
    "f16": "uint16_t",
    "bf16": "uint16_t",
    "f16x2": "uint32_t",
    "bf16x2": "uint32_t",
}
CONSTRAINTS = {"r": "uint32_t", "l": "uint64_t", "h": "uint16_t", "f": "float", "d": "double"}

_SPECIAL = {
    "%laneid": "simt_lane()",
    "%warpid": "simt_linear_thread() / 32",
    "%smid": "::simt::ptx::multiprocessor()",
    "%nsmid": "::simt::ptx::multiprocessors()",
    "%clock": "static_cast<uint32_t>(clock64())",
    "%clock64": "clock64()",
    "%globaltimer": "simt_global_time()",
    "%globaltimer_lo": "static_cast<uint32_t>(simt_global_time())",
    "%globaltimer_hi": "static_cast<uint32_t>(simt_global_time() >> 32)",
    "%lanemask_eq": "(1u << simt_lane())",
    "%lanemask_lt": "((1u << simt_lane()) - 1)",
    "%lanemask_le": "((2u << simt_lane()) - 1)",
    "%lanemask_gt": "~((2u << simt_lane()) - 1)",
    "%lanemask_ge": "~((1u << simt_lane()) - 1)",
    **{f"%tid.{axis}": f"threadIdx.{axis}" for axis in "xyz"},
    **{f"%ctaid.{axis}": f"blockIdx.{axis}" for axis in "xyz"},
    **{f"%ntid.{axis}": f"blockDim.{axis}" for axis in "xyz"},
    **{f"%nctaid.{axis}": f"gridDim.{axis}" for axis in "xyz"},
    # A block that no launch puts into a cluster is one of its own.
    "%cluster_ctarank": "0u",
    "%cluster_nctarank": "1u",
    **{f"%cluster_ctaid.{axis}": "0u" for axis in "xyz"},
    **{f"%cluster_nctaid.{axis}": "1u" for axis in "xyz"},
    **{f"%clusterid.{axis}": f"blockIdx.{axis}" for axis in "xyz"},
    **{f"%nclusterid.{axis}": f"gridDim.{axis}" for axis in "xyz"},
}
_FLOAT = re.compile(r"0[fF]([0-9a-fA-F]{8})|0[dD]([0-9a-fA-F]{16})")
_INTEGER = re.compile(r"-?(0[xX][0-9a-fA-F]+|\d+)U?")
_CONSTANT = re.compile(r"\((?:0[xX][0-9a-fA-F]+|\d+|[\s()&|^~+*-])+")  # as in C: (0xf0 & 0xcc) | 0xaa
_DECIMAL = re.compile(r"-?\d+\.\d*([eE][+-]?\d+)?")


class Unsupported(Exception):
    """This PTX is none of what the backend runs; `str()` names it."""


class Registers:
    """The C++ names of an `asm` statement's operands and registers."""

    def __init__(self, operands: int) -> None:
        self._names = {f"%{number}": f"simt_{number}" for number in range(operands)}
        self._predicates: set[str] = set()

    def declare(self, name: str, type_: str) -> str:
        """A register of the statement's own: its declaration."""
        if type_ not in _REGISTER_TYPES or not re.fullmatch(r"[%$\w]+", name):
            raise Unsupported(f".reg .{type_} {name}")
        self._names[name] = "simt_" + re.sub(r"\W", "_", name)
        if type_ == "pred":
            self._predicates.add(name)
        return f"{_REGISTER_TYPES[type_]} {self._names[name]} = 0;"

    def is_predicate(self, operand: str) -> bool:
        return operand in self._predicates

    def name(self, operand: str) -> str:
        """The variable behind a register."""
        if operand not in self._names:
            raise Unsupported(operand)
        return self._names[operand]

    def read(self, operand: str, type_: str) -> str:
        """The value of an operand as a PTX type, `u32` for example."""
        as_type = f"::simt::ptx::as<{CPP_TYPES[type_]}>"
        if operand.startswith("{"):
            return f"{as_type}(::simt::ptx::packed({', '.join(map(self.name, vector(operand)))}))"
        if operand in _SPECIAL:
            return f"{as_type}({_SPECIAL[operand]})"
        bits = _FLOAT.fullmatch(operand)
        if bits:
            number = f"0x{bits[1]}u" if bits[1] else f"0x{bits[2]}ull"
            return f"{as_type}({number})"
        if _INTEGER.fullmatch(operand):
            return f"::simt::ptx::constant<{CPP_TYPES[type_]}>({operand}ll)".replace("Ull)", "ull)")
        if _CONSTANT.fullmatch(operand):
            return f"::simt::ptx::constant<{CPP_TYPES[type_]}>({operand})"
        if _DECIMAL.fullmatch(operand):
            return f"static_cast<{CPP_TYPES[type_]}>({operand})"
        return f"{as_type}({self.name(operand)})"

    def write(self, operand: str, value: str) -> str:
        """A statement that puts a value into a register, or its parts into several."""
        if operand == "_":
            return f"(void)({value});"
        if operand.startswith("{"):
            parts = ", ".join(map(self.name, vector(operand)))
            return f"::simt::ptx::unpack({value}, {parts});"
        return f"::simt::ptx::put({self.name(operand)}, {value});"

    def address(self, operand: str, space: str) -> str:
        """`[register + offset]` as a pointer to bytes; `space`: shared, or any other (generic)."""
        found = re.fullmatch(r"\[\s*([%$\w]+)\s*(?:\+\s*(-?\w+))?\s*\]", operand)
        if not found:
            raise Unsupported(operand)
        where = "shared" if space.startswith("shared") else "generic"
        return f"::simt::ptx::{where}({self.name(found[1])}, {found[2] or 0})"


def vector(operand: str) -> list[str]:
    """`{a, b}` to its registers."""
    return [each.strip() for each in operand.strip("{}").split(",")]
