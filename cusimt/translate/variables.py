"""Place variables declared `__device__`, `__constant__` or `__managed__` where the runtime recognises them.

The same words mark functions, so a header's macro cannot do it. Left alone: constants (no kernel and no copy
ever writes them, and a section cannot hold both kinds). Templates and inline variables, whose sections would
clash, and static variables of device functions, which need no word for it, are marked with a tag; variable
templates, which take none, are listed by their full names at the end of the file.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from cusimt.translate.expressions import TYPE_WORDS, elaborated_type_end
from cusimt.translate.rewrite import Rewrite
from cusimt.translate.scopes import device_bodies, namespace_of
from cusimt.translate.token_streams import TokenStream

_PLACES = {
    "__device__": "SIMT_DEVICE_MEMORY",
    "__constant__": "SIMT_CONSTANT_MEMORY",
    "__managed__": "SIMT_MANAGED_MEMORY",
}
_TAG = "SIMT_DEVICE_OWNED"
_SHARED = frozenset(["__shared__", *_PLACES])
_ATTRIBUTES = frozenset(["alignas", "__align__", "__builtin_align__", "__attribute__", "decltype"])
_ENDS = frozenset([";", "=", "{", "(", ")", "}", ",", "", "operator", "using", "typedef", "friend"])
_ITSELF = "const itself"  # the variable, rather than what it points to
_CONSTANT = frozenset(["constexpr", _ITSELF])
_KEPT = frozenset(["const", "constexpr", "static", _ITSELF, "inline", "*", *_SHARED])


def rewrite_variables(stream: TokenStream, rewrite: Rewrite) -> set[str]:
    """Place or mark them; returns the names of variable templates, which can be neither."""
    of_functions = device_bodies(stream)
    declarations = _Declarations(stream)
    for index in _statics_of_functions(declarations, of_functions):
        rewrite.insert(stream.tokens[index].end, f" {_TAG}")
    templates = set()
    past: int | None = None
    for index in reversed(range(len(stream.tokens))):
        token = stream.tokens[index]
        place = _PLACES.get(token.text)
        if place and stream.text(index + 1) not in _PLACES:  # else it is the next word's
            past = declarations.variable_end(index)
        if place is None or past is None:
            continue
        words = declarations.words(index, past)
        is_template = stream.text(stream.declaration_start(index) - 1) == ">"
        other_place = token.text == "__device__" and {"__constant__", "__managed__"} & words
        if other_place or _CONSTANT & words:
            continue
        # The function may be a template, or a template's member: that is not looked up.
        is_static = token.text == "__device__" and "static" in words and index in of_functions
        if is_template:
            templates.add(namespace_of(stream, index) + stream.text(past - 1))
        else:
            rewrite.replace(token, token, _TAG if is_static or "inline" in words else place)
    return templates


def _statics_of_functions(declarations: _Declarations, of_functions: set[int]) -> Iterator[int]:
    """Indices of `static` before variables, not constants, among the tokens of functions of the device."""
    for index in declarations.stream.positions("static"):
        past = declarations.variable_end(index) if index in of_functions else None
        if past is not None and not (_SHARED | _CONSTANT) & declarations.words(index, past):
            yield index


class _Declarations:
    """The declarations of a stream. Each token is read once, however many words ask for its declaration."""

    def __init__(self, stream: TokenStream) -> None:
        self.stream = stream
        self._ends: dict[int, int | None] = {}  # by the tokens that led there
        self._heads: dict[int, tuple[list[int], list[frozenset[str]]]] = {}  # by first token, up to each
        self._tails: dict[tuple[int, int], frozenset[str]] = {}

    def variable_end(self, index: int) -> int | None:
        """Index just past the name that `__device__` at `index` declares, or None if that is no variable."""
        index += 1
        passed = []
        while index not in self._ends:
            passed.append(index)
            past = self._past(index)
            if past is None:
                self._ends[index] = self._name_end(index)
            else:
                index = past
        self._ends.update(dict.fromkeys(passed, self._ends[index]))
        return self._ends[index]

    def words(self, index: int, past: int) -> frozenset[str]:
        """The kept words of the declaration around `index` up to `past`, and `_ITSELF` for a constant.

        Tokens in brackets, such as the members of a struct, are left out.
        """
        return _joined(self._before(index), self._behind(index, past))

    def _before(self, index: int) -> frozenset[str]:
        """The kept words from the start of the declaration to `index`: start to end, each token once."""
        first = self.stream.declaration_start(index)
        reached, words = self._heads.setdefault(first, ([first], [frozenset()]))
        while reached[-1] < index:
            words.append(_joined(words[-1], self._kept(reached[-1])))
            reached.append(self.stream.skip(reached[-1]))
        return words[bisect_left(reached, index)]

    def _behind(self, index: int, past: int) -> frozenset[str]:
        """The kept words from `index` to `past`: end to start, each token once."""
        passed = []
        while index < past and (index, past) not in self._tails:
            passed.append(index)
            index = self.stream.skip(index)
        words = self._tails.get((index, past), frozenset())
        for index in reversed(passed):
            words = self._tails[index, past] = _joined(self._kept(index), words)
        return words

    def _kept(self, index: int) -> frozenset[str]:
        text = self.stream.text(index)
        return frozenset([text, _ITSELF] if text == "const" else [text]) & _KEPT

    def _name_end(self, index: int) -> int | None:
        """The index where a declaration's name ends, if `index` is that."""
        text = self.stream.text(index)
        is_end = text in (";", "=", "{") or (text == "[" and self.stream.text(index + 1) != "[")
        return index if is_end and self.stream.is_word(index - 1) else None

    def _past(self, index: int) -> int | None:
        """The index behind what stands at `index` in front of a declared name; None if nothing does."""
        stream, text = self.stream, self.stream.text(index)
        if text in TYPE_WORDS:
            return elaborated_type_end(stream, index)
        if text in _ATTRIBUTES and stream.text(index + 1) == "(":
            return stream.skip(index + 1)
        if text in _ENDS or (text == "[" and stream.text(index + 1) != "["):
            return None
        close = stream.template_close(index) if text == "<" else None
        return stream.skip(index) if close is None else close + 1


def _joined(before: frozenset[str], behind: frozenset[str]) -> frozenset[str]:
    """The kept words of two stretches; the first `const` without a `*` behind it makes a constant."""
    words = before | behind
    is_pointed_to = "const" in before and ("*" in behind or _ITSELF not in before)
    return words - {_ITSELF} if is_pointed_to else words
