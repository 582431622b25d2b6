"""Inline PTX in device code: what has an exact meaning here becomes C++, any other is refused by name.

In a kernel it is refused at once. Elsewhere (in a device function, in a macro, under a condition that only
the compiler can decide) it may never be used: there the statement becomes a call that the compiler refuses,
with the same words, if it is left when unused code is gone.
"""

from __future__ import annotations

import re

from grader.simt.translate.assembly_conditions import ASM
from grader.simt.translate.lexer import Kind, Token
from grader.simt.translate.passages import Passage
from grader.simt.translate.ptx import Unsupported, translate_asm
from grader.simt.translate.refusal import Refused
from grader.simt.translate.rewrite import Rewrite
from grader.simt.translate.scopes import device_bodies

_DOTTED_OPCODE = re.compile(r"\b[a-z]\w*\.[a-z]\w*")  # ld.global.u32: PTX, never the host's
_RULE = "It needs a real GPU: of PTX the simt backend runs what has an exact meaning in C++."


def rewrite_assembly(passage: Passage, rewrite: Rewrite) -> bool:
    """Rewrite all PTX of a passage; true if there was any. Raises Refused for what cannot run in a kernel."""
    on_device, in_kernel = device_bodies(passage), device_bodies(passage, ("__global__",))
    found = False
    for index, token in enumerate(passage.tokens):
        if token.kind is not Kind.WORD or token.text not in ASM:
            continue
        if not _is_ptx(passage, index, index in on_device):
            continue
        found = True
        try:
            code, last = translate_asm(passage, index)
        except Unsupported as unsupported:
            if index in in_kernel and not passage.macro and not passage.is_uncertain(index):
                raise Refused(token.start, f"inline PTX (asm): {unsupported}", _RULE) from None
            code, last = _refusal(str(unsupported), token), _statement_end(passage, index)
        rewrite.replace(token, passage.tokens[last], code, macro=passage.macro)
    return found


def runs_assembly(tokens: list[Token]) -> bool:
    """Is all PTX among the tokens of the kind that becomes C++?"""
    passage = Passage(tokens, macro=False)
    for index, token in enumerate(tokens):
        if token.text in ASM and token.kind is Kind.WORD and _is_ptx(passage, index, on_device=True):
            try:
                translate_asm(passage, index)
            except Unsupported:
                return False
    return True


def _refusal(name: str, token: Token) -> str:
    words = re.sub(r"[^\w.,:;@%+\[\]{}() -]", "", f"inline PTX (asm): {name}. {_RULE}")
    function = f"simt_refused_{token.start}"
    return f'({{ extern void {function}() __attribute__((error("{words}"))); {function}(); }})'


def _statement_end(passage: Passage, index: int) -> int:
    while passage.is_word(index):
        index += 1
    return passage.partner.get(index, index)


def _is_ptx(passage: Passage, index: int, on_device: bool) -> bool:
    while passage.is_word(index):
        index += 1
    if passage.text(index) != "(" or index + 1 >= len(passage.tokens):
        return False
    text = passage.tokens[index + 1]
    if text.kind is not Kind.TEXT or len(text.text) <= 2:
        return False
    return on_device or _DOTTED_OPCODE.search(text.text) is not None
