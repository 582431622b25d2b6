"""Links a library again without reading torch's symbols, which is what most of a link takes.

A library that asks for the same symbols as one that was linked before links as well as that one did. So empty
libraries with the names of torch's serve: their names go into the library, and the loader finds the symbols
in torch itself.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path

from cusimt.support import cache
from cusimt.support.toolchain import host_compiler, torch_install
from grader.compilation.request import BuildRequest
from grader.compilation.steps import link_flags, torch_libraries

_ROOM = "links"


def stand_ins(request: BuildRequest, asked: Iterable[str]) -> Path | None:
    """The folder of empty libraries, where a library of `request` that asks for these symbols has linked."""
    return (
        _empty_libraries(torch_libraries(request)) if cache.holds(_key(request, asked), room=_ROOM) else None
    )


def remember(request: BuildRequest, asked: Iterable[str]) -> None:
    """Note that a library of `request` that asks for these symbols has linked."""
    with cache.entry(_key(request, asked), room=_ROOM) as slot:
        if slot.missing:
            (slot.folder / "linked").touch()


def _key(request: BuildRequest, asked: Iterable[str]) -> list[object]:
    flags = [*link_flags(request), *request.ld_flags]
    return ["linked", host_compiler().version, torch_install().version, *flags, *sorted(asked)]


def _empty_libraries(names: Iterable[str]) -> Path:
    compiler = host_compiler()
    with cache.entry(["empty", *compiler.command, compiler.version, *names], room=_ROOM) as slot:
        for name in names if slot.missing else ():
            file = f"lib{name}.so"
            command = [*compiler.command, "-shared", "-nostdlib", f"-Wl,-soname,{file}", "-x", "c"]
            subprocess.run([*command, "/dev/null", "-o", slot.folder / file], check=True)
    return slot.path
