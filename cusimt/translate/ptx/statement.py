"""Read an `asm` statement: its PTX text and its operands."""

from __future__ import annotations

import re
from dataclasses import dataclass

from cusimt.translate.expressions import spelled
from cusimt.translate.lexer import Kind
from cusimt.translate.passages import Passage


@dataclass(frozen=True)
class Operand:
    """`"=r"(expression)`; `constraint` is the letter, `written` and `read` say which way the value goes.

    Of an operand that is only read a macro may stand for the letter; then `constraint` is the macro's name.
    """

    constraint: str
    expression: str
    written: bool
    read: bool


@dataclass(frozen=True)
class Statement:
    """`asm volatile("text" : outputs : inputs : clobbers)`, outputs before inputs as PTX numbers them."""

    text: tuple[int, int]  # index of its first token, and past its last
    operands: tuple[Operand, ...]
    last: int  # index of the closing bracket


def text_of(passage: Passage, index: int) -> tuple[int, int]:
    """Where the text of the `asm` at `index` begins and ends; an empty stretch where there is none."""
    sections = _sections(passage, index)
    return sections[0] if sections else (index, index)


def read_statement(passage: Passage, index: int) -> Statement | None:
    """The statement whose `asm` is at `index`; None when its operands are put together by macros."""
    sections = _sections(passage, index)
    operands: list[Operand] = []
    for number, (first, past) in enumerate(sections[1:3]):
        found = _operands(passage, first, past, written=number == 0)
        if found is None:
            return None
        operands += found
    return Statement(sections[0], tuple(operands), sections[-1][1]) if sections else None


def _sections(passage: Passage, index: int) -> list[tuple[int, int]]:
    """What the colons separate between the brackets of the `asm` at `index`; `::` is two of them."""
    while passage.is_word(index):
        index += 1
    past = passage.partner.get(index, index)
    if passage.text(index) != "(" or past == index:
        return []
    index += 1
    sections, start = [], index
    while index < past:
        if passage.text(index) in (":", "::"):
            sections.append((start, index))
            if passage.text(index) == "::":
                sections.append((index, index))
            start = index + 1
        index = passage.skip(index)
    return [*sections, (start, past)]


def _operands(passage: Passage, first: int, past: int, *, written: bool) -> list[Operand] | None:
    operands = []
    index = first
    while index < past:
        letter = passage.tokens[index].text
        opener = index + 1
        is_operand = passage.tokens[index].kind in (Kind.TEXT, Kind.WORD) and passage.text(opener) == "("
        constraint = re.fullmatch(r'"([=+]?)&?([rlhfdnC])"|([A-Za-z_]\w+)', letter)
        if not is_operand or constraint is None or bool(constraint[1]) != written:
            return None
        closer = passage.partner[opener]
        expression = spelled(passage, opener + 1, closer)
        operands.append(Operand(constraint[2] or letter, expression, written, constraint[1] != "="))
        index = closer + 1
        if index < past and passage.text(index) != ",":
            return None
        index += 1
    return operands
