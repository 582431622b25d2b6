"""Find the ends of C++ expressions in a passage, as far as a launch needs it.

C++ cannot be parsed without knowing which names are templates. The rule here: a `<` right after a name opens
template arguments if a matching `>` follows before the expression ends.
"""

from __future__ import annotations

from collections.abc import Iterator

from cusimt.translate.passages import Passage

_CONTROL = {"if", "for", "while", "switch", "catch", "constexpr"}
_STATEMENTS = {"else", "do", "return", "throw", "case", "default", "goto", "co_return", "co_yield"}
_OPERATORS = {"new", "delete", "and", "or", "not", "sizeof", "alignof", "noexcept", "operator", "co_await"}
_NO_OPERAND = frozenset(_CONTROL | _STATEMENTS | _OPERATORS | {"typename", "decltype", "static_assert"})


def postfix_start(passage: Passage, end: int) -> int | None:
    """Index where the postfix expression whose last token is `end` begins, or None if none ends there.

    Takes `k`, `ns::k<T, 3>`, `x.template k<T>`, `table[i]`, `pick(n)`, `(a ? b : c)` and `name##_kernel`.
    """
    text = passage.text(end)
    if text in (")", "]"):
        return _bracketed_start(passage, end)
    if text == ">":
        opener = passage.template_open(end)
        return None if opener is None else postfix_start(passage, opener - 1)
    if not passage.is_word(end) or text in _NO_OPERAND:
        return None
    before = end - 1
    if passage.text(before) == "template":
        before -= 1
    joint = passage.text(before)
    if joint == "::":
        scope = postfix_start(passage, before - 1)
        return before if scope is None else scope
    if joint in (".", "->", "##"):
        return postfix_start(passage, before - 1)
    return end


def _bracketed_start(passage: Passage, end: int) -> int | None:
    opener = passage.partner.get(end)
    if opener is None:
        return None
    before = postfix_start(passage, opener - 1)
    if before is not None:
        return before
    is_group = passage.text(end) == ")" and passage.text(opener - 1) not in _CONTROL
    return opener if is_group else None


TYPE_WORDS = ("struct", "class", "union", "enum")


def elaborated_type_end(passage: Passage, index: int) -> int:
    """The index after `struct Name`, `struct Name {...}`, `enum class Name : int {...}`, ... at `index`."""
    while passage.text(index) in TYPE_WORDS:
        index += 1
    while passage.text(index) in ("alignas", "__align__", "__attribute__"):
        index = passage.skip(index + 1)
    while passage.is_word(index) or passage.text(index) == "::":
        close = passage.template_close(index + 1) if passage.text(index + 1) == "<" else None
        index = index + 1 if close is None else close + 1
        if passage.text(index) != "::" and passage.text(index - 1) != "::":
            break
    if passage.text(index) == ":":
        while index < len(passage.tokens) and passage.text(index) not in ("{", ";"):
            index = passage.skip(index)
    return passage.skip(index) if passage.text(index) == "{" else index


def declaration_head(passage: Passage, index: int) -> Iterator[int]:
    """Indices from `index` to the end of a declaration's head, brackets skipped."""
    while index < len(passage.tokens):
        text = passage.text(index)
        is_initialiser = text == "=" and passage.text(index - 1) not in ("operator", "=", "!")
        if text in (";", ")", "]", "}") or is_initialiser:
            return
        yield index
        if text == "{":
            return
        index = passage.skip(index)


def arguments(passage: Passage, opener: int) -> list[tuple[int, int]]:
    """First and past-the-end index of each argument of the call whose `(` is at `opener`."""
    closer = passage.partner[opener]
    spans, start, index = [], opener + 1, opener + 1
    while index < closer:
        text = passage.text(index)
        if text == ",":
            spans.append((start, index))
            start = index + 1
        close = passage.template_close(index) if text == "<" else None
        index = passage.skip(index) if close is None else close + 1
    if closer > opener + 1:
        spans.append((start, closer))
    return spans


def spelled(passage: Passage, first: int, past: int) -> str:
    """Tokens on one line, apart where the source has them apart."""
    words = []
    for index in range(first, past):
        token = passage.tokens[index]
        if index > first and passage.tokens[index - 1].end < token.start:
            words.append(" ")
        words.append(token.text.replace("\\\r\n", "").replace("\\\n", ""))
    return "".join(words)
