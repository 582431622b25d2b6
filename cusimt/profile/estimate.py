"""Registers of a kernel guessed from its source, where no nvcc is there to count them.

A thread keeps addresses and its local variables in registers, pointers and 64-bit numbers in two; a few more
serve what lies in between, and a loop that the compiler unrolls has several elements under way. Registers are
shared among variables that are never alive together, and calls bring their own: reports call it a guess.
"""

from __future__ import annotations

from collections.abc import Sequence

from cusimt.translate.lexer import Kind, Token, scan

UNIT = 8  # registers: what a thread is given comes in multiples of it
_IN_BETWEEN, _UNROLLED = 4, 8
_WORDS = {
    1: "float int unsigned bool char short auto int32_t uint32_t uint8_t int8_t int16_t uint16_t T scalar_t "
    "half __half __half2 __nv_bfloat16 __nv_bfloat162",
    2: "double int64_t uint64_t size_t ptrdiff_t long float2 int2 uint2",
    4: "float4 int4 uint4 double2 longlong2",
    8: "double4",
}
_WORDS_OF = {name: words for words, names in _WORDS.items() for name in names.split()}
_OPENING, _CLOSING = "([{", ")]}"


def registers(source: str, kernel: str) -> int | None:
    """A guess for the `__global__` function `kernel` of `source`; None if it is not there.

    A template's type is taken for one register, an array whose size is no number for one element.
    """
    tokens = [token for token in scan(source) if token.kind not in (Kind.BLANK, Kind.NEWLINE)]
    found = _function(tokens, kernel)
    if found is None:
        return None
    parameters, body = found
    pointers = sum(any(token.text in ("*", "&") for token in part) for part in _parts(parameters))
    loops = any(token.text in ("for", "while") for token in body)
    words = 2 * pointers + _locals(body) + _IN_BETWEEN + _UNROLLED * loops
    return -(-words // UNIT) * UNIT


def _function(tokens: Sequence[Token], name: str) -> tuple[Sequence[Token], Sequence[Token]] | None:
    """Parameters and body of the definition of the kernel `name`."""
    texts = [token.text for token in tokens]
    for start in (at for at, text in enumerate(texts) if text == "__global__"):
        at = start
        while at < len(texts) - 1 and texts[at] not in (";", "{"):
            if texts[at] == name and texts[at + 1] == "(":
                close = _matching(texts, at + 1)
                if close + 1 < len(texts) and texts[close + 1] == "{":
                    return tokens[at + 2 : close], tokens[close + 2 : _matching(texts, close + 1)]
            at += 1
    return None


def _matching(texts: Sequence[str], opening: int) -> int:
    depth = 0
    for at in range(opening, len(texts)):
        depth += (texts[at] in _OPENING) - (texts[at] in _CLOSING)
        if depth == 0:
            return at
    return len(texts)


def _parts(tokens: Sequence[Token]) -> list[list[Token]]:
    """The tokens between commas that no bracket encloses."""
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token.text in (*_OPENING, "<")) - (token.text in (*_CLOSING, ">"))
        if token.text == "," and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return [part for part in parts if part]


def _locals(body: Sequence[Token]) -> int:
    """Registers of every variable declared in `body`: a type, then a name, then what ends a declarator."""
    texts = [token.text for token in body]
    words = 0
    shared = False
    for at, (token, after) in enumerate(zip(body, texts[1:], strict=False)):
        if token.text in (";", "{", "}"):
            shared = False
        shared |= token.text == "__shared__"
        words_of_type = _WORDS_OF.get(token.text, 0)
        if shared or not words_of_type or body[at + 1].kind is not Kind.WORD or after in _WORDS_OF:
            continue
        following = texts[at + 2] if at + 2 < len(texts) else ";"
        if following in ("=", ";", ",", "[", "{", "("):
            words += words_of_type * _elements(texts, at + 2)
    return words


def _elements(texts: Sequence[str], at: int) -> int:
    count = 1
    while at + 2 < len(texts) and texts[at] == "[" and texts[at + 2] == "]":
        count *= int(texts[at + 1]) if texts[at + 1].isdecimal() else 1
        at += 3
    return count
