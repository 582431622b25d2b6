"""Sets up .venv for the Makefile: `python3 -I grader/bootstrap.py .venv [EXTRA[,EXTRA]]`.

Runs before anything is installed, so: the standard library only. Names every missing system package at once,
before it starts anything.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
import urllib.request
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent
CPU_WHEELS = "https://download.pytorch.org/whl/cpu"
TICK_SECONDS = 60  # between signs of life in a log
MOST_LINES = 40  # of a failed command's output


def missing_packages() -> dict[str, str]:
    """The Debian packages that are not installed, each with what it is needed for."""
    missing = {}
    if find_spec("venv") is None or find_spec("ensurepip") is None:
        missing["python3-venv"] = "to make .venv"
    if not Path(sysconfig.get_paths()["include"], "Python.h").is_file():
        missing["python3-dev"] = "for Python.h, which torch/extension.h includes"
    if shutil.which(os.environ.get("CXX") or "g++") is None:
        missing["g++"] = "to compile kernels"
    return missing


def preflight() -> None:
    """Ends the program with three clear lines when this machine lacks something."""
    missing = missing_packages()
    if missing:
        sys.exit(
            f"This machine lacks {', '.join(f'{name} ({why})' for name, why in missing.items())}.\n"
            f"Run: sudo apt install {' '.join(missing)}\n"
            "Then run the same make command again."
        )


def create(folder: Path) -> Path:
    """The Python of the virtual environment in ``folder``; one that does not start is replaced."""
    python = folder / "bin" / "python"
    if not python.exists() or _run([python, "-m", "pip", "--version"], None) != 0:
        _say(f"Making {folder} with Python {sys.version.split()[0]}.")
        handle, name = tempfile.mkstemp(prefix="cu2grad-venv-", suffix=".log")
        os.close(handle)
        log = Path(name)
        if _run([sys.executable, "-m", "venv", "--clear", folder], log) != 0:
            _fail("The virtual environment could not be made.", log)
        log.unlink()
    return python


def install(python: Path, folder: Path, extra: str) -> None:
    """Installs cu2grad, editable, at the versions of constraints.txt; with the optional ``extra``, or with
    several that commas separate.

    What pip prints goes into a file, and on the screen only where it fails.
    """
    target = f".[{extra}]" if extra else "."
    pip: list[str | Path] = [
        python,
        "-m",
        "pip",
        "install",
        "--disable-pip-version-check",
        "--progress-bar=off",
        "-c",
        "constraints.txt",
        "-e",
        target,
    ]
    log = folder / "install.log"
    if extra:
        wanted = f"what {extra.replace(',', ' and what ')} needs"
        _say(f"Installing {wanted} into {folder}: about a minute. pip's log is {log}.")
    else:
        index = cpu_index()
        pip += index
        size = "about 1 GB, two to five minutes" if index else "up to 5 GB, five to fifteen minutes"
        _say(f"Installing torch and a few small packages into {folder}: {size}. pip's log is {log}.")
    with Ticker():
        failed = _run(pip, log) != 0
    if failed:
        _fail("pip could not install everything.", log)


def cpu_index() -> list[str]:
    """pip options that offer torch's CPU build, where there is no GPU and the index can be reached.

    PyPI's torch is the CUDA build, 4.7 GB installed; a local version, 2.13.0+cpu, ranks above 2.13.0.
    """
    if shutil.which("nvidia-smi") or os.environ.get("PIP_FIND_LINKS") or os.environ.get("PIP_NO_INDEX"):
        return []
    try:
        urllib.request.urlopen(f"{CPU_WHEELS}/torch/", timeout=5).close()
    except OSError:
        return []
    return ["--extra-index-url", CPU_WHEELS]


class Ticker:
    """Says now and then that an installation is going on: on a terminal in one line, redrawn."""

    def __init__(self) -> None:
        self._moving = sys.stdout.isatty()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._tick, daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()
        if self._moving:
            print("\r\033[K", end="", flush=True)

    def _tick(self) -> None:
        start = time.monotonic()
        while not self._done.wait(1 if self._moving else TICK_SECONDS):
            line = f"  still installing after {time.monotonic() - start:.0f} s"
            if self._moving:
                print(f"\r\033[K{line}", end="", flush=True)
            else:
                _say(line)


def _run(command: Sequence[str | Path], log: Path | None) -> int:
    """The exit code of ``command``, whose output goes into ``log`` or, without one, nowhere."""
    place = Path(os.devnull) if log is None else ROOT / log
    with place.open("w", encoding="utf-8") as sink:
        words = [str(part) for part in command]
        return subprocess.call(words, cwd=str(ROOT), stdout=sink, stderr=subprocess.STDOUT)


def _fail(sentence: str, log: Path) -> NoReturn:
    """Ends the program with what the failed command printed last, and where all of it is."""
    printed = (ROOT / log).read_text(encoding="utf-8", errors="replace").splitlines()
    left_out = len(printed) - MOST_LINES
    if left_out > 0:
        printed = [f"... {left_out} earlier lines are in {log}", *printed[-MOST_LINES:]]
    _say("\n".join(printed))
    _say(f"{sentence} The reason is above; all of the output is in {log}.")
    sys.exit("Remove the reason, then run the same command again.")


def _say(sentence: str) -> None:
    print(sentence, flush=True)


def main() -> None:
    preflight()
    folder = Path(sys.argv[1])
    install(create(folder), folder, sys.argv[2] if len(sys.argv) > 2 else "")


if __name__ == "__main__":
    main()
