"""Read an `asm` statement: its PTX text and its operands."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from grader.simt.translate.expressions import spelled
from grader.simt.translate.lexer import Kind
from grader.simt.translate.passages import Passage


@dataclass(frozen=True)
class Operand:
    """`"=r"(expression)`; `constraint` is the letter, `written` and `read` say which way the value goes."""

    constraint: str
    expression: str
    written: bool
    read: bool


@dataclass(frozen=True)
class Statement:
    """`asm volatile("text" : outputs : inputs : clobbers)`, outputs before inputs as PTX numbers them."""

    text: str
    operands: tuple[Operand, ...]
    last: int  # index of the closing bracket


def read_statement(passage: Passage, index: int) -> Statement | None:
    """The statement whose `asm` is at `index`; None when its text is put together by macros."""
    while passage.is_word(index):
        index += 1
    closer = passage.partner.get(index)
    if passage.text(index) != "(" or closer is None:
        return None
    sections = _sections(passage, index + 1, closer)
    text = _text(passage, *sections[0])
    if text is None:
        return None
    operands: list[Operand] = []
    for number, (first, past) in enumerate(sections[1:3]):
        found = _operands(passage, first, past, written=number == 0)
        if found is None:
            return None
        operands += found
    return Statement(text, tuple(operands), closer)


def _sections(passage: Passage, first: int, past: int) -> list[tuple[int, int]]:
    """What the colons separate; `::` is two of them."""
    sections, start, index = [], first, first
    while index < past:
        if passage.text(index) in (":", "::"):
            sections.append((start, index))
            if passage.text(index) == "::":
                sections.append((index, index))
            start = index + 1
        index = passage.skip(index)
    return [*sections, (start, past)]


def _text(passage: Passage, first: int, past: int) -> str | None:
    pieces = []
    for token in passage.tokens[first:past]:
        if token.kind is not Kind.TEXT:
            return None
        raw = re.fullmatch(r'R"(\w*)\(([\s\S]*)\)\1"', token.text)
        pieces.append(raw[2] if raw else _unescaped(token.text))
    return "".join(pieces)


def _unescaped(literal: str) -> str:
    """The text that a string literal stands for, which C++ and Python spell alike as far as PTX goes."""
    joined = literal.replace("\\\r\n", "").replace("\\\n", "")
    try:
        return str(ast.literal_eval(joined))
    except (SyntaxError, ValueError):
        return joined[1:-1]


def _operands(passage: Passage, first: int, past: int, *, written: bool) -> list[Operand] | None:
    operands = []
    index = first
    while index < past:
        letter = passage.tokens[index].text.strip('"')
        opener = index + 1
        is_operand = passage.tokens[index].kind is Kind.TEXT and passage.text(opener) == "("
        constraint = re.fullmatch(r"([=+]?)&?([rlhfdnC])", letter)
        if not is_operand or constraint is None or (constraint[1] != "") != written:
            return None
        closer = passage.partner[opener]
        expression = spelled(passage, opener + 1, closer)
        operands.append(Operand(constraint[2], expression, written, constraint[1] != "="))
        index = closer + 1
        if index < past and passage.text(index) != ",":
            return None
        index += 1
    return operands
