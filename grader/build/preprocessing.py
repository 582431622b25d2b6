"""What the compiler compiles of a submission's own files: their lines after the preprocessor.

The compiler's own preprocessor says it, with the flags, headers and macros of the build. So it settles what a
reader of the files could get wrong: digraphs, continued lines, names that a library's macro joins, an include
whose operand is a macro. Precompiled headers stay precompiled, which makes this a few per cent of a build.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from grader.build import ninja
from grader.build.request import BuildRequest
from grader.build.sources import is_cuda
from grader.build.steps import Step, step
from grader.simt import native
from grader.simt.translate import TranslationError

_OUTPUT = "unit.ii"
_MARKER = re.compile(r'# (\d+) "((?:[^"\\]|\\.)*)"((?: \d)*)$')
_ENTERED, _SYSTEM = "1", "3"
_BUILTIN = ("<built-in>", "<command-line>", "<command line>")


@dataclass(frozen=True)
class Line:
    """A line as it is compiled, ``text``, and where the submission has it."""

    file: Path
    number: int
    text: str


@dataclass(frozen=True)
class Include:
    """A file that a submission's own line includes: its path as the compiler found it."""

    file: Path
    number: int
    path: str


@dataclass(frozen=True)
class Unit:
    """What is compiled of one source and its own headers."""

    source: Path
    lines: tuple[Line, ...]
    includes: tuple[Include, ...]


def preprocess(
    request: BuildRequest, folder: Path, *, enclose: ninja.Enclose | None = None
) -> tuple[list[Unit], list[Path]]:
    """The units of `request`, whose own files are below `folder`, and the sources that have none.

    A source without a unit has an error, such as a missing header, that its compiler will report. The common
    sources are the course's own and left out, as are kernels on cuda.
    """
    if request.backend == "simt" and not native.is_built():
        request = replace(request, precompile=False)
    compiled = [source.resolve() for source in request.sources if _is_read(request, source)]
    steps = [step(request, source) for source in compiled]
    units, failed = [], []
    with tempfile.TemporaryDirectory(prefix="cu2grad-unit-") as scratch:
        root = Path(scratch).resolve()
        outputs = {one.source: _folder(root, number) / _OUTPUT for number, one in enumerate(steps)}
        edges = [
            ninja.Edge(outputs[one.source], (one.source,), _command(one, outputs[one.source]))
            for one in steps
        ]
        if edges:
            ninja.run(edges, _folder(root, len(steps)), enclose=enclose)
        for source, output in outputs.items():
            if output.is_file():
                units.append(_unit(source, output, folder.resolve()))
            else:
                failed.append(source)
    return units, failed


def _is_read(request: BuildRequest, source: Path) -> bool:
    """nvcc compiles a file twice, with other macros each time: what it makes of a .cu file is not read."""
    return not request.is_common(source.resolve()) and not (request.backend == "cuda" and is_cuda(source))


def _folder(root: Path, number: int) -> Path:
    folder = root / str(number)
    folder.mkdir()
    return folder


def _command(one: Step, output: Path) -> tuple[str, ...]:
    """The compiler's command with -E. g++ keeps a precompiled header's text out of what it prints."""
    try:
        command = list(one.prepare(output.parent))
    except TranslationError:
        return ("false",)  # the build reports it
    at = command.index("-o")
    command[at + 1] = f"{output}.part"
    compile_only = command.index("-c")
    command[compile_only : compile_only + 1] = ["-E", "-w"]
    if any(Path(part).name == "forced.h" for part in command):
        command[compile_only:compile_only] = ["-fpch-preprocess"]
    return ("sh", "-c", '"$@" && mv "$0.part" "$0"', str(output), *command)


def _unit(source: Path, output: Path, folder: Path) -> Unit:
    lines: list[Line] = []
    includes: list[Include] = []
    with output.open(encoding="utf-8", errors="surrogateescape", newline="\n") as text:
        for each in _own(text, f"{folder}/", f"{output.parent}/"):
            if isinstance(each, Line):
                lines.append(each)
            else:
                includes.append(each)
    return Unit(source, tuple(lines), tuple(includes))


def _own(text: Iterable[str], folder: str, scratch: str) -> Iterator[Line | Include]:
    """What is in files below ``folder``, or in files that are neither a library's nor the build's own.

    A header that is found beside the source counts as a system header to the compiler, and is not one.
    """
    file, number, is_own = "", 0, False
    for line in text:
        marker = _MARKER.match(line) if line.startswith("# ") else None
        if marker:
            path, flags = marker[2].replace('\\"', '"').replace("\\\\", "\\"), marker[3].split()
            beside = path.startswith(folder)
            if is_own and _ENTERED in flags and not beside and not path.startswith(scratch):
                yield Include(Path(file), number, path)
            file, number = path, int(marker[1])
            is_own = beside or not (_SYSTEM in flags or path in _BUILTIN or path.startswith(scratch))
        elif is_own:
            yield Line(Path(file), number, line)
            number += 1
