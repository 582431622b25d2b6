"""Inline PTX: the instructions that have an exact meaning here become C++; any other is refused by name.

An `asm` statement becomes an expression statement on its first line: registers are variables, operands are
read before the first instruction and written after the last, as the compiler would.
"""

from __future__ import annotations

from grader.simt.translate.passages import Passage
from grader.simt.translate.ptx.arithmetic import compute
from grader.simt.translate.ptx.conversions import convert
from grader.simt.translate.ptx.instructions import Instruction, Register, parse
from grader.simt.translate.ptx.matrices import multiply
from grader.simt.translate.ptx.operands import CONSTRAINTS, Registers, Unsupported
from grader.simt.translate.ptx.statement import Statement, read_statement
from grader.simt.translate.ptx.threads import act

HEADER = "simt/ptx/ptx.h"
_RULES = (compute, convert, act, multiply)

__all__ = ["HEADER", "Unsupported", "translate_asm"]


def translate_asm(passage: Passage, index: int) -> tuple[str, int]:
    """The C++ for the `asm` at `index`, and the index of its closing bracket.

    Raises Unsupported with the instruction that this backend does not run.
    """
    statement = read_statement(passage, index)
    if statement is None:
        raise Unsupported("asm whose text or operands are put together by macros")
    registers = Registers(len(statement.operands))
    pieces = [*_inputs(statement), *_instructions(statement, registers), *_outputs(statement)]
    return f"(void)({{ {' '.join(pieces)} }})", statement.last


def _inputs(statement: Statement) -> list[str]:
    pieces = []
    for number, operand in enumerate(statement.operands):
        type_ = CONSTRAINTS.get(operand.constraint)
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


def _instructions(statement: Statement, registers: Registers) -> list[str]:
    text = statement.text.replace("%%", "%")
    parsed = parse(text)
    if parsed is None:
        raise Unsupported(" ".join(text.split()))
    return [_one(each, registers) for each in parsed]


def _one(each: Instruction | Register, registers: Registers) -> str:
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
