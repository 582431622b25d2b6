"""What stands for a driver and its GPUs, and what the judgings of tests/cluster/judging.py left behind."""

from __future__ import annotations

import contextlib
import json
import time
from pathlib import Path

RESULTS = "CU2GRAD_TEST_RESULTS"  # the variable in which a driver tells its workers their folder
MODEL = "Fake Accelerator"
UUIDS = ("GPU-00000000-aaaa", "GPU-11111111-bbbb")
_LISTING = "".join(f"GPU {index}: {MODEL} (UUID: {uuid})\\n" for index, uuid in enumerate(UUIDS))


def write_nvidia_smi(folder: Path) -> Path:
    """A folder for PATH in which nvidia-smi lists two GPUs."""
    folder.mkdir()
    program = folder / "nvidia-smi"
    program.write_text(f"#!/bin/sh\nprintf '{_LISTING}'\n")
    program.chmod(0o755)
    return folder


def witnesses(results: Path) -> list[dict[str, object]]:
    """What each judging said, in their order; a line that is just being written is none yet."""
    path = results / "witness"
    text = path.read_text() if path.is_file() else ""
    return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]


def hold(results: Path, judgings: int) -> None:
    """Let nobody judge on once there are so many judgings, so that whoever is to be killed is still at it."""
    written = results / "hold.new"
    written.write_text(str(judgings))
    written.rename(results / "hold")


def let_go(results: Path) -> None:
    """Let everybody judge on."""
    (results / "hold").unlink()


def wait_while_held(results: Path) -> None:
    """Until this judging is allowed; beyond the number are at most those that ask at the same moment."""
    with contextlib.suppress(FileNotFoundError):
        while len(witnesses(results)) >= int((results / "hold").read_text()):
            time.sleep(0.02)


def processes_of(results: Path) -> list[int]:
    """Every process on this machine that has this results folder in its environment: drivers and workers."""
    wanted = f"{RESULTS}={results}".encode()
    found = []
    for environment in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if wanted in environment.read_bytes().split(b"\0"):
                found.append(int(environment.parent.name))
    return found
