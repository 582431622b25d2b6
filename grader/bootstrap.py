"""Sets up .venv for the Makefile: `python3 -I grader/bootstrap.py .venv [EXTRA]`.

Runs before anything is installed, so: the standard library only. Names every missing system package at once,
before it starts anything.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import threading
import time
import urllib.request
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CPU_WHEELS = "https://download.pytorch.org/whl/cpu"
TICK_SECONDS = 15


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
    """The Python of the virtual environment in ``folder``; one that does not start is made anew."""
    python = folder / "bin" / "python"
    if not python.exists() or _run([python, "-m", "pip", "--version"], quiet=True) != 0:
        _say(f"Making {folder} with Python {sys.version.split()[0]}")
        if _run([sys.executable, "-m", "venv", "--clear", folder]) != 0:
            sys.exit("The virtual environment could not be made; the reason is above.")
    return python


def install(python: Path, folder: Path, extra: str) -> None:
    """Installs cu2grad, editable, with the optional ``extra``, at the versions of constraints.txt."""
    target = f".[{extra}]" if extra else "."
    pip: list[str | Path] = [
        python,
        "-m",
        "pip",
        "install",
        "--disable-pip-version-check",
        "-c",
        "constraints.txt",
        "-e",
        target,
    ]
    if extra:
        _say(f"Installing what {extra} needs into {folder}")
    else:
        _say(f"Installing torch and a few small packages into {folder}: some minutes the first time,")
        _say("of which unpacking torch takes up to one without a word from pip.")
        pip += cpu_index()
    with Ticker(folder):
        failed = _run(pip) != 0
    if failed:
        sys.exit("pip could not install everything; its reason is above. Then run the same command again.")


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
    """Says now and then that an installation is going on, where pip's progress bar cannot be seen."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._tick, daemon=True)

    def __enter__(self) -> None:
        if not sys.stdout.isatty():
            self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._done.set()

    def _tick(self) -> None:
        start = time.monotonic()
        while not self._done.wait(TICK_SECONDS):
            _say(f"  still installing after {time.monotonic() - start:.0f} s")


def _run(command: Sequence[str | Path], quiet: bool = False) -> int:
    sink = subprocess.DEVNULL if quiet else None
    return subprocess.call([str(part) for part in command], cwd=str(ROOT), stdout=sink, stderr=sink)


def _say(sentence: str) -> None:
    print(sentence, flush=True)


def main() -> None:
    preflight()
    folder = Path(sys.argv[1])
    install(create(folder), folder, sys.argv[2] if len(sys.argv) > 2 else "")


if __name__ == "__main__":
    main()
