"""What stands for a driver and its GPUs, and what the judgings of tests/cluster/judging.py left behind."""

from __future__ import annotations

import json
from pathlib import Path

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
