"""`#if` between the strings of an `asm` statement: the statement is written out for every branch.

asm("{ .reg .pred p;"              #if NEWER
#if NEWER                          asm("{ .reg .pred p;" "ld.global.L2::128B ...")
    "ld.global.L2::128B ..."  ->   #else
#else                              asm("{ .reg .pred p;" "ld.global ...")
    "ld.global ..."                #endif
#endif
)
"""

from __future__ import annotations

from itertools import pairwise

from cusimt.translate.lexer import Kind, Token
from cusimt.translate.source import Source

ASM = ("asm", "__asm__", "__asm")
_OPENING = ("if", "ifdef", "ifndef")
_FURTHER = ("elif", "elifdef", "elifndef", "else")

# A word, mark or literal; or a whole directive, as the tokens of its line.
_Piece = Token | list[Token]


def write_out_conditions(source: Source) -> Source:
    """`source` with each such statement written out. What follows a statement stays on its line."""
    if "asm" not in source.text:
        return source
    changed, position, pieces = [], 0, _pieces(source)
    for index, first in enumerate(pieces):
        if isinstance(first, list) or first.text not in ASM:
            continue
        statement, last = _statement(pieces, index)
        if last is None or not any(isinstance(each, list) for each in statement):
            continue
        lines = source.text.count("\n", first.start, last.end)
        branches = _branches(statement)
        if branches and branches.count("\n") <= lines:
            padding = "\n" * (lines - branches.count("\n"))
            changed += [source.text[position : first.start], branches, padding]
            position = last.end
    return Source("".join([*changed, source.text[position:]])) if changed else source


def _pieces(source: Source) -> list[_Piece]:
    pieces: list[_Piece] = []
    for words, is_directive in source.lines:
        if is_directive:
            pieces.append(words)
        else:
            pieces += words
    return pieces


def _statement(pieces: list[_Piece], index: int) -> tuple[list[_Piece], Token | None]:
    """The pieces of the statement at `index`, and its closing bracket; None if it has none."""
    depth = 0
    for past, piece in enumerate(pieces[index:], index + 1):
        if isinstance(piece, list) or piece.kind is Kind.TEXT:
            continue
        depth += (piece.text == "(") - (piece.text == ")")
        if piece.text == ")" and depth <= 0:
            return pieces[index:past], piece
        if depth == 0 and piece.kind is not Kind.WORD:
            break
    return [], None


def _branches(pieces: list[_Piece]) -> str:
    """The statement for each branch of its one condition; empty if there are more, or one within another."""
    before: list[Token] = []
    branches: list[tuple[str, list[Token]]] = []
    after: list[Token] = []
    current, has_else = before, False
    for piece in pieces:
        if isinstance(piece, Token):
            current.append(piece)
            continue
        name = piece[1].text if len(piece) > 1 else ""
        begins = name in _OPENING and not branches
        if begins or (name in _FURTHER and branches and current is not after):
            branches.append((_spelled(piece), current := []))
            has_else |= name == "else"
        elif name == "endif" and branches and current is not after:
            current = after
        else:
            return ""
    if current is not after:
        return ""
    if not has_else:
        branches.append(("#else", []))
    written = [f"{condition}\n{_spelled([*before, *own, *after])}\n" for condition, own in branches]
    return "\n" + "".join(written) + "#endif\n"


def _spelled(tokens: list[Token]) -> str:
    """The tokens on one line; those that touch each other (`&&` is two) still do."""
    spaces = ["" if one.end == other.start else " " for one, other in pairwise(tokens)]
    return "".join(f"{token.text}{space}" for token, space in zip(tokens, [*spaces, ""], strict=True))
