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
from grader.support.elf.image import HEADER, read_header

_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QQq")
_SYMBOLS, _RELOCATIONS = 2, 4  # section types SHT_SYMTAB and SHT_RELA
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
    header = read_header(content)
    sections = [
        _SECTION.unpack_from(content, header.sections_at + number * _SECTION.size)
        for number in range(header.section_count or _SECTION.unpack_from(content, header.sections_at)[5])
    ]
    titles = sections[HEADER.unpack_from(content)[-1]][4]  # of the section with the names of sections
    for _, kind, _, _, at, size, link, target, _, _ in sections:
        title = _text(content, titles + sections[target][0]) if kind == _RELOCATIONS else ""
        if kind != _RELOCATIONS or title.startswith((".debug", ".eh_frame")):
            continue
        symbols = sections[link]
        for offset, info, _ in _RELOCATION.iter_unpack(content[at : at + size]):
            name, _, _, defined, _, _ = _SYMBOL.unpack_from(content, symbols[4] + (info >> 32) * _SYMBOL.size)
            if name and not defined:
                yield Use(_text(content, sections[symbols[6]][4] + name), title, offset)


def _text(content: bytes, start: int) -> str:
    return content[start : content.index(0, start)].decode("utf-8", "backslashreplace")


def _places(path: Path, use: Use) -> list[str]:
    """`FILE:LINE` of the use and of what it was inlined into; without debugging information, nothing."""
    program = shutil.which("addr2line")
    if program is None or not use.section.startswith(".text"):
        return []
    command = [program, "-i", "-e", str(path), "-j", use.section, hex(use.offset)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    lines = [line.partition(" (")[0] for line in done.stdout.splitlines()[:_FRAMES]]
    return [line for line in lines if not line.startswith("??") and not line.endswith((":0", ":?"))]
