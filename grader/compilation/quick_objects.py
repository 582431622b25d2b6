"""nvcc's objects in less time: its steps at once, and the host's part from the cache where it is the same."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from cusimt.support import cache
from cusimt.support.toolchain import host_compiler
from grader.compilation.ninja import Edge, NinjaRun
from grader.compilation.nvcc_steps import NvccSteps

HOST_OBJECT = "host.o"
Run = Callable[[Sequence[Edge], Path], NinjaRun]


def make(steps: Mapping[Path, NvccSteps], others: Sequence[Edge], run: Run, place: Path) -> str:
    """Make each object that `steps` names, where its steps succeed, and `others` at the same time.

    Returns what the compilers printed. An object that is not there afterwards is left to nvcc, which says
    what is wrong in its own words. `place` is a scratch folder.
    """
    for one in steps.values():
        one.write_module_id()
    parts = [edge for one in steps.values() for edge in _parts(one)]
    first = run([*parts, *others], place)
    keyed = {
        cache.digest(one.host_key()): (whole, one) for whole, one in steps.items() if one.take_code_out()
    }
    if not keyed:
        return first.log if first.ok else ""
    with contextlib.ExitStack() as entries:
        # One order for everybody, so that the locks of two builds cannot cross.
        slots = {key: entries.enter_context(_host(keyed[key][1])) for key in sorted(keyed)}
        edges = [edge for key, slot in slots.items() for edge in _joined(*keyed[key], slot)]
        second = run(edges, place)
        for slot in slots.values():
            if slot.missing and (second.stopped or not (slot.folder / HOST_OBJECT).is_file()):
                slot.discard()
    return first.log + second.log if first.ok else ""


def _parts(one: NvccSteps) -> list[Edge]:
    return [Edge(one.front, (one.source,), one.host), Edge(one.code, (one.source,), one.device)]


def _host(one: NvccSteps) -> contextlib.AbstractContextManager[cache.Slot]:
    return cache.entry(one.host_key(), room="objects")


def _joined(whole: Path, one: NvccSteps, slot: cache.Slot) -> list[Edge]:
    """Compile the host's part unless the cache has it, and join it with the device's code."""
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
