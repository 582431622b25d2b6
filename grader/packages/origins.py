"""The source lines at which compiled objects use a symbol of torch's C++, or of Python.

For packages built on the stable headers only: what an ordinary extension uses of torch is no mistake. The
objects are a stranger's, so this runs in the confined process that built them, and only where the compiler
left lines (`-g`, which Python's own flags have) does it find more than the name of the source.
"""

from __future__ import annotations

import json
import re
import shutil
import struct
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from cusimt.support.demangling import demangled
from grader.packages.stable_abi import is_of_torchs_cxx
from grader.support.elf import Malformed
from grader.support.elf.image import HEADER
from grader.support.elf.relocatable import SYMBOL, sections_of, text_at

_RELOCATION = struct.Struct("<QQq")
_RELOCATIONS = 4  # section type SHT_RELA
_HEADERS = re.compile(r"torch/csrc/stable/|STABLE_TORCH_LIBRARY")
_SECONDS = 60
_FRAMES = 12  # of functions inlined into each other


class Use(NamedTuple):
    """Where an object uses a symbol: in which section, and at which offset."""

    symbol: str
    section: str
    offset: int


def write(sources: Sequence[Path], objects: Path, out: Path) -> None:
    """Write `{symbol: [place, ...]}` to `out`, innermost place first, for the objects below `objects`.

    Does nothing unless one of `sources` includes the stable headers.
    """
    if any(_HEADERS.search(path.read_text(encoding="utf-8", errors="replace")) for path in sources):
        found: dict[str, list[str]] = {}
        for path in sorted(objects.rglob("*.o")):
            for name, places in origins(path).items():
                found.setdefault(name, places)
        out.write_text(json.dumps(found))


def origins(path: Path) -> dict[str, list[str]]:
    """The first use in an object of each symbol of torch's C++, or of Python, that it does not define."""
    try:
        uses = list(_uses(path.read_bytes()))
    except (struct.error, IndexError, ValueError, Malformed):
        return {}
    first: dict[str, Use] = {}
    for use in sorted(uses, key=lambda each: not each.section.startswith(".text")):
        first.setdefault(use.symbol, use)
    names = sorted(first)
    wanted = [
        name for name, text in zip(names, demangled(names), strict=True)
        if is_of_torchs_cxx(text) or name.startswith(("Py", "_Py", "THP"))
    ]  # fmt: skip
    return {name: _places(path, first[name]) for name in wanted}


def _uses(content: bytes) -> Iterator[Use]:
    """The relocations against undefined symbols, outside of what is about debugging."""
    sections = sections_of(content)
    titles = sections[HEADER.unpack_from(content)[-1]].offset  # of the section with the names of sections
    for each in sections:
        title = text_at(content, titles + sections[each.info].name) if each.kind == _RELOCATIONS else ""
        if each.kind != _RELOCATIONS or title.startswith((".debug", ".eh_frame")):
            continue
        symbols = sections[each.link]
        names, table = sections[symbols.link].offset, symbols.offset
        for offset, info, _ in _RELOCATION.iter_unpack(content[each.offset : each.offset + each.size]):
            name, _, _, defined, _, _ = SYMBOL.unpack_from(content, table + (info >> 32) * SYMBOL.size)
            if name and not defined:
                yield Use(text_at(content, names + name), title, offset)


def _places(path: Path, use: Use) -> list[str]:
    """`FILE:LINE` of the use and of what it was inlined into; without debugging information, nothing."""
    program = shutil.which("addr2line")
    if program is None or not use.section.startswith(".text"):
        return []
    command = [program, "-i", "-e", str(path), "-j", use.section, hex(use.offset)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    lines = [line.partition(" (")[0] for line in done.stdout.splitlines()[:_FRAMES]]
    return [line for line in lines if not line.startswith("??") and not line.endswith((":0", ":?"))]
