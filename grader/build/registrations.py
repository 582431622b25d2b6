"""Names under which a library registers itself, read from its sources before a compiler starts.

A library of another name compiles, and then does not load: half a minute for one word. What is reported
here is certain. A name behind a macro of the learner's own, or under a condition that only the compiler can
decide, is left to the compiler and the loader.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.build.request import BuildRequest
from grader.simt.includes import closure
from grader.simt.translate.lexer import Kind
from grader.simt.translate.passages import Passage, passages

_MODULE = "PYBIND11_MODULE"
_OWN_NAME = "TORCH_EXTENSION_NAME"
_LIBRARY = ("TORCH_LIBRARY", "STABLE_TORCH_LIBRARY")
_FRAGMENT = ("TORCH_LIBRARY_FRAGMENT", "STABLE_TORCH_LIBRARY_FRAGMENT")
_IMPLEMENTATION = ("TORCH_LIBRARY_IMPL", "STABLE_TORCH_LIBRARY_IMPL")
_DEFINING = ("Library", "custom_op", "define", "triton_op", "load_library", "load", "load_inline")
_KNOWN = frozenset((_MODULE, *_LIBRARY, *_FRAGMENT, *_IMPLEMENTATION))


@dataclass(frozen=True)
class Mistake:
    """What is wrong at a line, and the rule with the remedy; ``file`` is None where it is all sources."""

    file: Path | None
    line: int
    message: str
    rule: str


@dataclass(frozen=True)
class _Use:
    """``macro(name, ...)`` in a file, outside of macros and of conditions."""

    macro: str
    name: str
    file: Path
    line: int

    @property
    def where(self) -> str:
        return f"{self.file.name}:{self.line}"


class _Uncertain(Exception):
    """The sources are written in a way that only the compiler can read."""


def find_mistake(request: BuildRequest, python: Path | None) -> Mistake | None:
    """The first name in the sources of `request` that cannot be right; `python` is its op.py, if any."""
    files = {file for source in request.sources for file in closure(source, request.include_dirs)}
    try:
        read = [_File.read(file) for file in sorted(files)]
        uses = [use for each in read for use in each.uses(request.name)]
        if request.is_python_module:
            return _module_mistake(request.name, uses, read)
        return _library_mistake(request.name, uses, python)
    except _Uncertain:
        return None


@dataclass(frozen=True)
class _File:
    path: Path
    source: str
    code: Passage
    macros: Sequence[Passage]

    @classmethod
    def read(cls, path: Path) -> _File:
        source = path.read_text(encoding="utf-8-sig", errors="surrogateescape")
        code, *macros = passages(source)
        return cls(path, source, code, macros)

    def words(self) -> Iterator[str]:
        for passage in (self.code, *self.macros):
            yield from (token.text for token in passage.tokens if token.kind in (Kind.WORD, Kind.MARK))

    def uses(self, own_name: str) -> Iterator[_Use]:
        """Every registration in the code, in order. Raises _Uncertain where a macro may stand behind one."""
        defined = {macro.name for macro in self.macros}
        if not _KNOWN.isdisjoint(defined) or _OWN_NAME in defined:
            raise _Uncertain
        if any(word in _KNOWN for macro in self.macros for word in _words(macro)):
            raise _Uncertain
        for index in sorted(at for word in _KNOWN for at in self.code.positions(word)):
            ordinary = self.code.text(index + 1) == "(" and self.code.is_word(index + 2)
            name = self.code.text(index + 2)
            ordinary = ordinary and self.code.text(index + 3) == "," and name not in defined
            if not ordinary or self.code.is_uncertain(index):
                raise _Uncertain
            line = self.source.count("\n", 0, self.code.tokens[index].start) + 1
            yield _Use(self.code.text(index), own_name if name == _OWN_NAME else name, self.path, line)


def _words(passage: Passage) -> Iterator[str]:
    return (token.text for token in passage.tokens if token.kind is Kind.WORD)


# ---- modules -------------------------------------------------------------------------------------------


def _module_mistake(wanted: str, uses: Sequence[_Use], files: Sequence[_File]) -> Mistake | None:
    modules = [use for use in uses if use.macro == _MODULE]
    remedy = f"Write {_MODULE}({_OWN_NAME}, m): the build defines {_OWN_NAME} as {wanted}."
    if not modules:
        return None if _may_have_a_module(files) else _no_module(wanted, remedy)
    if again := _second(modules):
        first, second = again
        message = f"{_MODULE}({second.name}, ...) is there twice; the first is {first.where}."
        return Mistake(second.file, second.line, message, f"A library is one module. {remedy}")
    if any(use.name == wanted for use in modules):
        return None
    first, *others = modules
    more = f" Another module begins at {others[0].where}." if others else ""
    message = f"The module is called {first.name}, and Python imports {wanted}.{more}"
    rule = "A library is one module, under the library's name." if others else "The names must be the same."
    return Mistake(first.file, first.line, message, f"{rule} {remedy}")


def _no_module(wanted: str, remedy: str) -> Mistake:
    message = f"No source has a {_MODULE}, and Python imports a module called {wanted}."
    return Mistake(None, 0, message, remedy)


def _may_have_a_module(files: Sequence[_File]) -> bool:
    """Whether a module may begin in another way: written by hand, by another library, by a macro."""
    words = {word for file in files for word in file.words()}
    return "##" in words or any(word.startswith("PyInit_") or word.endswith("_MODULE") for word in words)


# ---- operators -----------------------------------------------------------------------------------------


def _library_mistake(namespace: str, uses: Sequence[_Use], python: Path | None) -> Mistake | None:
    libraries = [use for use in uses if use.macro in _LIBRARY]
    if again := _second(libraries):
        first, second = again
        message = f"{second.macro}({second.name}, ...) is there twice; the first is {first.where}."
        rule = f"A namespace has one {second.macro}. Make the other {second.macro}_FRAGMENT."
        return Mistake(second.file, second.line, message, rule)
    definitions = [use for use in uses if use.macro in (*_LIBRARY, *_FRAGMENT)]
    if not definitions or any(use.name == namespace for use in definitions):
        return None
    if python is None or not python.is_file():
        return None
    line = _asks_for(python, namespace)
    if not line:
        return None
    first = definitions[0]
    calls = f"{python.name}:{line} calls torch.ops.{namespace}"
    message = f"{first.macro} defines operators of {first.name}, and {calls}."
    rule = f"Both must name one namespace. Write {first.macro}({namespace}, m)."
    return Mistake(first.file, first.line, message, rule)


def _second(uses: Sequence[_Use]) -> tuple[_Use, _Use] | None:
    """The first two uses of one name."""
    seen: dict[str, _Use] = {}
    for use in uses:
        if use.name in seen:
            return seen[use.name], use
        seen[use.name] = use
    return None


def _asks_for(python: Path, namespace: str) -> int:
    """The first line that reads ``torch.ops.<namespace>``; 0 where none does, or Python may define it."""
    try:
        tree = ast.parse(python.read_text(encoding="utf-8"))
    except (SyntaxError, ValueError):
        return 0
    lines = []
    for node in ast.walk(tree):
        named = isinstance(node, ast.Name | ast.Attribute | ast.alias) and _last_name(node) in _DEFINING
        if named and ast.unparse(node) != "grader.load":  # which loads these sources
            return 0
        if isinstance(node, ast.Attribute) and ast.unparse(node) == f"torch.ops.{namespace}":
            lines.append(node.lineno)
    return min(lines, default=0)


def _last_name(node: ast.Name | ast.Attribute | ast.alias) -> str:
    match node:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return node.name.rpartition(".")[2]
