"""The objects that a library is linked from, each found in the cache or made there."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import TypeAlias

from cusimt.compiler.sources import is_cuda
from cusimt.support import cache
from cusimt.translate import TranslationError
from grader.compilation import diagnostics, ninja
from grader.compilation.preprocessing import KEPT, Unit, keep, passes
from grader.compilation.quick import objects as quick_objects
from grader.compilation.request import BuildRequest
from grader.compilation.steps import OBJECT, Step, link_command
from grader.support.elf import Malformed, symbols_of
from grader.support.errors import BuildFailed

Run: TypeAlias = Callable[[Sequence[ninja.Edge], Path], ninja.NinjaRun]


class Objects:
    """The objects of one request, whose slots of the cache are `held` while they are made and linked."""

    def __init__(self, request: BuildRequest, steps: Iterable[Step], held: contextlib.ExitStack) -> None:
        self._request = request
        keyed = {cache.digest(one.key): one for one in steps}
        # One order for everybody, so that the locks of two builds cannot cross.
        slots = {
            key: held.enter_context(cache.entry(keyed[key].key, room="objects")) for key in sorted(keyed)
        }
        # Of a function that several objects have, the linker takes the first: the one that has access checks.
        kernels_first = sorted(keyed, key=lambda key: not is_cuda(keyed[key].source))
        self._slots = [(keyed[key], slots[key]) for key in kernels_first]
        self._missing = {slot.folder / OBJECT: one for one, slot in self._slots if slot.missing}
        self._units: dict[Path, Future[list[Unit]]] = {}

    def make_quickly(self, run: Run, place: Path, beside: Executor) -> quick_objects.Made:
        """For a quick request, make the missing objects whose compiler's steps can run at once.

        Meanwhile `beside` reads what the audit will want to know of each.
        """
        made = quick_objects.Made()
        if self._request.quick:
            made = _made_quickly(self._missing, run, place, beside, self._request.include_dirs)
        for each in filter(Path.is_file, made.objects):
            step = self._missing[each]
            self._units[each] = beside.submit(passes, step, self._request.include_dirs, each.parent)
        if len(self._units) < len(made.objects):
            made.wait()  # nvcc, which is asked next, leaves the same files
        return made

    def are_made(self) -> bool:
        """Whether each is there already: only linking is left."""
        return all(each.is_file() for each in self._missing)

    def unmake(self, refused: Iterable[Path]) -> None:
        """Remove objects, which `link` then makes in the ordinary way."""
        for each in refused:
            each.unlink(missing_ok=True)
            self._units.pop(each, None)

    def link(self, run: Run, place: Path, library: Path, stand_ins: Path | None) -> ninja.NinjaRun:
        """Compile the objects that are not there, and link all."""
        edges = [edge(one, each) for each, one in self._missing.items() if not each.is_file()]
        outputs = self._outputs()
        command = link_command(self._request, outputs, library, stand_ins)
        return run([*edges, ninja.Edge(library, tuple(outputs), command)], place)

    def keep(self, outcome: ninja.NinjaRun) -> None:
        """Keep those that compiled, with what the audit reads."""
        for one, slot in self._slots:
            keep_whole(slot, outcome)
            keep_compiled_lines(self._request, one, slot, self._units.get(slot.folder / OBJECT))

    def are_kept(self) -> bool:
        """Whether all compiled."""
        return not any(slot.discarded for _, slot in self._slots)

    def asked_of_others(self) -> set[str]:
        """The symbols that the objects together need from outside."""
        symbols = [_symbols(OBJECT, each) for each in self._outputs()]
        return set().union(*(asked for asked, _ in symbols)).difference(*(defined for _, defined in symbols))

    def asked(self) -> dict[str, list[str]]:
        """By the name of its source, the symbols that each object needs from outside the library."""
        return asked_by(self._named())

    def kept_lines(self) -> dict[str, str]:
        """By its name, the part of each source that nvcc compiled."""
        files = {name: path.with_name(KEPT) for name, path in self._named().items()}
        return {name: path.read_text() for name, path in files.items() if path.is_file()}

    def _outputs(self) -> list[Path]:
        return [slot.folder / OBJECT for _, slot in self._slots]

    def _named(self) -> dict[str, Path]:
        return {one.source.name: slot.folder / OBJECT for one, slot in self._slots}


def edge(one: Step, made: Path) -> ninja.Edge:
    """The command that compiles a source to the object `made`."""
    return ninja.Edge(made, (one.source,), _prepared(one, made.parent))


def _made_quickly(
    missing: Mapping[Path, Step], run: Run, place: Path, beside: Executor, include_dirs: Sequence[Path]
) -> quick_objects.Made:
    """Make objects from steps that run at once, if there are such, and the others at the same time."""
    steps = {made: split for made, one in missing.items() if (split := one.split(made.parent)) is not None}
    if not steps:
        return quick_objects.Made()
    others = [edge(one, made) for made, one in missing.items() if made not in steps]
    return quick_objects.make(steps, others, run, place, beside, include_dirs)


def asked_by(objects: Mapping[str, Path]) -> dict[str, list[str]]:
    """The symbols that each object needs from outside its own library."""
    symbols = {name: _symbols(name, path) for name, path in objects.items()}
    beside = {name for _, defined in symbols.values() for name in defined}
    return {name: sorted(undefined - beside) for name, (undefined, _) in symbols.items()}


def _symbols(source: str, compiled: Path) -> tuple[set[str], set[str]]:
    """Those of one object. What the disk damaged was built again, so this is what the source compiles to."""
    try:
        return symbols_of(compiled)
    except Malformed as why:
        raise BuildFailed(
            f"{source} compiles to an object file that {why}.",
            "The grader reads every object before it loads the library.",
            "Leave out what changes the form of the object file: inline assembly, attributes of sections.",
        ) from None


def keep_compiled_lines(
    request: BuildRequest, one: Step, slot: cache.Slot, units: Future[list[Unit]] | None = None
) -> None:
    """Keep what the audit reads, from `units` where they have been read beside the build."""
    if request.backend == "cuda" and is_cuda(one.source) and slot.missing and not slot.discarded:
        found = units.result() if units is not None else passes(one, request.include_dirs, slot.folder)
        keep(found, slot.folder)


def keep_whole(slot: cache.Slot, outcome: ninja.NinjaRun) -> None:
    """Keep an object unless the assembler was killed while writing it."""
    if slot.missing and (outcome.stopped or not (slot.folder / OBJECT).is_file()):
        slot.discard()


def _prepared(one: Step, folder: Path) -> tuple[str, ...]:
    try:
        return one.prepare(folder)
    except TranslationError as error:
        # What the simulated backend cannot run is reported like a compiler's error, at the learner's line.
        raise BuildFailed(
            f"{one.source.name} cannot be translated for the simt backend.",
            error.rule,
            error.next,
            diagnostics=diagnostics.at_line(Path(error.file), error.line, error.message),
            log=str(error),
        ) from None
