"""The device part of a `.cu` file: its kernels and what they use, without host functions and torch's headers.

nvcc takes a minute for torch's headers, and a second for what is left here. Registers depend on the device
code alone. What does not compile without the rest is not forced: the caller falls back on an estimate.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from cusimt.translate.lexer import Kind, Token, scan

TORCH_INCLUDE = re.compile(r'^\s*#\s*include\s*[<"](?:torch|ATen|c10|pybind11|Python\.h)', re.MULTILINE)
_HEAD = "#include <cuda_runtime.h>\n#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n#include <cstdint>\n"
_DEVICE = frozenset(("__global__", "__device__", "__constant__", "constexpr"))
_TYPES = frozenset(("struct", "class", "union", "enum", "using", "typedef"))
_HOST_NAMES = frozenset(("torch", "at", "c10", "py", "pybind11"))
_OPENING, _CLOSING = "([{", ")]}"


def device_code(source: str, instances: Sequence[str]) -> str:
    """The device part of `source`, and a table that makes the compiler produce the kernels `instances`."""
    kept = "".join(_kept(scan(source)))
    table = ", ".join(f"(void*)&{name}" for name in instances)
    return f"{_HEAD}{kept}\nvoid* instances_that_ran[] = {{{table}}};\n"


def _kept(tokens: Sequence[Token]) -> Iterator[str]:
    """Directives, the braces of namespaces, and declarations that device code can need."""
    at = 0
    while at < len(tokens):
        end = _end(tokens, at)
        piece = tokens[at:end]
        text = "".join(token.text for token in piece)
        if piece[0].text == "#":
            yield "" if TORCH_INCLUDE.match(text) else text
        elif piece[0].text == "}" or piece[-1].text == "{" or _is_blank(piece[0]) or _is_device(piece):
            yield text
        at = end


def _end(tokens: Sequence[Token], at: int) -> int:
    """Where the piece that begins at `at` ends: white space, a directive, a brace, a declaration."""
    if tokens[at].text == "}" or _is_blank(tokens[at]):
        return at + 1
    if tokens[at].text == "#":
        return next((end for end in range(at, len(tokens)) if tokens[end].kind is Kind.NEWLINE), len(tokens))
    if tokens[at].text in ("namespace", "extern", "inline"):
        opening = next((n for n in range(at, len(tokens)) if tokens[n].text in ("{", ";", "(", "=")), at)
        words = [token.text for token in tokens[at:opening]]
        if tokens[opening].text == "{" and ("namespace" in words or '"C"' in words):
            return opening + 1
    return _end_of_declaration(tokens, at)


def _end_of_declaration(tokens: Sequence[Token], at: int) -> int:
    """Behind its semicolon, or behind the body of a function."""
    depth = 0
    is_type = any(token.text in _TYPES for token in tokens[at : at + 3])
    for end in range(at, len(tokens)):
        text = tokens[end].text
        depth += (text in _OPENING) - (text in _CLOSING)
        if depth == 0 and text == ";":
            return end + 1
        if depth == 0 and text == "}" and not is_type:
            after = next((token for token in tokens[end + 1 :] if not _is_blank(token)), None)
            if after is None or after.text != ";":
                return end + 1
    return len(tokens)


def _is_device(piece: Sequence[Token]) -> bool:
    """Whether a declaration is a kernel, a device function, a constant or a type without torch in it."""
    body = next((at for at, token in enumerate(piece) if token.text == "{"), len(piece))
    head = [token.text for token in piece[:body] if token.kind is Kind.WORD]
    if _DEVICE.intersection(head):
        return True
    words = {token.text for token in piece if token.kind is Kind.WORD}
    return bool(_TYPES.intersection(head)) and not _HOST_NAMES.intersection(words)


def _is_blank(token: Token) -> bool:
    return token.kind in (Kind.BLANK, Kind.NEWLINE)
