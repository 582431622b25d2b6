"""Programs from checkouts of other people's repositories: run within a limit, with what was found in them."""

from __future__ import annotations

import json
import os
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
from cusimt.programs.child_findings import FOLDER_VARIABLE

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Ended:
    """How a command ended: `status` is None if it was stopped at its limit."""

    status: int | None
    output: str
    seconds: float
    kinds: frozenset[str]  # of the findings of all its processes

    @property
    def succeeded(self) -> bool:
        return self.status == 0


def run_limited(
    command: Sequence[str], folder: Path, limit: float, environment: Mapping[str, str] | None = None
) -> Ended:
    """Run `command` in `folder`; after `limit` seconds it is killed with every process that it started."""
    begin = time.monotonic()
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
        status: int | None = None
        try:
            status = process.wait(limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        seconds = time.monotonic() - begin
        output.seek(0)
        text = output.read().decode(errors="replace")
        return Ended(status, text, seconds, _finding_kinds(Path(findings)))


def write_log(ended: Iterable[Ended], file: Path) -> None:
    """What commands printed, one after the other, with status and time of each."""
    text = (f"status {each.status}, {each.seconds:.1f} s\n{each.output}" for each in ended)
    file.write_text("\n\n".join(text))


def _finding_kinds(folder: Path) -> frozenset[str]:
    kinds: set[str] = set()
    for file in folder.glob("*.jsonl"):
        records = [json.loads(line) for line in file.read_text().splitlines() if line.endswith("}")]
        kinds.update(str(record["kind"]) for record in without_consequences(records))
    return frozenset(kinds)


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
