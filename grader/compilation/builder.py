"""build(): makes the library of a request in the cache."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

from cusimt.compiler import libraries
from cusimt.support import cache
from cusimt.support.scratch import scratch
from cusimt.translate import TranslationError
from grader.compilation import diagnostics, ninja
from grader.compilation.artifact import Artifact
from grader.compilation.objects import Objects, Run, edge, keep_compiled_lines, keep_whole
from grader.compilation.quick import link as quick_link
from grader.compilation.request import BuildRequest, require_sources
from grader.compilation.steps import OBJECT, Step, link_flags, step
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


def _compile(request: BuildRequest, steps: list[Step], folder: Path, run: Run) -> str:
    """Make the library in `folder` and return the log; objects that compile are kept when others do not."""
    library = folder / f"{request.name}.so"
    with (
        scratch("build") as place,
        contextlib.ExitStack() as held,
        ThreadPoolExecutor(1, "preprocessors") as beside,
    ):
        objects = Objects(request, steps, held)
        made = objects.make_quickly(run, place, beside)
        asked = objects.asked_of_others() if request.quick and objects.are_made() else None
        stand_ins = quick_link.stand_ins(request, asked) if asked is not None else None
        outcome = objects.link(run, place, library, stand_ins)
        if refused := made.refused():  # what the preprocessor takes offence at, nvcc says in its own words
            objects.unmake(refused)
            asked, stand_ins = None, None
            outcome = objects.link(run, place, library, None)
        objects.keep(outcome)
        if outcome.ok:
            (folder / SYMBOLS).write_text(json.dumps(objects.asked()))
            (folder / UNITS).write_text(json.dumps(objects.kept_lines()))
    log = _accepted(request, objects, outcome, made.log + outcome.log)
    if asked is not None and stand_ins is None:
        quick_link.remember(request, asked)
    return log


def _accepted(request: BuildRequest, objects: Objects, outcome: ninja.NinjaRun, printed: str) -> str:
    """The log of what was `printed`; raises BuildFailed if it does not compile or link."""
    warns = request.is_python_module or request.backend == "cuda"
    log = diagnostics.without_supplied_symbols(printed) if warns else printed
    unresolved = diagnostics.link_errors(log)  # the linker may only warn of them
    if objects.are_kept() and (unresolved or not outcome.ok):
        raise _failure(f"{request.name} does not link.", unresolved or log, log)
    if not outcome.ok:
        raise _failure(f"{request.name} does not compile.", diagnostics.trim(log, request.sources), log)
    return log


def _compile_common(request: BuildRequest, steps: list[Step], verbose: bool) -> None:
    """Make the objects that everybody links: in runs of their own, which no stranger's compiler is part of.

    What does not compile is left to be found, and told, with the rest.
    """
    for one in steps:
        with cache.entry(one.key, room="objects") as slot:
            if slot.missing:
                with scratch("build") as place:
                    keep_whole(slot, ninja.run([edge(one, slot.folder / OBJECT)], place, verbose=verbose))
                # The course's own: its lines are not audited.
                keep_compiled_lines(request, one, slot)


def _failure(what: str, text: str, log: str) -> BuildFailed:
    return BuildFailed(
        what,
        "Only a library that compiles and links can be judged.",
        "Correct the first error; --verbose shows everything the compiler said.",
        diagnostics=text,
        log=log,
    )
