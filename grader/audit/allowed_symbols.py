"""What a compiled submission may ask other libraries for: the groups of symbols.toml."""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.demangling import demangled, qualified

TABLE = Path(__file__).with_name("symbols.toml")


@dataclass(frozen=True)
class Group:
    """Names with one reason. ``kernels``: objects with kernels may ask for them, too; ``python``: only
    Python modules may.
    """

    title: str
    reason: str
    names: tuple[str, ...]
    kernels: bool = False
    python: bool = False


@functools.cache
def groups() -> tuple[Group, ...]:
    table = tomllib.loads(TABLE.read_text())["group"]
    return tuple(Group(**{**group, "names": tuple(group["names"])}) for group in table)


@functools.cache
def _allowed(kernels: bool, python: bool) -> re.Pattern[str]:
    chosen = (group for group in groups() if (group.kernels or not kernels) and (python or not group.python))
    return re.compile("|".join(f"(?:{name})" for group in chosen for name in group.names))


def not_allowed(symbols: Iterable[str], *, kernels: bool, python: bool) -> list[tuple[str, str]]:
    """Those of ``symbols`` that no group allows, each with its name as written in C++, by that name."""
    names = sorted(set(symbols))
    pattern = _allowed(kernels, python)
    readable = zip(names, demangled(names), strict=True)
    return sorted(
        ((name, text) for name, text in readable if not pattern.fullmatch(qualified(text))),
        key=lambda each: each[1],
    )


# Whole families of C functions that the libraries around a submission define.
_FAMILIES = re.compile(
    r"simt_\w+|__tsan_\w+|cuda[A-Z]\w*|cu(blas|sparse|rand)[A-Z]\w*|_?Py[A-Z_]\w*|THP[A-Z]\w*|aoti_torch_\w+"
)


def belonging_to_others(names: Sequence[str]) -> list[str]:
    """Those of C functions' names that only the libraries around a submission may define."""
    pattern = _allowed(False, True)
    c_names = [name for name in names if not name.startswith("_Z")]
    return [name for name in c_names if pattern.fullmatch(name) or _FAMILIES.match(name)]
