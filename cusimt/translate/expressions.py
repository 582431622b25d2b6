"""Find the ends of C++ expressions in a stream, as far as a launch needs it.

C++ cannot be parsed without knowing which names are templates. The rule here: a `<` right after a name opens
template arguments if a matching `>` follows before the expression ends.
"""

from __future__ import annotations

from collections.abc import Iterator

from cusimt.translate.token_streams import TokenStream

_CONTROL = {"if", "for", "while", "switch", "catch", "constexpr"}
_STATEMENTS = {"else", "do", "return", "throw", "case", "default", "goto", "co_return", "co_yield"}
_OPERATORS = {"new", "delete", "and", "or", "not", "sizeof", "alignof", "noexcept", "operator", "co_await"}
_NO_OPERAND = frozenset(_CONTROL | _STATEMENTS | _OPERATORS | {"typename", "decltype", "static_assert"})


def postfix_start(stream: TokenStream, end: int) -> int | None:
    """Index where the postfix expression whose last token is `end` begins, or None if none ends there.

    Takes `k`, `ns::k<T, 3>`, `x.template k<T>`, `table[i]`, `pick(n)`, `(a ? b : c)` and `name##_kernel`.
    """
    text = stream.text(end)
    if text in (")", "]"):
        return _bracketed_start(stream, end)
    if text == ">":
        opener = stream.template_open(end)
        return None if opener is None else postfix_start(stream, opener - 1)
    if not stream.is_word(end) or text in _NO_OPERAND:
        return None
    before = end - 1
    if stream.text(before) == "template":
        before -= 1
    joint = stream.text(before)
    if joint == "::":
        scope = postfix_start(stream, before - 1)
        return before if scope is None else scope
    if joint in (".", "->", "##"):
        return postfix_start(stream, before - 1)
    return end


def _bracketed_start(stream: TokenStream, end: int) -> int | None:
    opener = stream.partner.get(end)
    if opener is None:
        return None
    before = postfix_start(stream, opener - 1)
    if before is not None:
        return before
    is_group = stream.text(end) == ")" and stream.text(opener - 1) not in _CONTROL
    return opener if is_group else None


TYPE_WORDS = ("struct", "class", "union", "enum")


def elaborated_type_end(stream: TokenStream, index: int) -> int:
    """The index after `struct Name`, `struct Name {...}`, `enum class Name : int {...}`, ... at `index`."""
    while stream.text(index) in TYPE_WORDS:
        index += 1
    while stream.text(index) in ("alignas", "__align__", "__attribute__"):
        index = stream.skip(index + 1)
    while stream.is_word(index) or stream.text(index) == "::":
        close = stream.template_close(index + 1) if stream.text(index + 1) == "<" else None
        index = index + 1 if close is None else close + 1
        if stream.text(index) != "::" and stream.text(index - 1) != "::":
            break
    if stream.text(index) == ":":
        while index < len(stream.tokens) and stream.text(index) not in ("{", ";"):
            index = stream.skip(index)
    return stream.skip(index) if stream.text(index) == "{" else index


def declaration_head(stream: TokenStream, index: int) -> Iterator[int]:
    """Indices from `index` to the end of a declaration's head, brackets skipped."""
    while index < len(stream.tokens):
        text = stream.text(index)
        is_initialiser = text == "=" and stream.text(index - 1) not in ("operator", "=", "!")
        if text in (";", ")", "]", "}") or is_initialiser:
            return
        yield index
        if text == "{":
            return
        index = stream.skip(index)


def arguments(stream: TokenStream, opener: int) -> list[tuple[int, int]]:
    """First and past-the-end index of each argument of the call whose `(` is at `opener`."""
    closer = stream.partner[opener]
    spans, start, index = [], opener + 1, opener + 1
    while index < closer:
        text = stream.text(index)
        if text == ",":
            spans.append((start, index))
            start = index + 1
        close = stream.template_close(index) if text == "<" else None
        index = stream.skip(index) if close is None else close + 1
    if closer > opener + 1:
        spans.append((start, closer))
    return spans


def spelled(stream: TokenStream, first: int, past: int) -> str:
    """Tokens on one line, apart where the source has them apart."""
    words = []
    for index in range(first, past):
        token = stream.tokens[index]
        if index > first and stream.tokens[index - 1].end < token.start:
            words.append(" ")
        words.append(token.text.replace("\\\r\n", "").replace("\\\n", ""))
    return "".join(words)
