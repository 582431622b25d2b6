"""Grade a class on several machines: Parsl runs shares of it, in blocks that its own configuration asks for.

A share is the command ``grader class grade --share K/N``. What it has graded is in the folder of results, so
one that was lost with its block is run again and does the rest. All that is about schedulers is Parsl's.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import runpy
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from grader.run.limits import die_with_parent
from grader.run.sandbox import worker_readable
from grader.support.durable import make_private
from grader.support.errors import UsageError

if TYPE_CHECKING:
    from concurrent.futures import Future

    from parsl.config import Config


def read_configuration(path: Path) -> Config:
    """``config`` of the Python file ``path``. Raises UsageError where it has none, and without Parsl."""
    if importlib.util.find_spec("parsl") is None:
        raise UsageError(
            "Grading on a cluster needs Parsl, which is not installed.",
            "It comes with the extra `cluster`, and only --cluster uses it.",
            "Run: pip install cu2grad[cluster], or write a job array with --share",
        )
    from parsl.config import Config

    try:
        config = runpy.run_path(str(path)).get("config")
    except Exception as problem:  # it is a program, and can be wrong in every way
        raise _unusable(path, f"{type(problem).__name__}: {problem}") from problem
    if not isinstance(config, Config):
        raise _unusable(path, "it sets no `config` that is a parsl.Config")
    return config


def grade_shares(config: Config, command: Sequence[str], shares: int, folder: Path) -> dict[int, str]:
    """Run ``command --share K/SHARES`` for each K; returns by K how those ended that did not end well.

    What share K prints is in ``folder``/K.txt; Parsl's logs and keys are in the same folder.
    """
    import parsl

    # Parsl starts its programs by name, which are known only where this Python's folder is on the path.
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    config.run_dir = str(folder)
    with parsl.load(config) as kernel:
        share = parsl.python_app(run_share, data_flow_kernel=kernel, cache=False)
        running = [
            share((*command, "--share", f"{number}/{shares}"), folder / f"{number}.txt")
            for number in range(shares)
        ]
        endings = enumerate(map(_ending, running))
        return {number: ending for number, ending in endings if ending}


def run_share(command: Sequence[str], printed: Path) -> int:
    """On a machine of the cluster: the exit code of ``command``, which ends with the worker that runs it."""
    with printed.open("w", encoding="utf-8") as output:
        bound = functools.partial(die_with_parent, os.getpid())
        done = subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, check=False, preexec_fn=bound)
    return done.returncode


def private_folder(results: Path, shown: Iterable[Path]) -> Path:
    """``RESULTS/cluster``, for Parsl's logs and the keys of its connections: 0700, and not in any sandbox.

    Who has the keys can send tasks, and a task is code that runs with the instructor's rights.

    Raises UsageError where a sandboxed submission would see it.
    """
    folder = results.resolve() / "cluster"
    for seen in worker_readable(shown):
        if folder.is_relative_to(seen.resolve()):
            raise UsageError(
                f"The results folder {results} is inside {seen}, which submissions can read.",
                "The keys of the connections between the machines are kept in it.",
                "Set `results` in course.toml to a folder elsewhere",
            )
    make_private(folder)
    os.chmod(folder, 0o700)  # noqa: PTH101  (mkdir's mode would be cut by the umask, and an old folder kept)
    return folder


def _ending(share: Future[int]) -> str:
    error = share.exception()
    if error is not None:
        return f"lost: {type(error).__name__}: {error}".partition("\n")[0]
    code = share.result()
    return f"exit code {code}" if code else ""


def _unusable(path: Path, why: str) -> UsageError:
    return UsageError(
        f"{path} cannot be used: {why}.",
        "It is a configuration of Parsl: a Python file that sets `config`, as the handbook's sample does.",
        "Correct it, or grade on this machine: grader class grade",
    )
