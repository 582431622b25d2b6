"""What a program hands to NVRTC, and its sources as files.

They lie in the cache, where findings look for their lines.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from cusimt.folders import INCLUDE
from cusimt.support import cache
from cusimt.support.errors import UsageError

__all__ = ["NAME_MAP", "Request", "Sources"]

NAME_MAP = "__nv_name_map"  # where NVRTC's log has the name expressions
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]', re.MULTILINE)
# Device code without a C library defines these itself, and often not as the host's headers do.
_OWN_INTEGER = re.compile(r"\btypedef\b[^;{}()]*\b(u?int64_t)\s*;|\busing\s+(u?int64_t)\s*=")
_HEADERS = "headers/up/up/up"  # the name of a header may lead upwards


@dataclass(frozen=True)
class Request:
    """What nvrtcCreateProgram, nvrtcAddNameExpression and nvrtcCompileProgram were given."""

    source: str
    name: str
    headers: tuple[str, ...]
    include_names: tuple[str, ...]
    expressions: tuple[str, ...]
    options: tuple[str, ...]

    @classmethod
    def read(cls, folder: Path) -> Request:
        """What `runtime/nvrtc_compile.cpp` has written."""

        def text(name: str) -> str:
            return (folder / name).read_bytes().decode("utf-8", "surrogateescape")

        def texts(name: str) -> tuple[str, ...]:
            return tuple(text(name).split("\0")[:-1])

        headers, names = texts("headers"), texts("include_names")
        return cls(text("source"), text("name"), headers, names, texts("expressions"), texts("options"))


@dataclass(frozen=True)
class Sources:
    """The files of a request: `unit` is what is compiled; it includes `source` and has the expressions."""

    unit: Path
    source: Path
    headers: Path  # the folder of the headers that the program named

    @classmethod
    def of(cls, request: Request) -> Sources:
        """The files in the cache; a source that is the content of the file of its name stays there.

        Raises UsageError for a header whose name is no place below a folder of headers.
        """
        original = Path(request.name).absolute()
        is_there = _content(original) == request.source
        parts = [request.source, str(original) if is_there else request.name, *request.expressions]
        parts += ["headers", *request.headers, "names", *request.include_names]
        with cache.entry(parts, room="nvrtc-sources") as slot:
            source = original if is_there else slot.path / original.name
            if slot.missing:
                if not is_there:
                    _write(slot.folder / original.name, request.source)
                for name, text in zip(request.include_names, request.headers, strict=True):
                    _write(_header(slot.folder, name), text)
                _write(slot.folder / "unit" / f"{NAME_MAP}.cu", _unit(source, request))
        return cls(slot.path / "unit" / f"{NAME_MAP}.cu", source, slot.path / _HEADERS)


def _content(file: Path) -> str | None:
    try:
        return file.read_bytes().decode("utf-8", "surrogateescape")
    except OSError:
        return None


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode("utf-8", "surrogateescape"))


def _header(root: Path, name: str) -> Path:
    path = Path(os.path.normpath(root / _HEADERS / name))
    if Path(name).is_absolute() or not path.is_relative_to(root / "headers"):
        raise UsageError(
            f"The header {name} has no place in a folder of headers.",
            "The simulated NVRTC writes named headers into a folder, where includes find them.",
            "Give it a relative name in nvrtcCreateProgram.",
        )
    return path


def _unit(source: Path, request: Request) -> str:
    lines = [*_own_integers([request.source, *request.headers]), f'#include "{source}"']
    lines.append(f'#line 2 "{NAME_MAP}"')  # as NVRTC counts them
    lines += (f"SIMT_NAME_EXPRESSION({number}, {each})" for number, each in enumerate(request.expressions))
    return "\n".join([*lines, ""])


def _own_integers(texts: Sequence[str]) -> Iterable[str]:
    """Lines that give the program's own 64-bit integers another name than the host's.

    The toolkit's headers that the program includes come first: they mean the host's.
    """
    names = {name for text in texts for found in _OWN_INTEGER.findall(text) for name in found if name}
    if not names:
        return
    included = dict.fromkeys(name for text in texts for name in _INCLUDE.findall(text))
    yield from (f"#include <{name}>" for name in included if (INCLUDE / name).is_file())
    yield from (f"#define {name} nvrtc_{name}" for name in sorted(names))
