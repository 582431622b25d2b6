"""Inline PTX: the instructions that have an exact meaning here become C++; any other is refused by name.

An `asm` statement becomes an expression statement on its first line: registers are variables, operands are
read before the first instruction and written after the last, as the compiler would.
"""

from __future__ import annotations

from cusimt.translate.ptx.arithmetic import compute
from cusimt.translate.ptx.asynchronous import wait
from cusimt.translate.ptx.branches import branch, label, local_labels
from cusimt.translate.ptx.bulk_copies import copy_in_bulk
from cusimt.translate.ptx.conversions import convert
from cusimt.translate.ptx.instructions import Brace, Label, Piece, Register, parse
from cusimt.translate.ptx.matrices import multiply
from cusimt.translate.ptx.operands import CONSTRAINTS, Registers, Unsupported
from cusimt.translate.ptx.statement import Statement, read_statement, text_of
from cusimt.translate.ptx.threads import act

HEADER = "simt/ptx/ptx.h"
_RULES = (compute, convert, wait, copy_in_bulk, act, multiply, branch)

__all__ = ["HEADER", "Statement", "Unsupported", "read_statement", "text_of", "translate_asm"]


def translate_asm(statement: Statement, text: str) -> str:
    """The C++ for an `asm` statement that says `text`.

    Raises Unsupported with the instruction that this backend does not run.
    """
    registers = Registers(len(statement.operands))
    parsed = _parsed(text)
    code = [_one(each, registers) for each in parsed]
    pieces = [*local_labels(parsed), *_inputs(statement), *code, *_outputs(statement)]
    return f"(void)({{ {' '.join(pieces)} }})"


def _inputs(statement: Statement) -> list[str]:
    pieces = []
    for number, operand in enumerate(statement.operands):
        type_ = CONSTRAINTS.get(operand.constraint)
        if len(operand.constraint) > 1:
            type_ = f"::simt::ptx::constrained<({operand.constraint})[0]>::type"
        if type_ is None:  # "n": a number that the compiler knows
            pieces.append(f"constexpr long long simt_{number} = ({operand.expression});")
        elif operand.read:
            pieces.append(f"{type_} simt_{number} = ::simt::ptx::as<{type_}>({operand.expression});")
        else:
            pieces.append(f"{type_} simt_{number} = 0;")
    return pieces


def _outputs(statement: Statement) -> list[str]:
    written = [(i, operand) for i, operand in enumerate(statement.operands) if operand.written]
    return [f"::simt::ptx::give({operand.expression}, simt_{number});" for number, operand in written]


def _parsed(text: str) -> list[Piece]:
    text = text.replace("%%", "%")
    parsed = parse(text)
    if parsed is None:
        raise Unsupported(" ".join(text.split()))
    return parsed


def _one(each: Piece, registers: Registers) -> str:
    if isinstance(each, Brace):
        return each.value
    if isinstance(each, Label):
        return label(each)
    if isinstance(each, Register):
        return registers.declare(each.name, each.type)
    opcode = ".".join(each.opcode)
    try:
        code = next(filter(None, (rule(each, registers) for rule in _RULES)), None)
    except (IndexError, ValueError, KeyError):
        code = None
    if code is None:
        raise Unsupported(opcode)
    if not each.predicate:
        return code
    negated = "!" if each.predicate.startswith("!") else ""
    return f"if ({negated}{registers.read(each.predicate.lstrip('!'), 'pred')}) {{ {code} }}"
