"""Programs from checkouts of other people's repositories: run within a limit, with what was found in them."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from cusimt.findings.consequences import without_consequences
from cusimt.findings.model import SAMPLED
from cusimt.programs.child_findings import FOLDER_VARIABLE

Item = TypeVar("Item")
Result = TypeVar("Result")


# A command that has not ended after so many times its limit by the clock waits for something.
_PATIENCE = 10
MEMORY_LIMIT = 12  # GiB: a program that takes all there is ends programs of others


@dataclass(frozen=True)
class Ended:
    """How a command ended: `status` is None if it was stopped at a limit, which `stopped` names."""

    status: int | None
    output: str
    seconds: float  # of processor time
    kinds: frozenset[str]  # of the findings of all its processes
    blocks: tuple[int, int] = (0, 0)  # of the kernels that ran only in part: those that ran, and all
    stopped: str = ""  # "60 s", for example

    @property
    def succeeded(self) -> bool:
        return self.status == 0


def run_limited(
    command: Sequence[str], folder: Path, limit: float, environment: Mapping[str, str] | None = None
) -> Ended:
    """Run `command` in `folder`; after `limit` seconds it is killed with every process that it started.

    The limit is of processor time, since others may use the machine; the clock may count ten times as much.
    Another one is of memory.
    """
    with tempfile.TemporaryDirectory(prefix="findings-") as findings, tempfile.TemporaryFile() as output:
        variables = {**os.environ, **(environment or {}), FOLDER_VARIABLE: findings}
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        status, seconds, stopped = _wait(process, limit)
        output.seek(0)
        text = output.read().decode(errors="replace")
        return Ended(status, text, seconds, *_findings(Path(findings)), stopped)


def _wait(process: subprocess.Popen[bytes], limit: float) -> tuple[int | None, float, str]:
    """Status and processor time of `process`, which leads a session; if it was killed, the limit instead."""
    end, pause = time.monotonic() + _PATIENCE * limit, 0.01
    while True:
        reaped, status, usage = os.wait4(process.pid, os.WNOHANG)
        if reaped:
            process.returncode = os.waitstatus_to_exitcode(status)  # what Popen would wait for
            return process.returncode, usage.ru_utime + usage.ru_stime, ""
        used, memory = _use_of(process.pid)
        is_late = used > limit or time.monotonic() > end
        if is_late or memory > MEMORY_LIMIT:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return None, used, f"{limit:g} s" if is_late else f"{MEMORY_LIMIT} GiB"
        time.sleep(pause)
        pause = min(1.5 * pause, 1.0)


def _use_of(session: int) -> tuple[float, float]:
    """Processor time in seconds of `session`, with children that were waited for, and its memory in GiB."""
    ticks = pages = 0
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            values = file.read_text().rpartition(")")[2].split()  # proc(5): from the third one on
        except OSError:  # it has ended
            continue
        if int(values[3]) == session:
            ticks += sum(map(int, values[11:15]))
            pages += int(values[21])
    return ticks / os.sysconf("SC_CLK_TCK"), pages * os.sysconf("SC_PAGE_SIZE") / 2**30


def write_log(ended: Iterable[Ended], file: Path) -> None:
    """What commands printed, one after the other, with status and time of each."""
    text = (f"status {each.status}, {each.seconds:.1f} s\n{each.output}" for each in ended)
    file.write_text("\n\n".join(text))


def _findings(folder: Path) -> tuple[frozenset[str], tuple[int, int]]:
    """The kinds of findings left in `folder`, and how many blocks of sampled launches ran, of how many."""
    kinds: set[str] = set()
    ran = whole = 0
    for file in folder.glob("*.jsonl"):
        records = [json.loads(line) for line in file.read_text().splitlines() if line.endswith("}")]
        for each in without_consequences(records):
            if each["kind"] != SAMPLED:
                kinds.add(str(each["kind"]))
            elif counts := re.fullmatch(r"(\d+) of (\d+) blocks", str(each["note"])):
                ran, whole = ran + int(counts[1]), whole + int(counts[2])
    return frozenset(kinds), (ran, whole)


def in_scratch(function: Callable[[Item, Path], Result], items: Iterable[Item], jobs: int) -> list[Result]:
    """`function` of each item and an empty folder of its own, `jobs` at a time, in the order of `items`."""

    def one(item: Item) -> Result:
        with tempfile.TemporaryDirectory(prefix="suite-") as folder:
            return function(item, Path(folder))

    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(one, items))


def commit_of(folder: Path) -> str:
    """The commit of the checkout that holds `folder`, or "not a checkout"."""
    command = ["git", "-C", str(folder), "rev-parse", "--short=12", "HEAD"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else "not a checkout"
