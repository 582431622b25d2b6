"""The log of a compilation in NVRTC's form: `saxpy.cu(3): error: ...`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from cusimt.compiler.nvrtc_request import NAME_MAP, Request, Sources
from cusimt.folders import INCLUDE

__all__ = ["compiler_log", "invalid_option_log", "missing_header_log"]

_DIAGNOSTIC = re.compile(r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+):(?:\d+:)?[ ]*(?P<rest>.*)$")
_INCLUDED = re.compile(r"^(In file included| +)[ ]*from ")
_UNDEFINED = re.compile(r"undefined reference to `([^']*)'")
_LINKER = re.compile(r"^(/\S*ld: /\S+\.o: in function|collect2: )")
_EXPRESSION_LINE = 2  # of the first name expression


def invalid_option_log(message: str) -> str:
    return f"nvrtc: error: {message}\n"


def missing_header_log(name: str, line: int, header: str, program: str, has_folders: bool) -> str:
    """As NVRTC stops at an include that it does not find."""
    without = "" if has_folders else " (no directories in search list)"
    verb = "cannot" if has_folders else "could not"
    return (
        f'{name}({line}): catastrophic error: {verb} open source file "{header}"{without}\n'
        "  NVRTC has no headers but those that the program names and those in folders of -I: the toolkit's\n"
        "  own need a -I, too. What only the host needs belongs below #ifndef __CUDACC_RTC__.\n\n"
        f'1 catastrophic error detected in the compilation of "{program}".\nCompilation terminated.\n'
    )


def compiler_log(text: str, request: Request, sources: Sources) -> str:
    """What the host compiler wrote, with the names that the program gave to its files."""
    names = {str(sources.source): request.name, f"{sources.headers}/": "", str(sources.unit): NAME_MAP}
    for path, name in names.items():
        text = text.replace(path, name)
    said = (
        line for line in _without_our_notes(text) if not _INCLUDED.match(line) and not _LINKER.match(line)
    )
    lines = [_line(line, request.expressions) for line in said]
    errors = sum(bool(re.search(r"\): (fatal )?error: ", line)) for line in lines)
    if errors:
        lines += ["", f'{errors} error{"s" * (errors > 1)} detected in the compilation of "{request.name}".']
    return "\n".join([*lines, ""]) if lines else ""


def _without_our_notes(text: str) -> Iterator[str]:
    """The lines without what the compiler says of this backend's headers, and quotes of them."""
    is_ours = False
    for line in text.splitlines():
        if _DIAGNOSTIC.match(line):
            is_ours = line.startswith(f"{INCLUDE}/") and "note: " in line
        elif not line.startswith(" "):
            is_ours = False
        if not is_ours:
            yield line


def _line(line: str, expressions: Sequence[str]) -> str:
    if undefined := _UNDEFINED.search(line):
        return f"ptxas fatal   : Unresolved extern function '{undefined[1]}'"
    found = _DIAGNOSTIC.match(line)
    if found is None:
        return line
    number = int(found["line"])
    said = f"{found['file']}({number}): {found['rest']}"
    index = number - _EXPRESSION_LINE
    if Path(found["file"]).name == NAME_MAP and "error:" in said and 0 <= index < len(expressions):
        said += f'\n  Input name expression was: "{expressions[index]}"'
    return said
