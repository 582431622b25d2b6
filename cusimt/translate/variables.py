"""Place variables declared `__device__`, `__constant__` or `__managed__` where the runtime recognises them.

The same words mark functions, so a header's macro cannot do it. Left alone: constants (no kernel and no copy
ever writes them, and a section cannot hold both kinds). Templates and inline variables, whose sections would
clash, and static variables of device functions, which need no word for it, are marked with a tag; variable
templates, which take none, are listed by their full names at the end of the file.
"""

from __future__ import annotations

from collections.abc import Iterator

from cusimt.translate.expressions import (
    TYPE_WORDS,
    elaborated_type_end,
)
from cusimt.translate.passages import Passage
from cusimt.translate.rewrite import Rewrite
from cusimt.translate.scopes import device_bodies, namespace_of

_PLACES = {
    "__device__": "SIMT_DEVICE_MEMORY",
    "__constant__": "SIMT_CONSTANT_MEMORY",
    "__managed__": "SIMT_MANAGED_MEMORY",
}
_TAG = "SIMT_DEVICE_OWNED"
_SHARED = frozenset(["__shared__", *_PLACES])
_ATTRIBUTES = frozenset(["alignas", "__align__", "__builtin_align__", "__attribute__", "decltype"])
_NEVER_VARIABLES = frozenset(["operator", "using", "typedef", "friend"])


def rewrite_variables(passage: Passage, rewrite: Rewrite) -> set[str]:
    """Place or mark them; returns the names of variable templates, which can be neither."""
    of_functions = device_bodies(passage)
    for index in _statics_of_functions(passage, of_functions):
        rewrite.insert(passage.tokens[index].end, f" {_TAG}")
    templates = set()
    past: int | None = None
    for index in reversed(range(len(passage.tokens))):
        token = passage.tokens[index]
        place = _PLACES.get(token.text)
        if place and passage.text(index + 1) not in _PLACES:  # else it is the next word's
            past = _variable_end(passage, index)
        if place is None or past is None:
            continue
        words = _declaration_words(passage, passage.declaration_start(index), past)
        is_template = passage.text(passage.declaration_start(index) - 1) == ">"
        other_place = token.text == "__device__" and {"__constant__", "__managed__"} & set(words)
        if other_place or _is_constant(words):
            continue
        # The function may be a template, or a template's member: that is not looked up.
        is_static = token.text == "__device__" and "static" in words and index in of_functions
        if is_template:
            templates.add(namespace_of(passage, index) + passage.text(past - 1))
        else:
            rewrite.replace(token, token, _TAG if is_static or "inline" in words else place)
    return templates


def _statics_of_functions(passage: Passage, of_functions: set[int]) -> Iterator[int]:
    """Indices of `static` before variables, not constants, among the tokens of functions of the device."""
    for index in sorted(of_functions):
        past = _variable_end(passage, index) if passage.text(index) == "static" else None
        if past is None:
            continue
        words = _declaration_words(passage, passage.declaration_start(index), past)
        if not (_is_constant(words) or _SHARED & set(words)):
            yield index


def _variable_end(passage: Passage, index: int) -> int | None:
    """Index just past the name that `__device__` at `index` declares, or None if that is no variable."""
    index += 1
    while index < len(passage.tokens):
        text = passage.text(index)
        if text in _NEVER_VARIABLES:
            return None
        if text in TYPE_WORDS:
            index = elaborated_type_end(passage, index)
        elif text in _ATTRIBUTES and passage.text(index + 1) == "(":
            index = passage.skip(index + 1)
        elif text in (";", "=", "{") or (text == "[" and passage.text(index + 1) != "["):
            return index if passage.is_word(index - 1) else None
        elif text in ("(", ")", "}", ",", ""):
            return None
        else:
            close = passage.template_close(index) if text == "<" else None
            index = passage.skip(index) if close is None else close + 1
    return None


def _declaration_words(passage: Passage, first: int, past: int) -> list[str]:
    """All but what stands in brackets, such as the members of a struct."""
    words = []
    while first < past:
        words.append(passage.text(first))
        first = passage.skip(first)
    return words


def _is_constant(words: list[str]) -> bool:
    """Is the variable itself constant, rather than what it points to?"""
    if "constexpr" in words:
        return True
    return "const" in words and "*" not in words[words.index("const") :]
