"""Audit a submission's own lines as compiled, after the preprocessor.

What people write by hand was read before (cuda_source). Here are the names that a library's macro puts
together, and the headers that an `#include` found. Macros of torch, pybind11 and the simulated GPU put names
of theirs into these lines, which are known.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate
from pathlib import PurePath

from cusimt.compiler.generated_names import generated_names
from cusimt.translate.lexer import Kind, Token, scan
from grader.audit import cuda_source, python_binding, registering
from grader.audit.cuda_source import OPERATORS_RULE, PYTHON_RULE
from grader.audit.objection import Objection
from grader.compilation.preprocessing import Line, Unit
from grader.support.backends import Backend

_RULE = "What a macro puts together is read as it is compiled. A kernel needs `#pragma unroll` at most."
# Shapes that the macros of the simulated GPU and of pybind11 expand to, from the attribute's first name on.
_SHAPES = tuple(
    re.compile(shape)
    for shape in (
        r'section \( "simt_(constant|device|managed|names)" \)',
        r'abi_tag \( "simt_device" \)',
        r'visibility \( "(default|hidden)" \)',
        r'no_sanitize \( "thread" \) \) \) (\{|->)',  # around a launch: that part runs on the host
        r"__?format(__)? \( .*",
    )
)
# What CUDA's qualifiers are macros of, when nvcc compiles.
_QUALIFIERS = frozenset((
    "global", "device", "host", "shared", "constant", "managed", "grid_constant", "launch_bounds",
    "cluster_dims", "block_size", "maxnreg", "device_builtin", "cudart_builtin", "nv_pure",
    "nv_weak_odr_linkage",
    "device_builtin_surface_type", "device_builtin_texture_type",
))  # fmt: skip
_ALIASES = re.compile(r'__asm__ \( "simt_dynamic_shared" \)')
_PYTHON = re.compile(
    r"Py(Object|ModuleDef|ModuleDef_Slot|ModuleDef_Init|Module_Create2?|Err_(Format|SetString|Occurred)|Exc_(ImportError|RuntimeError|SystemError))|"
    r"Py_(GetVersion|ssize_t|mod_\w+|MOD_\w+|None|TPFLAGS\w*)|_Py_NoneStruct|Py_IncRef|Py_INCREF"
)
_LIBRARY_RULE = (
    "Call `m.def(...)` and `m.impl(...)`, or hand `m` to a function that takes a `torch::Library&`; a local "
    "variable needs another name."
)
_MODULES_NAME = '. attr ( "__spec__" ) . attr ( "name" )'
_INIT = re.compile(r"(Stable)?TorchLibraryInit")
_REGISTERS = re.compile(r'"([^"]*)"')
_FOUND_IN = re.compile(r".*/(?:include|c\+\+/[\d.]+)/(?:[\w]+-linux-gnu/)?(?:c\+\+/[\d.]+/)?")


def audit(
    unit: Unit, name: str, backend: Backend, binding: bool, vendor: Collection[str] = ()
) -> Iterator[Objection]:
    """Objections to what one source of the library `name` becomes; `binding`: a Python module's;
    `vendor` as for cuda_source.

    Assembly is a GPU's: PTX is part of CUDA.
    """
    for include in unit.includes:
        header = _FOUND_IN.sub("", include.path)
        if cuda_source.is_foreign(header, vendor):
            what = f"includes `{header}`"
            yield Objection(include.file.name, include.number, what, cuda_source.INCLUDE_RULE)
    yield from _Compiled(unit.lines, name, backend, binding, vendor).run()


class _Compiled:
    def __init__(
        self, lines: Sequence[Line], name: str, backend: Backend, binding: bool, vendor: Collection[str]
    ) -> None:
        self.lines = lines
        self.name = name
        self.binding = binding
        self.words = cuda_source.refused_words(assembly=backend == "cuda", vendor=vendor)
        self.qualifiers = _QUALIFIERS if backend == "cuda" else frozenset()
        self.starts = [0, *accumulate(len(line.text) for line in lines)]
        text = "".join(line.text for line in lines)
        self.tokens = [token for token in scan(text) if token.kind not in (Kind.BLANK, Kind.NEWLINE)]

    def run(self) -> Iterator[Objection]:
        for index, token in enumerate(self.tokens):
            if token.text == "#":
                yield from self._pragma(index)
            elif token.kind is Kind.WORD:
                yield from self._word(index, token)
            elif token.text == "[" and self._text(index + 1, 1) == "[":
                yield from self._attributes(index + 2, "]")
        for index, what in registering.misuses(self.tokens):
            yield self._object(self.tokens[index], what, _LIBRARY_RULE)

    def _word(self, index: int, token: Token) -> Iterator[Objection]:
        word = token.text
        if word in ("__attribute__", "__attribute", "__declspec"):
            yield from self._attributes(index + 1, ")")
        if _INIT.fullmatch(word):
            yield from self._registration(index)
            return
        if self.binding and word == "attr" and not self._sets_a_constant(index):
            yield self._object(token, "becomes `.attr`, which leads to other objects of Python", PYTHON_RULE)
            return
        if self.binding and python_binding.reaches_out(word):
            yield self._object(token, f"becomes `{word}`, which calls the Python interpreter", PYTHON_RULE)
            return
        for pattern, why, rule in self.words:
            if pattern.fullmatch(word) and not self._is_expected(index, word):
                yield self._object(token, f"becomes `{word}`, which {why}", rule)
                return

    def _is_expected(self, index: int, word: str) -> bool:
        """Whether a macro or the translation put the word there."""
        if word == "simt":
            return self._text(index + 1, 1) == "::" and self._text(index + 2, 1) in generated_names()
        if word.startswith("simt_"):
            return word in generated_names() or re.fullmatch(r"simt_(p|names_)\d*", word) is not None
        if word == "__asm__":
            return _ALIASES.fullmatch(self._text(index, 4)) is not None
        if word == "no_sanitize":
            return self._has_shape(index)
        if word == "StableLibrary":
            return True  # STABLE_TORCH_LIBRARY's; `registering` judges each use of it
        return _PYTHON.fullmatch(word) is not None

    def _sets_a_constant(self, index: int) -> bool:
        """`m.attr("name") = value`, an `attr` that is no member, or PYBIND11_MODULE's own."""
        member = self._text(index - 1, 1) in (".", "->")
        assigned = re.match(r'\( "\w+" \) =', self._text(index + 1, 4)) is not None
        return not member or assigned or _MODULES_NAME in self._text(max(0, index - 6), 15)

    def _registration(self, index: int) -> Iterator[Objection]:
        """The namespace is the first text of the constructor's arguments: what a macro put there, too."""
        end = next(
            (at for at in range(index, len(self.tokens)) if self.tokens[at].text == ";"), len(self.tokens)
        )
        texts = [token.text for token in self.tokens[index:end] if token.kind is Kind.TEXT]
        if texts[:1] != [f'"{self.name}"'] and len(self.tokens) > index + 1:
            where = texts[0] if texts else "a name that is not written out"
            what = f"registers operators of {where}"
            yield self._object(self.tokens[index], what, OPERATORS_RULE)

    def _attributes(self, start: int, end: str) -> Iterator[Objection]:
        depth = 0
        for index in range(start, len(self.tokens)):
            token = self.tokens[index]
            depth += (token.text in "([") - (token.text in ")]")
            if depth < 0 or (depth == 0 and token.text == end == ")"):
                return
            inside = depth == (2 if end == ")" else 0)
            if not inside or token.kind is not Kind.WORD or cuda_source.is_harmless_attribute(token.text):
                continue
            if token.text.strip("_") not in self.qualifiers and not self._has_shape(index):
                yield self._object(token, f"gets the attribute `{token.text}`", cuda_source.ATTRIBUTE_RULE)

    def _has_shape(self, index: int) -> bool:
        return any(shape.match(self._text(index, 8)) for shape in _SHAPES)

    def _pragma(self, index: int) -> Iterator[Objection]:
        """A directive that the preprocessor leaves is a pragma: the file's own, or a macro's `_Pragma`."""
        line = self._line(self.tokens[index])
        words = [token.text for token in self.tokens[index + 1 : index + 20] if self._line(token) is line]
        if words[:1] == ["pragma"] and not cuda_source.is_harmless_pragma(words[1:]):
            yield self._object(self.tokens[index], f"gets `#pragma {' '.join(words[1:3])}`", _RULE)

    def _text(self, index: int, count: int) -> str:
        return " ".join(token.text for token in self.tokens[index : index + count])

    def _line(self, token: Token) -> Line:
        return self.lines[bisect_right(self.starts, token.start) - 1]

    def _object(self, token: Token, what: str, rule: str) -> Objection:
        line = self._line(token)
        return Objection(PurePath(line.file).name, line.number, what, rule)
