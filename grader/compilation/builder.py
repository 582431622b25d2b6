"""build(): makes the library of a request in the cache."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

from cusimt.compiler import libraries
from cusimt.compiler.sources import is_cuda
from cusimt.support import cache
from cusimt.support.scratch import scratch
from cusimt.translate import TranslationError
from grader.compilation import diagnostics, ninja
from grader.compilation.artifact import Artifact
from grader.compilation.preprocessing import KEPT, Unit, keep, passes
from grader.compilation.quick import link as quick_link
from grader.compilation.quick import objects as quick_objects
from grader.compilation.request import BuildRequest, require_sources
from grader.compilation.steps import OBJECT, Step, link_command, link_flags, step
from grader.support.elf import Malformed, symbols_of
from grader.support.errors import BuildFailed

LOG = "build.log"
UNITS = "units.json"  # what nvcc compiled of each source, as `preprocessing.kept` reads it
SYMBOLS = "asked.json"  # the symbols that each object needs from outside its own library
STAGE = "build"


def build(
    request: BuildRequest, *, verbose: bool = False, enclose: ninja.Enclose | None = None,
    begun: Callable[[], None] = lambda: None, stage: Callable[[str], None] = lambda name: None,
) -> Artifact:  # fmt: skip
    """Build `request`, or find it built: only objects whose sources changed are compiled.

    Raises BuildFailed when the sources are at fault (`diagnostics` holds the lines about them, `log`
    everything) and ToolchainError when this machine lacks a compiler or a header. `verbose` prints what the
    compilers print; `enclose` makes the sandbox that they run in; `begun` is called when they do. `stage` is
    given the name of what is built, where that is more than the request.
    """
    started = time.monotonic()
    require_sources(request.sources)
    new = request.backend == "simt" and not libraries.is_built()
    if new and not request.quick:  # headers take longer to precompile than to read: the next build will
        request = replace(request, precompile=False)
    steps = [step(request, source.resolve()) for source in request.sources]
    if new:
        stage(f"{STAGE}: the simulated GPU, once per machine")
        _furnish(request, steps, verbose)
        stage(STAGE)
    parts = [
        "library",
        SYMBOLS,
        UNITS,
        *(cache.digest(s.key) for s in steps),
        *link_flags(request),
        *request.ld_flags,
    ]
    asked = time.monotonic()
    with cache.entry(parts, room="libraries") as library:
        waited = time.monotonic() - asked
        if library.missing:
            _compile_common(request, [one for one in steps if request.is_common(one.source)], verbose)
            for text in filter(None, (one.announce() for one in steps)):
                stage(f"{STAGE}: {text}")
            run = partial(ninja.run, verbose=verbose, enclose=enclose, begun=begun)
            log = _compile(request, steps, library.folder, run)
            (library.folder / LOG).write_text(log)
    return Artifact(
        name=request.name,
        interface=request.interface,
        path=library.path / f"{request.name}.so",
        backend=request.backend,
        checked=request.checked,
        seconds=time.monotonic() - started,
        cached=not library.missing,
        log=library.path / LOG,
        symbols=library.path / SYMBOLS,
        units=library.path / UNITS,
        waited=waited,
    )


def _furnish(request: BuildRequest, steps: Sequence[Step], verbose: bool) -> None:
    """On a new machine, build the simulated GPU and, meanwhile, all that can be built before it exists.

    On two idle cores this takes half a minute, in which neither is idle.
    """
    with ThreadPoolExecutor(1) as beside, scratch("build") as place:
        device = beside.submit(libraries.device_library)
        libraries.module_object(request.checked)
        _compile_common(request, [one for one in steps if request.is_common(one.source)], verbose)
        for one in steps:
            with contextlib.suppress(TranslationError):  # which is reported when the source's turn has come
                one.prepare(place)
        device.result()


def _compile(
    request: BuildRequest, steps: list[Step], folder: Path,
    run: Callable[[Sequence[ninja.Edge], Path], ninja.NinjaRun],
) -> str:  # fmt: skip
    """Make the library in `folder` and return the log; objects that compile are kept when others do not."""
    library = folder / f"{request.name}.so"
    with (
        scratch("build") as place,
        contextlib.ExitStack() as objects,
        ThreadPoolExecutor(1, "preprocessors") as beside,
    ):
        slots: dict[str, cache.Slot] = {}
        keyed = {cache.digest(one.key): one for one in steps}
        for key in sorted(keyed):  # one order for everybody, so that the locks of two builds cannot cross
            slots[key] = objects.enter_context(cache.entry(keyed[key].key, room="objects"))
        missing = {slot.folder / OBJECT: keyed[key] for key, slot in slots.items() if slot.missing}
        made = quick_objects.Made()
        if request.quick:
            made = _made_quickly(missing, run, place, beside, request.include_dirs)
        units = {each: beside.submit(passes, missing[each], request.include_dirs, each.parent)
                 for each in made.objects if each.is_file()}  # fmt: skip
        if len(units) < len(made.objects):
            made.wait()  # nvcc, which is asked next, leaves the same files
        # Of a function that several objects have, the linker takes the first: the one that has access checks.
        kernels_first = sorted(keyed, key=lambda key: not is_cuda(keyed[key].source))
        outputs = [slots[key].folder / OBJECT for key in kernels_first]

        def link(stand_ins: Path | None) -> ninja.NinjaRun:
            """Compile the objects that are not there, and link all."""
            edges = [_edge(one, each) for each, one in missing.items() if not each.is_file()]
            command = link_command(request, outputs, library, stand_ins)
            return run([*edges, ninja.Edge(library, tuple(outputs), command)], place)

        whole = all(each.is_file() for each in missing)
        asked = _asked_of_others(outputs) if request.quick and whole else None
        stand_ins = quick_link.stand_ins(request, asked) if asked is not None else None
        outcome = link(stand_ins)
        if refused := made.refused():  # what the preprocessor takes offence at, nvcc says in its own words
            for each in refused:
                each.unlink(missing_ok=True)
                units.pop(each, None)
            asked, stand_ins = None, None
            outcome = link(None)
        for key, slot in slots.items():
            _keep_whole(slot, outcome)
            _keep_compiled_lines(request, keyed[key], slot, units.get(slot.folder / OBJECT))
        if outcome.ok:
            named = {keyed[key].source.name: slots[key].folder / OBJECT for key in kernels_first}
            (folder / SYMBOLS).write_text(json.dumps(_asked(named)))
            (folder / UNITS).write_text(json.dumps(_kept(named)))
    printed = made.log + outcome.log
    warns = request.is_python_module or request.backend == "cuda"
    log = diagnostics.without_supplied_symbols(printed) if warns else printed
    compiled = not any(slot.discarded for slot in slots.values())
    unresolved = diagnostics.link_errors(log)  # the linker may only warn of them
    if compiled and (unresolved or not outcome.ok):
        raise _failure(f"{request.name} does not link.", unresolved or log, log)
    if not outcome.ok:
        raise _failure(f"{request.name} does not compile.", diagnostics.trim(log, request.sources), log)
    if asked is not None and stand_ins is None:
        quick_link.remember(request, asked)
    return log


def _edge(one: Step, made: Path) -> ninja.Edge:
    return ninja.Edge(made, (one.source,), _prepared(one, made.parent))


def _made_quickly(
    missing: Mapping[Path, Step], run: Callable[[Sequence[ninja.Edge], Path], ninja.NinjaRun], place: Path,
    beside: Executor, include_dirs: Sequence[Path],
) -> quick_objects.Made:  # fmt: skip
    """Make objects from steps that run at once, if there are such, and the others at the same time."""
    steps = {made: split for made, one in missing.items() if (split := one.split(made.parent)) is not None}
    if not steps:
        return quick_objects.Made()
    others = [_edge(one, made) for made, one in missing.items() if made not in steps]
    return quick_objects.make(steps, others, run, place, beside, include_dirs)


def _asked_of_others(objects: Iterable[Path]) -> set[str]:
    """The symbols that `objects` together need from outside."""
    symbols = [_symbols(compiled.name, compiled) for compiled in objects]
    return set().union(*(asked for asked, _ in symbols)).difference(*(defined for _, defined in symbols))


def _asked(objects: Mapping[str, Path]) -> dict[str, list[str]]:
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


def _keep_compiled_lines(
    request: BuildRequest, one: Step, slot: cache.Slot, units: Future[list[Unit]] | None = None
) -> None:
    """Keep what the audit reads, from `units` where they have been read beside the build."""
    if request.backend == "cuda" and is_cuda(one.source) and slot.missing and not slot.discarded:
        found = units.result() if units is not None else passes(one, request.include_dirs, slot.folder)
        keep(found, slot.folder)


def _kept(objects: Mapping[str, Path]) -> dict[str, str]:
    """The part of each source that nvcc compiled."""
    files = {name: path.with_name(KEPT) for name, path in objects.items()}
    return {name: path.read_text() for name, path in files.items() if path.is_file()}


def _compile_common(request: BuildRequest, steps: list[Step], verbose: bool) -> None:
    """Make the objects that everybody links: in runs of their own, which no stranger's compiler is part of.

    What does not compile is left to be found, and told, with the rest.
    """
    for one in steps:
        with cache.entry(one.key, room="objects") as slot:
            if slot.missing:
                with scratch("build") as place:
                    _keep_whole(slot, ninja.run([_edge(one, slot.folder / OBJECT)], place, verbose=verbose))
                # The course's own: its lines are not audited.
                _keep_compiled_lines(request, one, slot)


def _keep_whole(slot: cache.Slot, outcome: ninja.NinjaRun) -> None:
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


def _failure(what: str, text: str, log: str) -> BuildFailed:
    return BuildFailed(
        what,
        "Only a library that compiles and links can be judged.",
        "Correct the first error; --verbose shows everything the compiler said.",
        diagnostics=text,
        log=log,
    )
