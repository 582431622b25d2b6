"""The imports that a compiled submission may have: the groups of symbols.toml."""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cusimt.support.demangling import demangled, qualified
from grader.support.backends import BACKENDS, Backend

TABLE = Path(__file__).with_name("symbols.toml")


@dataclass(frozen=True)
class Use:
    """Who asks: on which `backend`, whether for a file with `kernels`, a module of `python`, and one
    whose arguments are `arrays` of NumPy. `vendor` names the libraries of NVIDIA that it may call.
    """

    backend: Backend
    kernels: bool
    python: bool
    arrays: bool = False
    vendor: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Group:
    """Names with one reason. `kernels`: objects with kernels may ask for them, too; `python`: only Python
    modules may; `backends`: only there; `arrays`: on cuda, only modules that take NumPy's arrays;
    `vendor`: only where the exercise is about calling that library.
    """

    title: str
    reason: str
    names: tuple[str, ...]
    kernels: bool = False
    python: bool = False
    backends: tuple[str, ...] = BACKENDS
    arrays: bool = False
    vendor: str = ""

    def serves(self, use: Use) -> bool:
        staged = use.arrays or not self.arrays or use.backend == "simt"
        fits = (self.kernels or not use.kernels) and (use.python or not self.python)
        granted = not self.vendor or self.vendor in use.vendor
        return fits and staged and granted and use.backend in self.backends


@dataclass(frozen=True)
class Refused:
    """Names of one kind that no group has: what they do, and what to write in their place."""

    names: re.Pattern[str]
    does: str
    instead: str


@functools.cache
def groups() -> tuple[Group, ...]:
    return tuple(_group(**group) for group in _table()["group"])


def _group(names: list[str], backends: Sequence[str] = BACKENDS, **facts: Any) -> Group:
    return Group(names=tuple(names), backends=tuple(backends), **facts)


@functools.cache
def refused() -> tuple[Refused, ...]:
    """Kinds of names that are explained when they are refused."""
    return tuple(
        Refused(_pattern(each["names"]), each["does"], each["instead"]) for each in _table()["refused"]
    )


def not_allowed(symbols: Iterable[str], use: Use) -> list[tuple[str, str]]:
    """Those of `symbols` that no group allows, each with its name as written in C++, by that name."""
    names = sorted(set(symbols))
    pattern = _allowed(use)
    readable = zip(names, demangled(names), strict=True)
    return sorted(
        ((name, text) for name, text in readable if not pattern.fullmatch(qualified(text))),
        key=lambda each: each[1],
    )


def why_refused(name: str) -> Refused | None:
    """What a name does that is refused, by its name as written in C++; None where the table does not say."""
    return next((each for each in refused() if each.names.fullmatch(qualified(name))), None)


@functools.cache
def _table() -> dict[str, Any]:
    return tomllib.loads(TABLE.read_text(encoding="utf-8"))


@functools.cache
def _allowed(use: Use) -> re.Pattern[str]:
    return _pattern(name for group in groups() if group.serves(use) for name in group.names)


def _pattern(names: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{name})" for name in names))


# Whole families of C functions that the libraries around a submission define.
_FAMILIES = re.compile(
    r"simt_\w+|__tsan_\w+|(__)?cuda[A-Z]\w*|cu(blas|sparse|rand)[A-Z]\w*|_?Py[A-Z_]\w*|THP[A-Z]\w*|aoti_torch_\w+"
)


def belonging_to_others(names: Sequence[str]) -> list[str]:
    """Those of C functions' names that only the libraries around a submission may define."""
    every = frozenset(group.vendor for group in groups())
    uses = [Use(backend, kernels=False, python=True, arrays=True, vendor=every) for backend in BACKENDS]
    c_names = [name for name in names if not name.startswith("_Z")]
    return [
        name
        for name in c_names
        if any(_allowed(use).fullmatch(name) for use in uses) or _FAMILIES.match(name)
    ]
