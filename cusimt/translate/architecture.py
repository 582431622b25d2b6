"""Decide each condition on `__CUDA_ARCH__`.

nvcc compiles a file once for the host, without `__CUDA_ARCH__`, and once for the device, with it. Here one
pass serves both, so each `#if` that asks for it is decided by where it stands:

- in a `__global__` or `__device__` function: as on the device;
- in any other function, where each branch is made of whole statements: both are compiled, and the one that
  runs is chosen when the function is called, on the host or in a kernel;
- elsewhere: as on the device, except that what only the host is to see (`#ifndef __CUDA_ARCH__` without an
  `#else`) stays.

Where the device's branch is PTX that this backend does not run, the branch of an older architecture is
taken if there is one that does the work. A condition that also depends on other macros is left to the
compiler, with the name SIMT_CUDA_ARCH, which is always defined.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from cusimt.translate.conditions import Unknown, value_of
from cusimt.translate.lexer import Kind, Token
from cusimt.translate.rewrite import Rewrite
from cusimt.translate.scopes import device_bodies, is_file_scope
from cusimt.translate.source import Source
from cusimt.translate.statements import are_statements
from cusimt.translate.token_streams import TokenStream

NAME = "__CUDA_ARCH__"
_RENAMED = "SIMT_CUDA_ARCH"
_OLDER = (800, 750, 700, 600, None)  # architectures to fall back to; None: as on the host
_GIVING_UP = re.compile(r"\w*(trap|assert|unreachable)\w*|printf|abort", re.IGNORECASE)


@dataclass
class _Branch:
    """`#if`, `#elif` or `#else` with what it guards; `condition` is None for `#else`."""

    directive: list[Token]
    condition: str | None
    body: list[Token] = field(default_factory=list)  # without blanks and directives


@dataclass
class _Group:
    branches: list[_Branch]
    end: list[Token] = field(default_factory=list)  # the words of #endif


def decide_architecture(source: Source, architecture: int, runs: Callable[[list[Token]], bool]) -> Source:
    """`source` with its conditions on `__CUDA_ARCH__` decided; every line stays where it was.

    `architecture`: of the simulated device, 900 for sm_90. `runs`: whether this backend runs given tokens.
    """
    if NAME not in source.text:
        return source
    rewrite = Rewrite(source.text)
    code = source.streams[0]
    decided: set[int] = set()  # where the words stand that must not be renamed any more
    for group in _groups(source):
        if any(branch.condition and NAME in branch.condition for branch in group.branches):
            decided |= _Decision(code, group, architecture, runs).apply(rewrite)
    for token in source.tokens:
        if token.kind is Kind.WORD and token.text == NAME and token.start not in decided:
            rewrite.replace(token, token, _RENAMED)
    return Source(rewrite.result())


class _Decision:
    """The decision on one group of branches."""

    def __init__(
        self, code: TokenStream, group: _Group, architecture: int, runs: Callable[[list[Token]], bool]
    ) -> None:
        self._code, self._group, self._architecture, self._runs = code, group, architecture, runs

    def apply(self, rewrite: Rewrite) -> set[int]:
        """Write it down; answers where the words stand that it dealt with."""
        group = self._group
        host, device = self._taken(None), self._taken(self._architecture)
        if isinstance(device, Unknown):
            return set()
        if host != device and not isinstance(host, Unknown) and self._chooses_at_run_time():
            self._write_choice(rewrite, first_on_device=device == 0)
        else:
            self._write_constants(rewrite, self._branch_for_both(device))
        words = [word for branch in group.branches for word in branch.directive]
        return {word.start for word in words}

    def _branch_for_both(self, device: int | None) -> int | None:
        branches = self._group.branches
        is_for_the_host = device is None and len(branches) == 1 and _asks_definedness(branches[0])
        if is_for_the_host and not self._is_on_device():
            return 0
        if device is None or self._runs(branches[device].body):
            return device
        for older in _OLDER:
            other = self._taken(older)
            if isinstance(other, int) and other != device and self._does_the_work(branches[other].body):
                return other
        return device

    def _does_the_work(self, body: list[Token]) -> bool:
        gives_up = any(token.kind is Kind.WORD and _GIVING_UP.fullmatch(token.text) for token in body)
        return bool(body) and not gives_up and self._runs(body)

    def _chooses_at_run_time(self) -> bool:
        branches, index = self._group.branches, self._index()
        if len(branches) > 2 or (len(branches) == 2 and branches[1].condition is not None):
            return False
        if is_file_scope(self._code, index) or self._is_on_device():
            return False
        at_statement = self._code.text(index - 1) in (";", "{", "}")
        return at_statement and all(are_statements(branch.body) for branch in branches)

    def _is_on_device(self) -> bool:
        return self._index() in device_bodies(self._code)

    def _index(self) -> int:
        """Of the first token of the code behind the group's first directive."""
        start = self._group.branches[0].directive[0].start
        tokens = self._code.tokens
        return next((i for i, token in enumerate(tokens) if token.start > start), len(tokens))

    def _taken(self, architecture: int | None) -> int | Unknown | None:
        """Index of the branch that the compiler takes, None for none of them."""
        for index, branch in enumerate(self._group.branches):
            value = 1 if branch.condition is None else value_of(branch.condition, {NAME: architecture})
            if isinstance(value, Unknown):
                return value
            if value:
                return index
        return None

    def _write_constants(self, rewrite: Rewrite, taken: int | None) -> None:
        for index, branch in enumerate(self._group.branches):
            if branch.condition is not None:
                word = "if" if index == 0 else "elif"
                rewrite.replace(branch.directive[0], branch.directive[-1], f"#{word} {int(index == taken)}")

    def _write_choice(self, rewrite: Rewrite, first_on_device: bool) -> None:
        first, *others = self._group.branches
        test = "::simt::on_device()" if first_on_device else "!::simt::on_device()"
        rewrite.replace(first.directive[0], first.directive[-1], f"if ({test}) {{")
        for other in others:
            rewrite.replace(other.directive[0], other.directive[-1], "} else {")
        rewrite.replace(self._group.end[0], self._group.end[-1], "}")


def _groups(source: Source) -> list[_Group]:
    """All groups of branches, inner ones too; an `#if` without its `#endif` is none."""
    found: list[_Group] = []
    pending: list[_Group] = []
    for words, is_directive in source.lines:
        name = words[1].text if is_directive and len(words) > 1 else ""
        if not is_directive or name in ("define", "include", "error"):
            for group in pending:
                group.branches[-1].body += words
        elif name in ("if", "ifdef", "ifndef"):
            pending.append(_Group([_Branch(words, _condition(name, words[2:]))]))
        elif name in ("elif", "elifdef", "elifndef", "else") and pending:
            condition = None if name == "else" else _condition(name[2:], words[2:])
            pending[-1].branches.append(_Branch(words, condition))
        elif name == "endif" and pending:
            pending[-1].end = words
            found.append(pending.pop())
    return found


def _condition(name: str, words: list[Token]) -> str:
    """A condition as text, `#ifdef` and `#ifndef` spelled with `defined`."""
    text = ""
    for before, word in zip([None, *words], words, strict=False):
        text += (" " if before and before.end < word.start else "") + word.text
    return {"ifdef": f"defined({text})", "ifndef": f"!defined({text})"}.get(name, text)


def _asks_definedness(branch: _Branch) -> bool:
    return re.fullmatch(rf"\(?!\s*defined\s*\(?\s*{NAME}\s*\)?\)?", branch.condition or "") is not None
