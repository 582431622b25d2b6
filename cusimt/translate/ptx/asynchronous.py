"""PTX instructions of barrier objects (`mbarrier`), and the fences of the asynchronous units."""

from __future__ import annotations

import re

from cusimt.translate.ptx.instructions import Instruction
from cusimt.translate.ptx.operands import Registers

_SPACES = {"shared", "shared::cta", "shared::cluster"}  # a block alone is its cluster
_ORDERS = {"relaxed", "acquire", "release"}
_SCOPES = {"cta", "cluster"}
_ARRIVAL = re.compile(r"(arrive|arrive_drop)(\.expect_tx|\.noComplete)?")
_WAIT = re.compile(r"(?:test_wait|try_wait)(\.parity)?")
_COPIES_ARRIVE = re.compile(r"cp\.async\.mbarrier\.arrive(\.noinc)?\.b64")
_FENCE = re.compile(
    r"fence\.(?:mbarrier_init\.release\.cluster|proxy\.(?:alias|async\.global|tensormap::[\w.:]+))"
)
_ASYNC_FENCE = re.compile(r"fence\.proxy\.async(\.shared::(cta|cluster))?")


def wait(instruction: Instruction, registers: Registers) -> str | None:
    """The C++ statement for an instruction of a barrier object, or for a fence; None for any other."""
    opcode, operands = ".".join(instruction.opcode), instruction.operands
    if _ASYNC_FENCE.fullmatch(opcode):
        return "simt_proxy_fence();"
    if _FENCE.fullmatch(opcode):
        return ";"
    words = [word for word in instruction.opcode if word not in _SPACES | _ORDERS | _SCOPES]
    space = next((word for word in instruction.opcode if word in _SPACES), "")
    copies = _COPIES_ARRIVE.fullmatch(".".join(words))
    if copies:
        counted = str(bool(copies[1])).lower()
        return f"::simt::ptx::arrive_with_copies({_object(operands[0], space, registers)}, {counted});"
    if words[0] != "mbarrier":
        return None
    if words[1:] == ["pending_count", "b64"]:
        token = registers.read(operands[1], "u64")
        return registers.write(operands[0], f"::simt::mbarrier::pending_count({token})")
    if words.pop() != "b64":
        return None
    return _operation(".".join(words[1:]), operands, space, registers)


def _operation(name: str, operands: tuple[str, ...], space: str, registers: Registers) -> str | None:
    arrival, waiting = _ARRIVAL.fullmatch(name), _WAIT.fullmatch(name)
    if arrival:
        return _arrival(arrival[1], arrival[2] or "", operands, space, registers)
    if waiting:
        function, type_ = ("parity_has_ended", "u32") if waiting[1] else ("has_ended", "u64")
        phase = registers.read(operands[2], type_)
        asked = f"::simt::mbarrier::{function}({_object(operands[1], space, registers)}, {phase})"
        return registers.write(operands[0], asked)
    function = {
        "init": "simt_phases_begin",
        "inval": "simt_phases_end",
        "expect_tx": "simt_phase_expect",
        "complete_tx": "simt_phase_bring",
    }[name]
    given = [_object(operands[0], space, registers), *(registers.read(each, "u32") for each in operands[1:])]
    return f"{function}({', '.join(given)});"


def _arrival(
    kind: str, variant: str, operands: tuple[str, ...], space: str, registers: Registers
) -> str | None:
    """An arrival; into the `shared::cluster` space it may leave out the token, which it does not have."""
    token, *rest = operands if not operands[0].startswith("[") else ("_", *operands)
    address, count = _object(rest[0], space, registers), [registers.read(each, "u32") for each in rest[1:]]
    drops = int(kind == "arrive_drop")
    if variant == ".expect_tx":
        call = f"::simt::mbarrier::arrive_expecting({address}, 1, {count[0]}, {drops})"
    elif variant == ".noComplete":
        call = f"::simt::mbarrier::arrive_without_end({address}, {count[0]}, {drops})"
    else:
        call = f"::simt::mbarrier::arrive({address}, {count[0] if count else 1}, {drops})"
    return registers.write(token, call)


def _object(operand: str, space: str, registers: Registers) -> str:
    return f"::simt::ptx::barrier_object({registers.address(operand, space)})"
