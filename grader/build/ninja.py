"""Writes a ninja file of explicit commands and runs it."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.toolchain import ninja

TIMEOUT_SECONDS = 600.0


@dataclass(frozen=True)
class Edge:
    """One command that makes `output` out of `inputs`."""

    output: Path
    inputs: tuple[Path, ...]
    command: tuple[str, ...]


@dataclass(frozen=True)
class Outcome:
    """Whether every command succeeded, and everything that ninja and the commands printed."""

    ok: bool
    log: str


def run(edges: Sequence[Edge], folder: Path, *, verbose: bool = False) -> Outcome:
    """Run `edges` in dependency order, as many at once as there are cores.

    One failure does not stop the others. `folder` is a scratch folder: build.ninja and ninja's own records
    are put there, and commands run in it.
    """
    (folder / "build.ninja").write_text(text(edges))
    command = [str(ninja()), "-C", str(folder), "-v", "-k", "0"]
    # Diagnostics are parsed: in English.
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "NINJA_STATUS": "[%f/%t] "}
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment,
        start_new_session=True,  # so that a timeout reaches the compilers too
    ) as running:
        try:
            printed, _ = running.communicate(timeout=TIMEOUT_SECONDS)
        except BaseException as error:
            _kill_group(running.pid)
            printed, _ = running.communicate()
            if not isinstance(error, subprocess.TimeoutExpired):
                raise
            printed += f"\nerror: the compiler was stopped after {TIMEOUT_SECONDS:.0f} seconds\n".encode()
    log = printed.decode(errors="replace")
    if verbose:
        print(log, end="", flush=True)
    return Outcome(running.returncode == 0, log)


def text(edges: Sequence[Edge]) -> str:
    """The ninja file. A command is one shell line, in which ninja wants `$` doubled."""
    lines = ["ninja_required_version = 1.5", "rule run", "  command = $command", "  description = $out", ""]
    for edge in edges:
        inputs = " ".join(_path(file) for file in edge.inputs)
        lines.append(f"build {_path(edge.output)}: run {inputs}")
        lines.append(f"  command = {shlex.join(edge.command).replace('$', '$$')}")
    return "\n".join(lines) + "\n"


def _path(path: Path) -> str:
    return str(path).replace("$", "$$").replace(" ", "$ ").replace(":", "$:")


def _kill_group(leader: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)
