"""What an earlier build has left for an edit of kernels: the host's object, and the names of the kernels.

The host's object follows from `sources.host_side` of a source and of its own headers. Once a build has shown
which object that is, the next one with the same host's side needs no look at it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from cusimt.compiler.sources import closure
from cusimt.profile.instances import instance_name
from cusimt.support import cache
from cusimt.support.demangling import demangled
from cusimt.support.toolchain import cuda_toolkit, host_compiler
from grader.compilation.quick.nvcc_steps import NvccSteps
from grader.compilation.quick.sources import host_side

_ROOM = "shortcuts"
_FILE = "shortcut.json"
_ENTRY = re.compile(r"^\s*(?:\.visible |\.weak )?\.entry (\w+)\(", re.MULTILINE)
_OTHER_SYMBOLS = re.compile(r"__cudaRegister(?:Var|ManagedVar|Texture|Surface)\b")


@dataclass(frozen=True)
class Shortcut:
    """The cache key of the host's object, and the symbols of the kernels that it launches."""

    host_key: tuple[object, ...]
    kernels: tuple[str, ...]


def key_of(one: NvccSteps, include_dirs: Iterable[Path]) -> list[object] | None:
    """What `find` and `remember` know a build by; None where its host's side cannot be told."""
    key: list[object] = ["host side", cuda_toolkit().identity, host_compiler().version, *one.host_command()]
    for file in closure(one.source, include_dirs):
        side = host_side(file.read_text("utf-8", "surrogateescape"))
        if side is None:
            return None
        key += [file, cache.digest([side])]
    return key


def remember(key: list[object], one: NvccSteps) -> None:
    """Note what `one`, whose steps have run and whose code is taken out, is an example of."""
    if not one.ptx.is_file() or _OTHER_SYMBOLS.search(one.stub.read_text()):
        return
    kernels = kernels_in(one.ptx.read_text())
    with cache.entry(key, room=_ROOM) as slot:
        if slot.missing:
            (slot.folder / _FILE).write_text(json.dumps({"host": one.host_key(), "kernels": kernels}))


def find(key: list[object]) -> Shortcut | None:
    """What was remembered of a build with this key, while its object is kept."""
    if not cache.holds(key, room=_ROOM):
        return None
    with cache.entry(key, room=_ROOM) as slot:
        if slot.missing:
            slot.discard()
            return None
        found = json.loads((slot.path / _FILE).read_text())
    shortcut = Shortcut(tuple(found["host"]), tuple(found["kernels"]))
    return shortcut if cache.holds(shortcut.host_key, room="objects") else None


def kernels_in(ptx: str) -> list[str]:
    """The symbols of the kernels in a text of PTX."""
    return _ENTRY.findall(ptx)


def expressions(kernels: Sequence[str]) -> list[str] | None:
    """How a program names kernels by their symbols; None where it cannot, as with a lambda's type."""
    names = [instance_name(name) for name in demangled(kernels)]
    return None if any("{" in name or "'" in name for name in names) else names
