"""PTX instructions that touch memory or other threads."""

from __future__ import annotations

import re

from grader.simt.translate.ptx.instructions import Instruction
from grader.simt.translate.ptx.operands import CPP_TYPES, Registers, vector

_SPACE = r"(?:\.(global|shared|shared::cta))?"
_ORDER = r"(?:\.(weak|volatile|relaxed|acquire|release|acq_rel))?(?:\.(?:cta|gpu|sys))?"
_HINTS = r"(?:\.(?:nc|ca|cg|cs|lu|cv|wb|wt|L1::\w+|L2::\w+))*"
_TYPE = r"([usb](?:8|16|32|64)|f32|f64|f16x2|f16|bf16)"
_ACCESS = re.compile(rf"(ld|st){_ORDER}{_SPACE}{_ORDER}{_HINTS}(?:\.(v2|v4))?\.{_TYPE}")
_ATOMIC = re.compile(
    rf"(red|atom){_ORDER}{_SPACE}{_ORDER}\.(add|min|max|and|or|xor|exch|inc|dec|cas)(?:\.noftz)?\.{_TYPE}"
)
_ATOMIC_FUNCTIONS = {"exch": "Exch", "cas": "CAS"}
_COPY = re.compile(r"cp\.async\.(?:ca|cg)\.(?:shared|shared::cta)\.global(?:\.L2::\w+)*")
_SHUFFLE = re.compile(r"shfl\.sync\.(idx|up|down|bfly)\.b32")
_VOTE = re.compile(r"vote\.sync\.(ballot\.b32|any\.pred|all\.pred)")
_REDUCTION = re.compile(r"redux\.sync\.(add|min|max|and|or|xor)\.(u32|s32|b32)")
# Nothing to do, or nothing that could be told from nothing.
_WITHOUT_EFFECT = re.compile(
    r"prefetchu?\.[\w.:]+|griddepcontrol\.(wait|launch_dependents)|pragma|setmaxnreg\.[\w.]+|discard\.[\w.:]+|brkpt"
)
_BARRIER = re.compile(r"(?:bar|barrier)(?:\.cta)?\.(sync|arrive)(?:\.aligned)?")
_CALLS = {
    "bar.warp.sync": "__syncwarp({0});",
    "membar.cta": "__threadfence_block();",
    "membar.gl": "__threadfence();",
    "membar.sys": "__threadfence_system();",
    "cp.async.commit_group": "simt_async_commit();",
    "cp.async.wait_all": "simt_async_commit(); simt_async_wait(0);",
    "cp.async.wait_group": "simt_async_wait({0});",
    "nanosleep.u32": "__nanosleep({0});",
    "trap": "__trap();",
}


def act(instruction: Instruction, registers: Registers) -> str | None:
    """The C++ statement for an instruction that touches memory or threads; None for any other."""
    opcode = ".".join(instruction.opcode)
    for rule in (_call, _access, _atomic, _copy, _lanes):
        statement = rule(opcode, instruction.operands, registers)
        if statement is not None:
            return statement
    return None


def _call(opcode: str, operands: tuple[str, ...], registers: Registers) -> str | None:
    if _WITHOUT_EFFECT.fullmatch(opcode):
        return ";"
    if re.fullmatch(r"fence(\.acq_rel|\.sc)?\.(cta|gpu|sys)", opcode):
        return "__threadfence();"
    found = _BARRIER.fullmatch(opcode)
    if found and len(operands) in (1, 2):
        return _barrier(found[1], operands, registers)
    call = _CALLS.get(opcode)
    if call is None or call.count("{") != len(operands):
        return None
    return call.format(*(registers.read(operand, "u32") for operand in operands))


def _barrier(kind: str, operands: tuple[str, ...], registers: Registers) -> str | None:
    """`bar.sync 0` is __syncthreads(); 16 barriers have numbers, and may be for some of the threads."""
    if kind == "sync" and operands == ("0",):
        return "__syncthreads();"
    if kind == "arrive" and len(operands) == 1:
        return None
    number, threads = (registers.read(each, "u32") for each in (*operands, "0")[:2])
    return f"simt_named_barrier({number}, {threads}, {int(kind == 'sync')});"


