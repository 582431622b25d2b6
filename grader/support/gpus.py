"""The GPUs of this machine, by the UUIDs that stay theirs: two jobs that each see one GPU both call it 0."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass

from grader.support.errors import InfrastructureError

# nvidia-smi -L: "GPU 0: NVIDIA H200 (UUID: GPU-...)", below it "  MIG 1g.18gb  Device  0: (UUID: MIG-...)"
_WHOLE = re.compile(r"GPU \d+: (?P<name>.+) \(UUID: (?P<uuid>GPU-[\w-]+)\)")
_SLICE = re.compile(r"\s+MIG (?P<profile>\S+) +Device +\d+: \(UUID: (?P<uuid>MIG-[\w/-]+)\)")


@dataclass(frozen=True)
class Gpu:
    """`uuid` as CUDA_VISIBLE_DEVICES takes it (`GPU-...` or `MIG-...`); `name` is the model."""

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
    """The GPUs that `nvidia-smi -L` printed; of one that is partitioned, its parts."""
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
