"""Run an installed package in other Pythons, which have other releases of torch.

CU2GRAD_OTHER_TORCH names them: paths of Python programs or of virtual environments, separated as PATH is.
Each needs torch and what torch needs, and nothing of the grader's, which is found through PYTHONPATH. What
such a process reports is a stranger's claim, except for the values, which the caller compares.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from cusimt.support import cache
from grader.packages import outputs
from grader.packages.trial import RESULT, VALUES, bytes_of
from grader.run import sandbox
from grader.run.limits import Limits
from grader.support.backends import Backend
from grader.support.folders import python_path
from grader.support.processes import ends_within, kill_group

VARIABLE = "CU2GRAD_OTHER_TORCH"
_PROGRAM = "grader.packages.trial"
_PREPARING_SECONDS = 600.0  # compiles the simulated GPU for another torch, once
_SECONDS = 120.0
_MOST_VALUES = 2**24


@dataclass(frozen=True)
class Trial:
    """What another Python did: the release of its torch, and the result of each call or the exception.

    A result is None where what was left is no tensor.
    """

    release: str
    error: str = ""
    results: tuple[torch.Tensor | None, ...] = ()


class Unusable(Exception):
    """A Python that cannot run anything, for a reason that is not the package's."""


def pythons() -> list[Path]:
    """The programs that VARIABLE names."""
    found = []
    for text in filter(None, os.environ.get(VARIABLE, "").split(os.pathsep)):
        path = Path(text).expanduser()
        found.append(path / "bin" / "python" if path.is_dir() else path)
    return found


def prepare(python: Path, backend: Backend) -> str:
    """The release of torch in `python`, whose simulated GPU is ready then. Raises Unusable."""
    command = [str(python), "-P", "-m", _PROGRAM, "--backend", backend]
    try:
        done = subprocess.run(
            command, env=_environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=_PREPARING_SECONDS, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unusable(f"{python} cannot be used: {error}.") from None
    if done.returncode != 0:
        last = (done.stderr.strip() or f"it ended with {done.returncode}").splitlines()[-1]
        raise Unusable(f"{python} cannot import torch: {last}")
    return done.stdout.split()[-1]


def run(
    python: Path, backend: Backend, installed: Path, package: str, entry: str,
    calls: Sequence[Sequence[torch.Tensor]], scratch: Path,
) -> Trial:  # fmt: skip
    """Call `entry` of the `package` below `installed` with copies of the tensors of each of `calls`.

    The tensors are on the CPU and have elements; `scratch` is an empty folder. Raises Unusable.
    """
    release = prepare(python, backend)
    out = scratch / "out"
    out.mkdir()
    content = scratch / "arguments.bin"
    content.write_bytes(b"".join(bytes_of(each) for call in calls for each in call))
    described = [[[_name(each.dtype), list(each.shape)] for each in call] for call in calls]
    limits = Limits()
    folders = (installed, scratch, python.parent.parent, sandbox.installed_in(python))
    readable = sandbox.worker_readable(folders)
    command = [
        str(python), "-P", "-m", _PROGRAM, "--backend", backend, "--folder", str(installed),
        "--package", package, "--entry", entry, "--calls", json.dumps(described), "--bytes", str(content),
        "--out", str(out), "--parent", str(os.getpid()), "--memory", str(limits.memory_bytes),
        "--file-bytes", str(limits.file_bytes),
        *(part for path in readable for part in ("--readable", str(path))),
    ]  # fmt: skip
    ended = _watched(command)
    result = _result(out / RESULT)
    if result is None:
        return Trial(release, f"the process ended with {ended}")
    if result.get("error"):
        return Trial(release, f"{result['error']}: {result.get('message', '')}")
    left = result.get("results")
    kinds = left if isinstance(left, list) and len(left) == len(calls) else [None] * len(calls)
    values = (_values(out / VALUES.format(number), kind) for number, kind in enumerate(kinds))
    return Trial(release, results=tuple(values))


def _watched(command: Sequence[str]) -> str:
    """How it ended, in words; one that does not end is killed."""
    with subprocess.Popen(
        command, env=_environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, start_new_session=True,
    ) as running:  # fmt: skip
        try:
            ended = ends_within(running.pid, _SECONDS)
        finally:
            kill_group(running.pid)
        status = running.wait()
    if not ended:
        return f"a kill after {_SECONDS:.0f} seconds"
    return f"signal {-status}" if status < 0 else f"status {status}"


def _result(path: Path) -> dict[str, object] | None:
    try:
        found = json.loads(outputs.text(path))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _values(path: Path, kind: object) -> torch.Tensor | None:
    """The tensor that was left, of the dtype and shape `kind`; None where that does not fit its bytes."""
    if not isinstance(kind, list) or len(kind) != 2 or not isinstance(kind[1], list):
        return None
    name, shape = kind
    dtype = getattr(torch, str(name), None)
    if not isinstance(dtype, torch.dtype):
        return None
    try:
        content = bytearray(outputs.content(path, _MOST_VALUES))
        return torch.frombuffer(content, dtype=dtype).reshape([int(size) for size in shape])
    except (OSError, RuntimeError, TypeError, ValueError):
        return None


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _environment() -> dict[str, str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return {**environment, "PYTHONPATH": python_path(), "CUSIMT_CACHE": str(cache.cache_root())}
