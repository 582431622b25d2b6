"""One submission per GPU: what is timed on it, and what disturbs a timing, holds its lock.

The lock belongs to the GPU's UUID. An index is no name: two jobs that each were given one GPU both call it 0.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.cache import cache_root
from grader.errors import InfrastructureError
from grader.locks import hold

# nvidia-smi -L: "GPU 0: NVIDIA H200 (UUID: GPU-...)", below it "  MIG 1g.18gb  Device  0: (UUID: MIG-...)"
_WHOLE = re.compile(r"GPU \d+: (?P<name>.+) \(UUID: (?P<uuid>GPU-[\w-]+)\)")
_SLICE = re.compile(r"\s+MIG (?P<profile>\S+) +Device +\d+: \(UUID: (?P<uuid>MIG-[\w/-]+)\)")


@dataclass(frozen=True)
class Gpu:
    """``uuid`` as CUDA_VISIBLE_DEVICES takes it (``GPU-...`` or ``MIG-...``); ``name`` is the model."""

    uuid: str
    name: str


def visible_gpus(environment: Mapping[str, str] = os.environ) -> tuple[Gpu, ...]:
    """The GPUs that CUDA shows to this process, in its order; none where there is no driver.

    Raises InfrastructureError where CUDA_VISIBLE_DEVICES names one that nvidia-smi does not.
    """
    gpus = parse(_listing())
    chosen = environment.get("CUDA_VISIBLE_DEVICES")
    if chosen is None or not gpus:
        return gpus
    named = [word.strip() for word in chosen.split(",") if word.strip()]
    if "-1" in named:  # CUDA ignores it and all that follows
        named = named[: named.index("-1")]
    return tuple(_find(word, gpus) for word in named)


def parse(listing: str) -> tuple[Gpu, ...]:
    """The GPUs that ``nvidia-smi -L`` printed; of one that is partitioned, its parts."""
    gpus: list[Gpu] = []
    whole: Gpu | None = None
    for line in listing.splitlines():
        if found := _WHOLE.match(line):
            whole = Gpu(found["uuid"], found["name"])
            gpus.append(whole)
        elif (found := _SLICE.match(line)) and whole is not None:
            if gpus[-1] is whole:
                gpus.pop()
            gpus.append(Gpu(found["uuid"], f"{whole.name} MIG {found['profile']}"))
    return tuple(gpus)


@contextlib.contextmanager
def exclusive_gpu(locks: Path | None = None) -> Iterator[None]:
    """Hold every GPU that this process sees; wait for whoever holds one. Nothing happens without a GPU.

    ``locks`` is a folder that all who share the GPUs agree on: by default one of this user's cache. Not
    reentrant.
    """
    folder = locks or cache_root() / "locks"
    with contextlib.ExitStack() as held:
        for uuid in sorted(
            gpu.uuid for gpu in visible_gpus()
        ):  # one order, so that two cannot wait in a ring
            folder.mkdir(parents=True, exist_ok=True)
            held.enter_context(hold(folder / uuid.replace("/", "-")))
        yield


def _find(word: str, gpus: tuple[Gpu, ...]) -> Gpu:
    """CUDA takes an index, or as much of a UUID as no other begins with."""
    if word.isdecimal() and int(word) < len(gpus):
        return gpus[int(word)]
    found = [gpu for gpu in gpus if gpu.uuid.startswith(word)]
    if len(found) == 1:
        return found[0]
    raise InfrastructureError(
        f"CUDA_VISIBLE_DEVICES names {word!r}, and nvidia-smi lists {', '.join(gpu.uuid for gpu in gpus)}.",
        "What is timed needs a GPU to itself, which is locked by its UUID.",
        "Correct CUDA_VISIBLE_DEVICES, or unset it.",
    )


def _listing() -> str:
    program = shutil.which("nvidia-smi")
    if program is None:
        return ""
    try:
        return _printed_by(program)
    except (OSError, subprocess.SubprocessError):
        return ""


@functools.cache
def _printed_by(program: str) -> str:
    """Asked for once: every submission needs it twice, and GPUs do not come and go. A failure is not kept."""
    return subprocess.run([program, "-L"], capture_output=True, text=True, timeout=30, check=True).stdout
