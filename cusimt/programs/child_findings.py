"""Collects the findings of this process and of the processes that it starts.

    collect_from_children()    # children will leave theirs where this process looks
    collected = take_all()     # what was found since the last call, here and in children that have ended

A process writes its findings as JSON lines into a file of the folder that the environment names, while it
runs (runtime/left_file.h): they are there however it ends. It holds a lock on the file for as long as it
lives.
"""

from __future__ import annotations

import fcntl
import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cusimt import findings
from cusimt.findings import SAMPLED, UNCHECKED, Finding

FOLDER_VARIABLE = "CUSIMT_FINDINGS"
_SUFFIX = ".jsonl"

_folder: tempfile.TemporaryDirectory[str] | None = None  # gone when this process ends


@dataclass(frozen=True, order=True)
class UncheckedKernel:
    """A kernel that ran without access checks, so that nothing can be found in it; `where` is its launch."""

    library: str
    kernel: str
    where: str

    @property
    def sentence(self) -> str:
        return (
            f"{self.kernel} ({self.where}) ran without access checks, so nothing was looked for in it.\n"
            f"{Path(self.library).name} has objects that were compiled without them: "
            "compile its .cu files again, in a run without --no-checks."
        )


@dataclass(frozen=True, order=True)
class SampledLaunch:
    """Launches of a kernel at one place, `where`, that ran some of their blocks; `blocks` is of the first."""

    kernel: str
    where: str
    blocks: str  # 8 of 4096 blocks
    launches: int

    @property
    def sentence(self) -> str:
        of_several = f", in the first of {self.launches} launches" if self.launches > 1 else ""
        return f"{self.kernel} ({self.where}): {self.blocks}{of_several}"


@dataclass(frozen=True)
class Collected:
    """What the access checks found, merged by kind and line, and what they could not look at."""

    findings: list[Finding]
    unchecked: list[UncheckedKernel]
    sampled: list[SampledLaunch]


def collect_from_children() -> None:
    """Let child processes leave their findings for this process; later calls do nothing."""
    global _folder
    if _folder is not None:
        return
    _folder = tempfile.TemporaryDirectory(prefix="cusimt-findings-", ignore_cleanup_errors=True)
    os.environ[FOLDER_VARIABLE] = _folder.name


def take_all() -> Collected:
    """What this process and its children have found since the last call."""
    return _collected([*findings.take_raw(), *_left()])


def take_left() -> Collected:
    """What processes have left that have ended since the last call."""
    return _collected(list(_left()))


def drop_folder() -> None:
    """Remove the folder of a process that has ended without doing it."""
    if _folder is not None:
        _folder.cleanup()


def _collected(raw: list[dict[str, Any]]) -> Collected:
    unchecked = {_unchecked_kernel(each) for each in raw if each.get("kind") == UNCHECKED}
    sampled = [_sampled_launch(each) for each in raw if each.get("kind") == SAMPLED]
    return Collected(findings.symbolise(raw), sorted(unchecked), sampled)


def _unchecked_kernel(record: dict[str, Any]) -> UncheckedKernel:
    return UncheckedKernel(str(record["note"]), str(record["kernel"]), _launch_site(record))


def _sampled_launch(record: dict[str, Any]) -> SampledLaunch:
    return SampledLaunch(
        str(record["kernel"]), _launch_site(record), str(record["note"]), int(record["count"])
    )


def _launch_site(record: dict[str, Any]) -> str:
    return f"{Path(str(record['file'])).name}:{record['line']}"


def _left() -> Iterator[dict[str, Any]]:
    if _folder is None:
        return
    files = Path(_folder.name).glob(f"*{_SUFFIX}")
    for file in sorted(files, key=_time):
        with file.open("r+b") as stream:
            try:
                fcntl.lockf(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:  # its process lives, and may still write
                continue
            lines = stream.read().splitlines()
        file.unlink()
        yield from filter(None, map(_record, lines))


def _time(file: Path) -> int:
    """When its process began, by its name, PID.TIME.jsonl."""
    return int(file.stem.partition(".")[2])


def _record(line: bytes) -> dict[str, Any] | None:
    """The record in `line`; None if its process was stopped while it wrote it."""
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None
