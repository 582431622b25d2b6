"""The lines of a submission's own files that the compiler sees after the preprocessor.

The compiler's own preprocessor says it, with the flags, headers and macros of the build. So it settles what a
reader of the files could get wrong: digraphs, continued lines, names that a library's macro joins, an include
whose operand is a macro. Precompiled headers stay precompiled, which makes this a few per cent of a build.

nvcc preprocesses a file once for the host and once for each GPU, with other macros each time. It is made to
keep what it made, so all of these are read, and cost nothing but the reading.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from cusimt.compiler import libraries
from cusimt.compiler.sources import closure, common_folder, is_cuda
from cusimt.support import cache
from cusimt.support.scratch import scratch
from cusimt.support.toolchain import cuda_toolkit
from cusimt.translate import TranslationError
from grader.compilation import ninja
from grader.compilation.request import BuildRequest
from grader.compilation.steps import OBJECT, Step, step

_OUTPUT = "unit.ii"
_SIGN = "# "  # at the beginning of a marker's line
_MARKER = re.compile(r'# (\d+) "((?:[^"\\\n]|\\.)*)"((?: \d)*)$\n?', re.MULTILINE)
_LINE = re.compile(r"[^\n]*\n|[^\n]+")  # a line feed alone ends one, as for the compiler
_ENTERED, _SYSTEM = "1", "3"
KEPT = "unit.json"  # beside an object of nvcc: what was compiled of the submission's own files
_BUILTIN = ("<built-in>", "<command-line>", "<command line>")


@dataclass(frozen=True)
class Line:
    """A line as it is compiled, `text`, and where the submission has it."""

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
    """The compiled lines of one source and its own headers."""

    source: Path
    lines: tuple[Line, ...]
    includes: tuple[Include, ...]


def preprocess(
    request: BuildRequest, folder: Path, *, enclose: ninja.Enclose | None = None, kernels: bool = False
) -> tuple[list[Unit], list[Path]]:
    """The units of `request`, whose own files are below `folder`, and the sources that have none.

    A source without a unit has an error, such as a missing header, that its compiler will report. The common
    sources are the course's own and left out; nvcc's are read when they have been compiled, see `keep`, or
    here with `kernels`, where others compile them.
    """
    if request.backend == "simt" and not request.quick and not libraries.is_built():
        request = replace(request, precompile=False)
    steps = [step(request, each.resolve()) for each in request.sources if _is_read(request, each, kernels)]
    keyed = {cache.digest(one.key): one for one in steps}
    units, failed = [], []
    with contextlib.ExitStack() as entries:
        slots = {
            key: entries.enter_context(cache.entry(["unit", *keyed[key].key], room="units"))
            for key in sorted(keyed)  # one order for everybody, so that the locks of two cannot cross
        }
        _preprocess([(keyed[key], slot) for key, slot in slots.items() if slot.missing], folder, enclose)
        for one in steps:
            slot = slots[cache.digest(one.key)]
            unit = None if slot.discarded else kept((slot.folder / KEPT).read_text(), one.source)
            units += [unit] if unit else []
            failed += [] if unit else [one.source]
    return units, failed


def _preprocess(
    missing: Sequence[tuple[Step, cache.Slot]], folder: Path, enclose: ninja.Enclose | None
) -> None:
    """Fill the entries of sources whose lines have not been read, and discard those of sources in error."""
    if not missing:
        return
    with scratch("unit") as place:
        root = place.resolve()
        outputs = [_folder(root, number) / _OUTPUT for number in range(len(missing))]
        edges = [
            ninja.Edge(output, (one.source,), _command(one, output))
            for (one, _), output in zip(missing, outputs, strict=True)
        ]
        ninja.run(edges, _folder(root, len(missing)), enclose=enclose)
        for (one, slot), output in zip(missing, outputs, strict=True):
            if not output.is_file():
                slot.discard()
                continue
            library = _toolkit_root() if "cuda" in one.key and is_cuda(one.source) else ""
            _write([_unit(one.source, output, folder.resolve(), library)], slot.folder)


def passes(one: Step, include_dirs: Iterable[Path], folder: Path) -> list[Unit]:
    """What nvcc has left beside an object in `folder`: the lines of own files, for each of its passes."""
    root = common_folder(closure(one.source, include_dirs))
    stem = one.source.stem
    outputs = sorted({*folder.glob(f"{stem}*.ii"), *folder.glob(f"{stem}*.cpp?.i*")})
    return [_unit(one.source, output, root, _toolkit_root()) for output in outputs]


def keep(units: Sequence[Unit], folder: Path) -> None:
    """Make one file of the passes, KEPT, and remove what else nvcc has left beside an object in `folder`."""
    for left in folder.iterdir():
        if left.is_file() and left.name != OBJECT:
            left.unlink()
    _write(units, folder)


def _write(passes: Sequence[Unit], folder: Path) -> None:
    """Write KEPT: each line once, of all `passes` of the preprocessor over one source."""
    lines = {each: None for unit in passes for each in unit.lines}
    includes = {each: None for unit in passes for each in unit.includes}
    found = {
        "passes": len(passes),
        "lines": [[str(each.file), each.number, each.text] for each in lines],
        "includes": [[str(each.file), each.number, each.path] for each in includes],
    }
    (folder / KEPT).write_text(json.dumps(found, ensure_ascii=True))


def kept(text: str, source: Path) -> Unit | None:
    """The unit of an object that nvcc compiled, from the text of its file KEPT; None if nothing was kept."""
    found = json.loads(text)
    if not found["passes"]:
        return None
    lines = tuple(Line(Path(file), number, line) for file, number, line in found["lines"])
    return Unit(
        source, lines, tuple(Include(Path(file), number, at) for file, number, at in found["includes"])
    )


@functools.cache
def _toolkit_root() -> str:
    return f"{cuda_toolkit().nvcc.resolve().parent.parent}/"


def _is_read(request: BuildRequest, source: Path, kernels: bool) -> bool:
    by_nvcc = request.backend == "cuda" and is_cuda(source)
    return not request.is_common(source.resolve()) and (kernels or not by_nvcc)


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
    if "--keep" in command:  # of nvcc, which preprocesses for one GPU at a time
        of_build = ("--keep", "--keep-dir", str(output.parent))
        command = [part for part in command if part not in of_build and not part.startswith("-gencode")]
    if any(Path(part).name == "forced.h" for part in command):
        command[compile_only:compile_only] = ["-fpch-preprocess"]
    return ("sh", "-c", '"$@" && mv "$0.part" "$0"', str(output), *command)


def _unit(source: Path, output: Path, folder: Path, library: str = "") -> Unit:
    """`library` is a folder of headers that the compiler takes for a submission's: nvcc's own."""
    lines: list[Line] = []
    includes: list[Include] = []
    with output.open(encoding="utf-8", errors="surrogateescape", newline="\n") as opened:
        text = opened.read()
    for each in _own(text, f"{folder}/", f"{output.parent}/", library):
        if isinstance(each, Line):
            lines.append(each)
        else:
            includes.append(each)
    return Unit(source, tuple(lines), tuple(includes))


def _markers(text: str) -> Iterator[re.Match[str]]:
    """Every line that says where the next one is from; most of a megabyte is passed without a look."""
    begin = -1
    while (begin := text.find(_SIGN, begin + 1)) >= 0:
        is_first = begin == 0 or text[begin - 1] == "\n"
        if is_first and (marker := _MARKER.match(text, begin)):
            yield marker


def _own(text: str, folder: str, scratch: str, library: str) -> Iterator[Line | Include]:
    """What is in files below `folder`, or in files that are neither a library's nor the build's own.

    A header that is found beside the source counts as a system header to the compiler, and is not one. One
    below `library` is, whatever the compiler says. Most of `text` is a library's: only its markers are looked
    at.
    """
    foreign: dict[str, bool] = {}
    file, number, is_own, begin = "", 0, False, 0
    for marker in (*_markers(text), None):
        if is_own:
            lines = text[begin : marker.start() if marker else len(text)]
            for line in _LINE.findall(lines):
                yield Line(Path(file), number, line)
                number += 1
        if marker is None:
            return
        path, flags = marker[2].replace('\\"', '"').replace("\\\\", "\\"), marker[3].split()
        beside = path.startswith(folder)
        if is_own and _ENTERED in flags and not beside and not path.startswith(scratch):
            yield Include(Path(file), number, path)
        file, number, begin = path, int(marker[1]), marker.end()
        if path not in foreign:
            foreign[path] = bool(library) and os.path.realpath(path).startswith(library)
        others = _SYSTEM in flags or path in _BUILTIN or path.startswith(scratch) or foreign[path]
        is_own = beside or not others
