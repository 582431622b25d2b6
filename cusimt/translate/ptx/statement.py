"""Read an `asm` statement: its PTX text and its operands."""

from __future__ import annotations

import re
from dataclasses import dataclass

from cusimt.translate.expressions import spelled
from cusimt.translate.lexer import Kind
from cusimt.translate.token_streams import TokenStream


@dataclass(frozen=True)
class Operand:
    """`"=r"(expression)`; `constraint` is the letter, `written` and `read` say which way the value goes.

    The letter of an input may come from a macro; then `constraint` is the macro's name.
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


def text_of(stream: TokenStream, index: int) -> tuple[int, int]:
    """Where the text of the `asm` at `index` begins and ends; an empty stretch where there is none."""
    sections = _sections(stream, index)
    return sections[0] if sections else (index, index)


def read_statement(stream: TokenStream, index: int) -> Statement | None:
    """The statement whose `asm` is at `index`; None when its operands are put together by macros."""
    sections = _sections(stream, index)
    operands: list[Operand] = []
    for number, (first, past) in enumerate(sections[1:3]):
        found = _operands(stream, first, past, written=number == 0)
        if found is None:
            return None
        operands += found
    return Statement(sections[0], tuple(operands), sections[-1][1]) if sections else None


def _sections(stream: TokenStream, index: int) -> list[tuple[int, int]]:
    """What the colons separate between the brackets of the `asm` at `index`; `::` is two of them."""
    while stream.is_word(index):
        index += 1
    past = stream.partner.get(index, index)
    if stream.text(index) != "(" or past == index:
        return []
    index += 1
    sections, start = [], index
    while index < past:
        if stream.text(index) in (":", "::"):
            sections.append((start, index))
            if stream.text(index) == "::":
                sections.append((index, index))
            start = index + 1
        index = stream.skip(index)
    return [*sections, (start, past)]


def _operands(stream: TokenStream, first: int, past: int, *, written: bool) -> list[Operand] | None:
    operands = []
    index = first
    while index < past:
        letter = stream.tokens[index].text
        opener = index + 1
        is_operand = stream.tokens[index].kind in (Kind.TEXT, Kind.WORD) and stream.text(opener) == "("
        constraint = re.fullmatch(r'"([=+]?)&?([rlhfdnC])"|([A-Za-z_]\w+)', letter)
        if not is_operand or constraint is None or bool(constraint[1]) != written:
            return None
        closer = stream.partner[opener]
        expression = spelled(stream, opener + 1, closer)
        operands.append(Operand(constraint[2] or letter, expression, written, constraint[1] != "="))
        index = closer + 1
        if index < past and stream.text(index) != ",":
            return None
        index += 1
    return operands
