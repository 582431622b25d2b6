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
from cusimt.translate.passages import Passage
from cusimt.translate.ptx import Statement, Unsupported, read_statement, text_of, translate_asm
from cusimt.translate.refusal import Refused
from cusimt.translate.rewrite import Rewrite
from cusimt.translate.scopes import device_bodies

_DOTTED_OPCODE = re.compile(r"\b[a-z]\w*\.[a-z]\w*")  # ld.global.u32: PTX, never the host's
_BY_MACROS = "asm whose text or operands are put together by macros"
_RULE = "It needs a real GPU: of PTX the simt backend runs what has an exact meaning in C++."


def rewrite_assembly(passage: Passage, rewrite: Rewrite, macros: Macros) -> bool:
    """Rewrite all PTX of a passage; true if there was any. Raises Refused for what cannot run in a kernel."""
    on_device, in_kernel = device_bodies(passage), device_bodies(passage, ("__global__",))
    found = False
    for index, token in enumerate(passage.tokens):
        if token.kind is not Kind.WORD or token.text not in ASM:
            continue
        if not _is_ptx(passage, index, macros, index in on_device):
            continue
        found = True
        try:
            code, last = _translated(passage, index, macros)
        except Unsupported as unsupported:
            if index in in_kernel and not passage.macro and not passage.is_uncertain(index):
                raise Refused(token.start, f"inline PTX (asm): {unsupported}", _RULE) from None
            code, last = _refusal(str(unsupported), token), _statement_end(passage, index)
        rewrite.replace(token, passage.tokens[last], code, macro=passage.macro)
    return found


def runs_assembly(tokens: list[Token], macros: Macros) -> bool:
    """Is all PTX among the tokens of the kind that becomes C++?"""
    passage = Passage(tokens, macro=False)
    for index, token in enumerate(tokens):
        if token.text in ASM and token.kind is Kind.WORD and _is_ptx(passage, index, macros, on_device=True):
            try:
                _translated(passage, index, macros)
            except Unsupported:
                return False
    return True


def _translated(passage: Passage, index: int, macros: Macros) -> tuple[str, int]:
    """The C++ for the `asm` at `index`, and the index of its closing bracket."""
    statement = read_statement(passage, index)
    if statement is None:
        raise Unsupported(_BY_MACROS)
    written = passage.tokens[slice(*statement.text)]
    texts = macros.texts(written, passage)
    if all(token.kind is Kind.TEXT for token in written):
        return translate_asm(statement, *texts), statement.last
    if not texts:
        raise Unsupported(_BY_MACROS)
    return _chosen(statement, spelled(passage, *statement.text), texts, passage.tokens[index]), statement.last


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


def _statement_end(passage: Passage, index: int) -> int:
    while passage.is_word(index):
        index += 1
    return passage.partner.get(index, index)


def _is_ptx(passage: Passage, index: int, macros: Macros, on_device: bool) -> bool:
    """Does the statement at `index` have a text, and if the host might run it, one with an opcode of PTX?"""
    tokens = passage.tokens[slice(*text_of(passage, index))]
    texts = macros.texts(tokens, passage) or [token.text for token in tokens if token.kind is Kind.TEXT]
    return any(text if on_device else _DOTTED_OPCODE.search(text) for text in texts)
