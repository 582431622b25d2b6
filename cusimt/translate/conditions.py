"""The value of a preprocessor condition, as far as the names in it are known.

A condition differs from a Python expression only in how `!`, `&&`, `||`, `defined` and numbers are spelled,
so Python's parser reads it. Of the operators that bind differently in the two languages none is evaluated.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping


class Unknown:
    """The value of a condition that depends on a macro whose definition is not known."""


Value = int | Unknown

_SPELLINGS = (
    (re.compile(r"[~#]"), "?"),  # means something else in Python: no expression is left
    (re.compile(r"&&"), " and "),
    (re.compile(r"\|\|"), " or "),
    (re.compile(r"!(?!=)"), "~"),  # unlike `not`, it binds as tightly as `!`
    (re.compile(r"\bdefined\s*(?:\(\s*([A-Za-z_]\w*)\s*\)|\b([A-Za-z_]\w*))"), r" defined(\1\2) "),
    (re.compile(r"\b(0[xX][\da-fA-F]+|\d+)[uUlL]+\b"), r"\1"),
    (re.compile(r"\s+"), " "),
)
_OPERATORS: dict[type[ast.AST], Callable[[int, int], int]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.Gt: operator.gt,
    ast.LtE: operator.le,
    ast.GtE: operator.ge,
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}


def value_of(condition: str, names: Mapping[str, int | None]) -> Value:
    """The value that `#if condition` tests. `names`: known macros, None for one that is not defined.

    Unknown for anything that is no condition, and for operators that conditions rarely use.
    """
    for spelling, in_python in _SPELLINGS:
        condition = spelling.sub(in_python, condition)
    try:
        return _value(ast.parse(condition.strip(), mode="eval").body, names)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Unknown()


def _value(node: ast.AST, names: Mapping[str, int | None]) -> Value:
    match node:
        case ast.Constant(value=number) if type(number) is int:  # True would be a macro's name
            return number
        case ast.Name(id=name) if name in names:
            return names[name] or 0
        case ast.Call(func=ast.Name(id="defined"), args=[ast.Name(id=name)]) if name in names:
            return int(names[name] is not None)
        case ast.UnaryOp(op=ast.Invert(), operand=operand):
            value = _value(operand, names)
            return value if isinstance(value, Unknown) else int(not value)
        case ast.BoolOp(op=joint, values=operands):
            return _decided_by(isinstance(joint, ast.Or), [_value(each, names) for each in operands])
        case (
            ast.Compare(left=left, ops=[kind], comparators=[right])
            | ast.BinOp(left=left, op=kind, right=right)
        ):
            return _combined(type(kind), _value(left, names), _value(right, names))
    return Unknown()


def _combined(kind: type[ast.AST], left: Value, right: Value) -> Value:
    if kind not in _OPERATORS or isinstance(left, Unknown) or isinstance(right, Unknown):
        return Unknown()
    return int(_OPERATORS[kind](left, right))


def _decided_by(deciding: bool, operands: list[Value]) -> Value:
    """`||` is decided by one operand that is true, `&&` by one that is false."""
    if any(isinstance(each, int) and bool(each) == deciding for each in operands):
        return int(deciding)
    return Unknown() if any(isinstance(each, Unknown) for each in operands) else int(not deciding)
