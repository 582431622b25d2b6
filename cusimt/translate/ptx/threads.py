"""PTX instructions that touch memory or other threads."""

from __future__ import annotations

import re
from dataclasses import dataclass

from cusimt.translate.ptx.instructions import Instruction
from cusimt.translate.ptx.operands import CPP_TYPES, Registers, vector

_ORDERS = {"weak", "volatile", "relaxed", "acquire", "release", "acq_rel"}
_SCOPES = {"cta", "gpu", "sys"}
_SPACES = {"global", "shared", "shared::cta"}
_COUNTS = {"v2": 2, "v4": 4}
_HINT = re.compile(r"nc|ca|cg|cs|lu|cv|wb|wt|noftz|L[12]::\w+")
_POLICY = "L2::cache_hint"  # its policy is the last operand
_CREATES_POLICY = re.compile(r"createpolicy\.[\w.:]+\.b64")
_MEMORY_TYPE = re.compile(r"[usb](?:8|16|32|64)|f32|f64|f16x2|f16|bf16x2|bf16")
_ATOMIC_OPERATIONS = {"add", "min", "max", "and", "or", "xor", "exch", "inc", "dec", "cas"}
_ATOMIC_FUNCTIONS = {"exch": "Exch", "cas": "CAS"}
_ATOMIC_TYPES = {
    "add": {"u32", "s32", "u64", "s64", "f32", "f64", "f16", "f16x2", "bf16", "bf16x2"},
    "min": {"u32", "s32", "u64", "s64"},
    "max": {"u32", "s32", "u64", "s64"},
    "exch": {"u32", "s32", "u64", "f32"},
    "cas": {"u16", "u32", "s32", "u64"},
    "inc": {"u32"},
    "dec": {"u32"},
}
_OF_BITS = {"u32", "s32", "u64"}
_COPY = re.compile(r"cp\.async\.(?:ca|cg)\.(?:shared|shared::cta)\.global(?:\.L2::\w+)*")
_SHUFFLE = re.compile(r"shfl\.sync\.(idx|up|down|bfly)\.b32")
_VOTE = re.compile(r"vote\.sync\.(ballot\.b32|any\.pred|all\.pred)")
_REDUCTION = re.compile(r"redux\.sync\.(add|min|max|and|or|xor)\.(u32|s32|b32)")
# Nothing to do, or nothing that could be told from nothing.
_WITHOUT_EFFECT = re.compile(
    r"prefetchu?\.[\w.:]+|prefetch(\.(param|const))?\.tensormap|griddepcontrol\.(wait|launch_dependents)|pragma|setmaxnreg\.[\w.]+|discard\.[\w.:]+|brkpt"
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


@dataclass(frozen=True)
class _Memory:
    """The words of an opcode that touches memory; ptxas takes those in the middle in any order."""

    order: str  # weak when none is named
    space: str  # global, shared or "", which is generic
    count: int  # of elements
    operation: str  # of an atomic
    type: str


def act(instruction: Instruction, registers: Registers) -> str | None:
    """The C++ statement for an instruction that touches memory or threads; None for any other."""
    opcode = ".".join(instruction.opcode)
    operands = instruction.operands[: -1 if _POLICY in instruction.opcode else None]
    for rule in (_call, _policy, _access, _atomic, _copy, _lanes):
        statement = rule(opcode, operands, registers)
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


def _policy(opcode: str, operands: tuple[str, ...], registers: Registers) -> str | None:
    """How a cache should treat an access changes no value."""
    return registers.write(operands[0], "uint64_t(0)") if _CREATES_POLICY.fullmatch(opcode) else None


def _memory(words: list[str]) -> _Memory | None:
    """The words behind `ld` or `atom`; None if there is one that is not known."""
    *middle, type_ = words
    vocabularies = (_ORDERS, _SCOPES, _SPACES, _COUNTS, _ATOMIC_OPERATIONS)
    found = [[word for word in middle if word in vocabulary] for vocabulary in vocabularies]
    hints = sum(_HINT.fullmatch(word) is not None for word in middle)
    is_known = len(middle) == hints + sum(map(len, found)) and _MEMORY_TYPE.fullmatch(type_)
    if not is_known or any(len(each) > 1 for each in found):
        return None
    order, _, space, count, operation = (each[0] if each else "" for each in found)
    return _Memory(order or "weak", space, _COUNTS.get(count, 1), operation, type_)


def _access(opcode: str, operands: tuple[str, ...], registers: Registers) -> str | None:
    kind, *words = opcode.split(".")
    memory = _memory(words) if kind in ("ld", "ldu", "st") else None
    if memory is None or memory.operation:
        return None
    address = registers.address(operands[0 if kind == "st" else 1], memory.space)
    how = f"{CPP_TYPES[memory.type]}, {memory.count}, {str(memory.order != 'weak').lower()}"
    if kind != "st":
        parts = vector(operands[0])
        takes = " ".join(registers.write(part, f"simt_loaded.part[{i}]") for i, part in enumerate(parts))
        after = _fence(memory, "acquire")
        return f"{{ auto simt_loaded = ::simt::ptx::load<{how}>({address}); {takes}{after} }}"
    values = ", ".join(registers.read(part, memory.type) for part in vector(operands[1]))
    return f"{{{_fence(memory, 'release')} ::simt::ptx::store<{how}>({address}, {{{{{values}}}}}); }}"


def _fence(memory: _Memory, side: str) -> str:
    """The fence of a memory order: before what releases, behind what acquires."""
    return " __threadfence();" if memory.order in (side, "acq_rel") else ""


def _atomic(opcode: str, operands: tuple[str, ...], registers: Registers) -> str | None:
    kind, *words = opcode.split(".")
    memory = _memory(words) if kind in ("red", "atom") else None
    if memory is None or not memory.operation:
        return None
    type_ = memory.type.replace("b", "u") if re.fullmatch(r"b\d+", memory.type) else memory.type
    if type_ not in _ATOMIC_TYPES.get(memory.operation, _OF_BITS):
        return None
    element = CPP_TYPES["u64" if (memory.operation, type_) == ("add", "s64") else type_]
    first = 1 if kind == "atom" else 0
    address = registers.address(operands[first], memory.space)
    function = f"atomic{_ATOMIC_FUNCTIONS.get(memory.operation, memory.operation.capitalize())}"
    results = vector(operands[0]) if kind == "atom" else ["_"] * memory.count
    values = [vector(each) for each in operands[first + 1 :]]
    pieces = []
    for i, result in enumerate(results):
        pointer = f"::simt::ptx::atomic_pointer<{element}>({address}, {i})"
        given = ", ".join(f"::simt::ptx::atomic_value({registers.read(each[i], type_)})" for each in values)
        pieces.append(registers.write(result, f"{function}({pointer}, {given})"))
    return f"{{{_fence(memory, 'release')} {' '.join(pieces)}{_fence(memory, 'acquire')} }}"


def _copy(opcode: str, operands: tuple[str, ...], registers: Registers) -> str | None:
    if not _COPY.fullmatch(opcode) or len(operands) not in (3, 4):
        return None
    to, source = registers.address(operands[0], "shared"), registers.address(operands[1], "global")
    size = registers.read(operands[2], "u32")
    taken = registers.read(operands[3], "u32") if len(operands) == 4 else size
    if len(operands) == 4 and registers.is_predicate(operands[3]):
        taken = f"({registers.read(operands[3], 'pred')} ? 0u : {size})"
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
