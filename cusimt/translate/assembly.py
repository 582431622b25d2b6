"""Inline PTX in device code: what has an exact meaning here becomes C++, any other is refused by name.

In a kernel it is refused at once. Elsewhere (in a device function, in a macro, under a condition that only
the compiler can decide) it may never be used: there the statement becomes a call that the compiler refuses,
with the same words, if it is left when unused code is gone.
"""

from __future__ import annotations

import json
import re

from cusimt.translate.assembly_conditions import ASM
from cusimt.translate.assembly_macros import Macros
from cusimt.translate.expressions import spelled
from cusimt.translate.lexer import Kind, Token
from cusimt.translate.ptx import Statement, Unsupported, read_statement, text_of, translate_asm
from cusimt.translate.rewrite import Refused, Rewrite
from cusimt.translate.scopes import device_bodies
from cusimt.translate.token_streams import TokenStream

_DOTTED_OPCODE = re.compile(r"\b[a-z]\w*\.[a-z]\w*")  # ld.global.u32: PTX, never the host's
_BY_MACROS = "asm whose text or operands are put together by macros"
_RULE = "It needs a real GPU: of PTX the simt backend runs what has an exact meaning in C++."


def rewrite_assembly(stream: TokenStream, rewrite: Rewrite, macros: Macros) -> bool:
    """Rewrite all PTX of a stream; true if there was any. Raises Refused for what cannot run in a kernel."""
    on_device, in_kernel = device_bodies(stream), device_bodies(stream, ("__global__",))
    found = False
    for index, token in enumerate(stream.tokens):
        if token.kind is not Kind.WORD or token.text not in ASM:
            continue
        if not _is_ptx(stream, index, macros, index in on_device):
            continue
        found = True
        try:
            code, last = _translated(stream, index, macros)
        except Unsupported as unsupported:
            if index in in_kernel and not stream.macro and not stream.is_uncertain(index):
                raise Refused(token.start, f"inline PTX (asm): {unsupported}", _RULE) from None
            code, last = _refusal(str(unsupported), token), _statement_end(stream, index)
        rewrite.replace(token, stream.tokens[last], code, macro=stream.macro)
    return found


def runs_assembly(tokens: list[Token], macros: Macros) -> bool:
    """Is all PTX among the tokens of the kind that becomes C++?"""
    stream = TokenStream(tokens, macro=False)
    for index, token in enumerate(tokens):
        if token.text in ASM and token.kind is Kind.WORD and _is_ptx(stream, index, macros, on_device=True):
            try:
                _translated(stream, index, macros)
            except Unsupported:
                return False
    return True


def _translated(stream: TokenStream, index: int, macros: Macros) -> tuple[str, int]:
    """The C++ for the `asm` at `index`, and the index of its closing bracket."""
    statement = read_statement(stream, index)
    if statement is None:
        raise Unsupported(_BY_MACROS)
    written = stream.tokens[slice(*statement.text)]
    texts = macros.texts(written, stream)
    if all(token.kind is Kind.TEXT for token in written):
        return translate_asm(statement, *texts), statement.last
    if not texts:
        raise Unsupported(_BY_MACROS)
    return _chosen(statement, spelled(stream, *statement.text), texts, stream.tokens[index]), statement.last


def _chosen(statement: Statement, written: str, texts: list[str], token: Token) -> str:
    """The C++ for each text that macros may make; the compiler knows which of them it is.

    Raises Unsupported where none can run.
    """
    branches, refusals = [], []
    for text in texts:
        try:
            code = translate_asm(statement, text)
        except Unsupported as unsupported:
            refusals.append(unsupported)
            code = _refusal(str(unsupported), token, len(refusals))
        branches.append(f"if (__builtin_strcmp({written}, {json.dumps(text)}) == 0) {code};")
    if len(refusals) == len(texts):
        raise refusals[0]
    return f"({{ {' else '.join(branches)} else {_refusal(_BY_MACROS, token)}; }})"


def _refusal(name: str, token: Token, number: int = 0) -> str:
    words = re.sub(r"[^\w.,:;@%+\[\]{}() -]", "", f"inline PTX (asm): {name}. {_RULE}")
    function = f"simt_refused_{token.start}_{number}"
    return f'({{ extern void {function}() __attribute__((error("{words}"))); {function}(); }})'


def _statement_end(stream: TokenStream, index: int) -> int:
    while stream.is_word(index):
        index += 1
    return stream.partner.get(index, index)


def _is_ptx(stream: TokenStream, index: int, macros: Macros, on_device: bool) -> bool:
    """Does the statement at `index` have a text, and if the host might run it, one with an opcode of PTX?"""
    tokens = stream.tokens[slice(*text_of(stream, index))]
    texts = macros.texts(tokens, stream) or [token.text for token in tokens if token.kind is Kind.TEXT]
    return any(text if on_device else _DOTTED_OPCODE.search(text) for text in texts)
