"""Statements: where one ends, and whether it declares anything."""

from __future__ import annotations

from cusimt.translate.lexer import Token
from cusimt.translate.token_streams import TokenStream

_BEGIN_STATEMENT = frozenset(
    ["return", "throw", "if", "else", "for", "while", "do", "switch", "break", "continue", "goto", "delete"]
)
BEFORE_STATEMENT = (";", "{", "}", ")", "else", "do")  # the tokens behind which a statement may begin
_WITH_HEAD = ("if", "for", "while", "switch")


def are_statements(tokens: list[Token]) -> bool:
    """True if a pair of braces around the tokens changes nothing: no declaration, no open bracket."""
    code = TokenStream(tokens, macro=False)
    brackets = [i for i in range(len(tokens)) if code.text(i) in tuple("()[]{}")]
    if any(index not in code.partner for index in brackets):
        return False
    index = 0
    while index < len(tokens):
        past = statement_end(code, index)
        if past is None:
            return False
        index = past
    return True


def statement_end(code: TokenStream, index: int) -> int | None:
    """Index behind the statement that begins at `index`; None for a declaration or half a statement."""
    text = code.text(index)
    if text in ("{", ";"):
        return code.skip(index)
    if text in _WITH_HEAD:
        head = index + 2 if code.text(index + 1) == "constexpr" else index + 1
        return statement_end(code, code.skip(head)) if code.text(head) == "(" else None
    if text in ("else", "do"):
        return statement_end(code, index + 1)
    if text == "#" or (text not in _BEGIN_STATEMENT and declares(code, index)):
        return None
    while index < len(code.tokens) and code.text(index) != ";":
        index = code.skip(index)
    return index + 1 if index < len(code.tokens) else None


def declares(code: TokenStream, index: int) -> bool:
    """Does a declaration begin at `index`? Then a name follows what would be its type.

    `name name`, `name<...> name`, `name* name = ...`.
    """
    if not code.is_word(index) and code.text(index) != "::":
        return False
    while code.is_word(index) or code.text(index) == "::":
        after = index + 1
        close = code.template_close(after) if code.text(after) == "<" else None
        index = after if close is None else close + 1
        if code.is_word(index) and code.text(index - 1) != "::":
            return True
    while code.text(index) in ("*", "&"):
        index += 1
        if code.is_word(index) and code.text(index + 1) in ("=", ";", ",", "[", "("):
            return True
    return False
