"""What a library asks of torch and of Python, by its undefined symbols: which releases have all of it.

torch's stable ABI are the C functions that the headers below torch/csrc/stable and
torch/csrc/inductor/aoti_torch declare, each since some release; conditions in those headers say since which.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.version import Version

from cusimt.support.demangling import demangled, qualified
from cusimt.support.toolchain import torch_install
from grader.support.elf import read_library

FIRST = Version("2.9")  # STABLE_TORCH_LIBRARY's; what no condition guards is at least as old
_HEADERS = (
    "torch/csrc/stable/c/shim.h",
    "torch/csrc/inductor/aoti_torch/c",
    "torch/csrc/inductor/aoti_torch/generated",
)
_OF_TORCH = re.compile(r"(?:at|c10|caffe2|torch)::")
_MANGLED = re.compile(r"_Z(?:T[VTSI]|GV)?N[rVKRO]*(?:2at|3c10|6caffe2|5torch)\d")
_OF_TORCHS_PYTHON = re.compile(r"THP\w+")
_OF_PYTHON = re.compile(r"_?Py[A-Z_]\w*")
# What a module's init function calls; with Py_LIMITED_API defined, the headers declare no other variant.
_LIMITED = frozenset(("PyModule_Create2", "PyModuleDef_Init"))
_C_FUNCTION = re.compile(r"(?:aoti_)?torch_\w+")
_DECLARED = re.compile(r"\b((?:aoti_)?torch_\w+)\s*\(")
_CONDITION = re.compile(r"\s*#\s*(if|ifdef|ifndef|endif|else|elif)\b(.*)")
_SINCE = re.compile(r"TORCH_FEATURE_VERSION\s*>=\s*TORCH_VERSION_(\d+)_(\d+)_(\d+)")


@dataclass(frozen=True)
class Symbol:
    """A symbol as the linker knows it, and as it is written in C++."""

    name: str
    text: str


@dataclass(frozen=True)
class Needs:
    """A library's undefined symbols, of three kinds; the compiler's and CUDA's are left out.

    `unstable` are of torch's C++, or C functions that no stable header declares; `python` are CPython's
    outside of the limited API; `stable` are torch's C functions with the release that has them first.
    """

    unstable: tuple[Symbol, ...]
    python: tuple[Symbol, ...]
    stable: dict[str, Version]

    @property
    def oldest(self) -> Version:
        """The oldest release of torch that has all of `stable`."""
        return max(self.stable.values(), default=FIRST)

    @property
    def newest(self) -> tuple[str, ...]:
        """The functions because of which an older release will not do."""
        return tuple(name for name, since in sorted(self.stable.items()) if since == self.oldest)


def needs(library: Path) -> Needs:
    """Raises Malformed for a file that is no shared library."""
    return sort_out(each.name for each in read_library(library).symbols if not each.defined and each.name)


def sort_out(undefined: Iterable[str]) -> Needs:
    symbols = sorted(set(undefined))
    declared = introduced()
    unstable, python, stable = [], [], {}
    for name, text in zip(symbols, demangled(symbols), strict=True):
        if is_of_torchs_cxx(text) or _OF_TORCHS_PYTHON.fullmatch(name):
            unstable.append(Symbol(name, text))
        elif _OF_PYTHON.fullmatch(name):
            if name not in _LIMITED:
                python.append(Symbol(name, text))
        elif name in declared:
            stable[name] = declared[name]
        elif _C_FUNCTION.fullmatch(name):
            unstable.append(Symbol(name, text))
    return Needs(tuple(unstable), tuple(python), stable)


def is_of_torchs_cxx(text: str) -> bool:
    """Whether a symbol, as written in C++, is in one of torch's namespaces; or as it is mangled, where
    binutils are missing or cannot read it.
    """
    return (_MANGLED.match(text) or _OF_TORCH.match(qualified(text))) is not None


@functools.cache
def introduced() -> dict[str, Version]:
    """torch's stable C functions, as the installed headers declare them, with their first release."""
    include = torch_install().root / "include"
    found: dict[str, Version] = {}
    for path in _files(include):
        for name, since in _declarations(path.read_text(encoding="utf-8").splitlines()):
            found[name] = min(since, found.get(name, since))
    return found


def _files(include: Path) -> Iterator[Path]:
    for name in _HEADERS:
        place = include / name
        yield from sorted(place.glob("*.h")) if place.is_dir() else [place]


def _declarations(lines: Sequence[str]) -> Iterator[tuple[str, Version]]:
    """Names that precede a parenthesis, each under the conditions on the release that surround it."""
    conditions: list[Version] = []
    for line in lines:
        directive = _CONDITION.match(line)
        if directive is None:
            code = line.partition("//")[0]
            yield from ((name, max(conditions, default=FIRST)) for name in _DECLARED.findall(code))
        elif directive[1] == "endif":
            conditions.pop()
        elif directive[1] in ("else", "elif"):
            conditions[-1] = FIRST
        else:
            since = _SINCE.search(directive[2])
            conditions.append(_release(since) if since else FIRST)


def _release(since: re.Match[str]) -> Version:
    major, minor, patch = since.groups()
    return Version(f"{major}.{minor}" if patch == "0" else f"{major}.{minor}.{patch}")
