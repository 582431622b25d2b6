"""Names under which a library registers itself, read from its sources before a compiler starts.

A library of another name compiles, and then does not load: half a minute for one word. What is reported
here is certain. A name behind a macro of the learner's own, or under a condition that only the compiler can
decide, is left to the compiler and the loader.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from cusimt.compiler.sources import closure, missing
from cusimt.translate.lexer import Kind
from cusimt.translate.source import Source
from cusimt.translate.token_streams import TokenStream
from grader.compilation.request import BuildRequest
from grader.compilation.steps import library_dirs

_MODULE = "PYBIND11_MODULE"
_OWN_NAME = "TORCH_EXTENSION_NAME"
_LIBRARY = ("TORCH_LIBRARY", "STABLE_TORCH_LIBRARY")
_KNOWN = frozenset((_MODULE, *_LIBRARY))


@dataclass(frozen=True)
class Mistake:
    """A mistake at a line, and the rule with the remedy; `file` is None where it concerns all sources."""

    file: Path | None
    line: int
    message: str
    rule: str


@dataclass(frozen=True)
class _Use:
    """`macro(name, ...)` in a file, outside of macros and of conditions."""

    macro: str
    name: str
    file: Path
    line: int

    @property
    def where(self) -> str:
        return f"{self.file.name}:{self.line}"


class _Uncertain(Exception):
    """The sources are written in a way that only the compiler can read."""


def find_mistake(request: BuildRequest) -> Mistake | None:
    """The first name in the sources of `request` that cannot be right."""
    files = {file for source in request.sources for file in closure(source, request.include_dirs)}
    try:
        read = [_File.read(file) for file in sorted(files)]
        uses = [use for each in read for use in each.uses(request.name)]
        return _module_mistake(request, uses, read) if request.is_python_module else _library_mistake(uses)
    except _Uncertain:
        return None


@dataclass(frozen=True)
class _File:
    path: Path
    source: str
    code: TokenStream
    macros: Sequence[TokenStream]

    @classmethod
    def read(cls, path: Path) -> _File:
        source = path.read_text(encoding="utf-8-sig", errors="surrogateescape")
        code, *macros = Source(source).streams
        return cls(path, source, code, macros)

    def words(self) -> Iterator[str]:
        for stream in (self.code, *self.macros):
            yield from (token.text for token in stream.tokens if token.kind in (Kind.WORD, Kind.MARK))

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


def _words(stream: TokenStream) -> Iterator[str]:
    return (token.text for token in stream.tokens if token.kind is Kind.WORD)


# ---- modules -------------------------------------------------------------------------------------------


def _module_mistake(request: BuildRequest, uses: Sequence[_Use], files: Sequence[_File]) -> Mistake | None:
    wanted = request.name
    modules = [use for use in uses if use.macro == _MODULE]
    remedy = f"Write {_MODULE}({_OWN_NAME}, m): the build defines {_OWN_NAME} as {wanted}."
    if not modules:
        hidden = _may_have_a_module(files) or _lacks_a_header(request, files)
        return None if hidden else _no_module(wanted, remedy)
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


def _lacks_a_header(request: BuildRequest, files: Sequence[_File]) -> bool:
    """Whether a module may begin in a header that was not read, such as one that the compiler will miss."""
    return any(missing(file.path, request.include_dirs, library_dirs(request)) for file in files)


# ---- operators -----------------------------------------------------------------------------------------


def _library_mistake(uses: Sequence[_Use]) -> Mistake | None:
    """One namespace twice. Which namespace it is, the audit has judged."""
    again = _second([use for use in uses if use.macro in _LIBRARY])
    if again is None:
        return None
    first, second = again
    message = f"{second.macro}({second.name}, ...) is there twice; the first is {first.where}."
    rule = f"A namespace has one {second.macro}. Make the other {second.macro}_FRAGMENT."
    return Mistake(second.file, second.line, message, rule)


def _second(uses: Sequence[_Use]) -> tuple[_Use, _Use] | None:
    """The first two uses of one name."""
    seen: dict[str, _Use] = {}
    for use in uses:
        if use.name in seen:
            return seen[use.name], use
        seen[use.name] = use
    return None