def _access(opcode: str, operands: tuple[str, ...], registers: Registers) -> str | None:
    found = _ACCESS.fullmatch(opcode)
    if not found:
        return None
    kind, order, space, order_behind, width, type_ = found.groups()
    order = order or order_behind or "weak"
    count = int(width[1]) if width else 1
    element = CPP_TYPES[type_]
    address = registers.address(operands[1 if kind == "ld" else 0], space or "")
    how = f"{element}, {count}, {str(order != 'weak').lower()}"
    if kind == "ld":
        parts = vector(operands[0])
        takes = " ".join(registers.write(part, f"simt_loaded.part[{i}]") for i, part in enumerate(parts))
        after = " __threadfence();" if order == "acquire" else ""
        return f"{{ auto simt_loaded = ::simt::ptx::load<{how}>({address}); {takes}{after} }}"
    values = ", ".join(registers.read(part, type_) for part in vector(operands[1]))
    before = "__threadfence(); " if order == "release" else ""
    return f"{{ {before}::simt::ptx::store<{how}>({address}, {{{{{values}}}}}); }}"


def _atomic(opcode: str, operands: tuple[str, ...], registers: Registers) -> str | None:
    found = _ATOMIC.fullmatch(opcode)
    if not found:
        return None
    kind, _, space, _, operation, type_ = found.groups()
    type_ = type_.replace("b", "u") if type_[0] == "b" else type_
    if type_ not in ("u32", "s32", "u64", "f32", "f64", "f16x2", "f16") or (type_ == "s64"):
        return None
    first = 1 if kind == "atom" else 0
    function = f"atomic{_ATOMIC_FUNCTIONS.get(operation, operation.capitalize())}"
    pointer = (
        f"::simt::ptx::atomic_pointer<{CPP_TYPES[type_]}>({registers.address(operands[first], space or '')})"
    )
    values = ", ".join(
        f"::simt::ptx::atomic_value({registers.read(each, type_)})" for each in operands[first + 1 :]
    )
    call = f"{function}({pointer}, {values})"
    return registers.write(operands[0], call) if kind == "atom" else f"(void){call};"


def _copy(opcode: str, operands: tuple[str, ...], registers: Registers) -> str | None:
    if not _COPY.fullmatch(opcode) or len(operands) not in (3, 4):
        return None
    to, source = registers.address(operands[0], "shared"), registers.address(operands[1], "global")
    size = registers.read(operands[2], "u32")
    taken = registers.read(operands[3], "u32") if len(operands) == 4 else size
    return f"::simt::ptx::copy({to}, {source}, {size}, {taken});"


def _lanes(opcode: str, operands: tuple[str, ...], registers: Registers) -> str | None:
    found = _SHUFFLE.fullmatch(opcode)
    if found:
        value, lane, clamp, mask = (registers.read(each, "u32") for each in operands[1:])
        got = f"::simt::ptx::shuffle_{found[1]}({mask}, {value}, {lane}, {clamp})"
        return f"{{ auto simt_got = {got}; {_with_predicate(operands[0], 'simt_got', registers)} }}"
    if opcode == "elect.sync":
        got = f"::simt::ptx::elect({registers.read(operands[1], 'u32')})"
        return f"{{ auto simt_got = {got}; {_with_predicate(operands[0], 'simt_got', registers)} }}"
    found = _VOTE.fullmatch(opcode)
    if found:
        name = found[1].split(".")[0]
        predicate, mask = registers.read(operands[1], "pred"), registers.read(operands[2], "u32")
        return registers.write(operands[0], f"__{name}_sync({mask}, {predicate})")
    found = _REDUCTION.fullmatch(opcode)
    if found:
        value, mask = registers.read(operands[1], found[2]), registers.read(operands[2], "u32")
        return registers.write(operands[0], f"__reduce_{found[1]}_sync({mask}, {value})")
    return registers.write(operands[0], "__activemask()") if opcode == "activemask.b32" else None


def _with_predicate(operand: str, result: str, registers: Registers) -> str:
    """`register|predicate`: the value and whether it is one, either of which may be left out."""
    value, _, predicate = operand.partition("|")
    taken = registers.write(value.strip(), f"{result}.value")
    return f"{taken} {registers.write(predicate.strip(), f'{result}.within')}" if predicate else taken
