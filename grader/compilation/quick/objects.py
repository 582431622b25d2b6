"""nvcc's objects in less time: its steps at once, and the host's part from the cache where it is the same."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from pathlib import Path

from cusimt.support import cache
from cusimt.support.toolchain import host_compiler
from grader.compilation.ninja import Edge, NinjaRun
from grader.compilation.quick import nvrtc, shortcuts
from grader.compilation.quick.nvcc_steps import NvccSteps
from grader.compilation.quick.shortcuts import Shortcut

HOST_OBJECT = "host.o"
_READING = "reading"  # below the scratch folder: that of the preprocessors
Run = Callable[[Sequence[Edge], Path], NinjaRun]


@dataclass(frozen=True)
class Made:
    """What the compilers printed, and the preprocessors that still run for some of the `objects`.

    Where the host's part was known, nothing but the audit waits for what they make of a source.
    """

    log: str = ""
    objects: tuple[Path, ...] = ()
    preprocessed: Future[NinjaRun] | None = None

    def wait(self) -> None:
        """Wait for the preprocessors."""
        if self.preprocessed is not None:
            self.preprocessed.result()

    def refused(self) -> tuple[Path, ...]:
        """The objects whose sources the preprocessors did not take, once they are done."""
        return () if self.preprocessed is None or self.preprocessed.result().ok else self.objects


def make(
    steps: Mapping[Path, NvccSteps], others: Sequence[Edge], run: Run, place: Path, beside: Executor,
    include_dirs: Sequence[Path] = (),
) -> Made:  # fmt: skip
    """Make each object that `steps` names, where its steps succeed, and `others` at the same time.

    An object that is not there afterwards is left to nvcc, which says what is wrong in its own words. `place`
    is a scratch folder. Steps of the host are left out where an earlier build has shown what they come to;
    `beside` then runs the preprocessors.
    """
    for one in steps.values():
        one.write_module_id()
    sides = {whole: shortcuts.key_of(one, include_dirs) for whole, one in steps.items() if one.virtual_gpu}
    known = {whole: shortcuts.find(key) if (key := sides.get(whole)) else None for whole in steps}
    parts: list[Edge] = list(others)
    reading: list[tuple[Path, Edge]] = []
    for whole, one in steps.items():
        needed, read = _parts(one, include_dirs, known[whole])
        parts += needed
        reading += [(whole, edge) for edge in read]
    objects = tuple({whole: None for whole, _ in reading})
    preprocessed = None
    if reading:
        (place / _READING).mkdir()
        preprocessed = beside.submit(run, [edge for _, edge in reading], place / _READING)
    first = run(parts, place)
    keyed = {cache.digest(key): (key, whole) for whole, key in _taken_apart(steps, known)}
    for _, whole in keyed.values():
        if known[whole] is None and (side := sides.get(whole)):
            shortcuts.remember(side, steps[whole])
    if not keyed:
        return Made(first.log if first.ok else "", objects, preprocessed)
    with contextlib.ExitStack() as entries:
        # One order for everybody, so that the locks of two builds cannot cross.
        slots = {
            digest: entries.enter_context(cache.entry(keyed[digest][0], room="objects"))
            for digest in sorted(keyed)
        }
        edges = [
            edge
            for digest, slot in slots.items()
            for edge in _joined(keyed[digest][1], steps[keyed[digest][1]], slot, known[keyed[digest][1]])
        ]
        second = run(edges, place)
        for slot in slots.values():
            if slot.missing and (second.stopped or not (slot.folder / HOST_OBJECT).is_file()):
                slot.discard()
    return Made(first.log + second.log if first.ok else "", objects, preprocessed)


def _parts(
    one: NvccSteps, include_dirs: Sequence[Path], known: Shortcut | None
) -> tuple[list[Edge], list[Edge]]:
    """The steps up to the host's C++ and the device's code, as far as neither is there.

    And those of which nothing is compiled: preprocessors whose output is read alone.
    """
    if known is None:
        return [Edge(one.front, (one.source,), one.host), Edge(one.code, (one.source,), one.device)], []
    compiler = nvrtc.running()
    ptx = compiler.ptx(one, include_dirs, known.kernels) if compiler is not None else None
    of_host, of_device = (Edge(output, (one.source,), command) for output, command in one.reading)
    if ptx is None:  # nvcc's step for the device preprocesses, too
        return [Edge(one.code, (one.source,), one.device)], [of_host]
    one.ptx.write_text(ptx)
    return [Edge(one.code, (one.ptx,), one.assemble)], [of_host, of_device]


def _taken_apart(
    steps: Mapping[Path, NvccSteps], known: Mapping[Path, Shortcut | None]
) -> Iterator[tuple[Path, list[object]]]:
    """The objects whose parts are all there, and the cache key of the host's part of each."""
    for whole, one in steps.items():
        shortcut = known[whole]
        if shortcut is not None and one.take_data_out():
            yield whole, list(shortcut.host_key)
        elif shortcut is None and one.take_code_out():
            yield whole, one.host_key()


def _joined(whole: Path, one: NvccSteps, slot: cache.Slot, known: Shortcut | None) -> list[Edge]:
    """Compile the host's part unless the cache has it, and join it with the device's code."""
    if slot.missing and known is not None:
        return []  # evicted a moment ago: nvcc makes it again
    compiler = host_compiler().command
    host, device = slot.folder / HOST_OBJECT, one.code_apart.with_suffix(".o")
    join = (*compiler, "-r", "-nostdlib", str(host), str(device), "-o", str(whole))
    edges = [
        Edge(device, (one.code_apart,), (*compiler, "-c", str(one.code_apart), "-o", str(device))),
        Edge(whole, (host, device), join),
    ]
    if slot.missing:
        edges.append(Edge(host, (one.front,), (*one.compile_host, str(host))))
    return edges
