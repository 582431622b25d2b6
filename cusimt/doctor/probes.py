"""What `cusimt doctor` looks at. Each probe answers with what it found and, if that is wrong, the fix.

No probe imports torch or starts a build: the doctor must also work where those are what is broken.
"""

from __future__ import annotations

import contextlib
import os
import platform
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from cusimt.compiler import libraries
from cusimt.doctor.line import Line, run
from cusimt.support import cache, toolchain
from cusimt.support.errors import ExplainedError

__all__ = ["PROBES", "answers"]

OLDEST_PYTHON = (3, 11)
OLDEST_TORCH = (2, 11)
CACHE_NEEDS_GIB = 2.0
ERRORS = {"Python.h": "python-h", "ninja": "ninja", "torch": "no-torch"}  # entries of errors.md


def answers(probes: Mapping[str, Callable[[], Line | None]]) -> list[Line]:
    """The line of each probe; one that fails reports that as a problem."""
    return [line for name, probe in probes.items() if (line := _answer(name, probe)) is not None]


def _answer(name: str, probe: Callable[[], Line | None]) -> Line | None:
    try:
        return probe()
    except ExplainedError as error:
        return Line("problem", name, error.what, error.next, ERRORS.get(name, ""))
    except Exception as error:  # the doctor outlives whatever is broken here
        found = f"could not be examined: {type(error).__name__}: {error}"
        return Line("problem", name, found, "This is a fault of the doctor; please report the line.")


def _python() -> Line:
    version = platform.python_version()
    found = f"{version} at {sys.executable}"
    if sys.version_info[:2] < OLDEST_PYTHON:
        return Line("problem", "python", found, "Install Python 3.11 or newer.")
    return Line("ok", "python", found)


def _python_headers() -> Line:
    return Line("ok", "Python.h", str(toolchain.python_include()))


def _compiler() -> Line:
    compiler = toolchain.host_compiler()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "probe.cpp"
        source.write_text("#include <concepts>\n#include <thread>\nstatic_assert(std::integral<int>);\n")
        done = run(*compiler.command, "-std=c++20", "-fsyntax-only", str(source))
    if done.returncode != 0:
        fix = "Install one that does, g++ 11 or newer, and name it: export CXX=g++-11"
        return Line("problem", "C++ compiler", f"{compiler.version} does not compile C++20", fix)
    return Line("ok", "C++ compiler", f"{compiler.version} at {shutil.which(compiler.command[0])}")


def _ninja() -> Line:
    return Line("ok", "ninja", str(toolchain.ninja()))


def _torch() -> Line:
    found = toolchain.torch_install()
    numbers = tuple(int(number) for number in re.findall(r"\d+", found.version)[:2])
    if numbers < OLDEST_TORCH:
        fix = "Run: python -m pip install --upgrade torch"
        return Line("problem", "torch", f"{found.version} is older than 2.11", fix)
    return Line(
        "ok", "torch", f"{found.version}, built for {f'CUDA {found.cuda}' if found.cuda else 'the CPU'}"
    )


def _cache_folder() -> Line:
    root = cache.cache_root()
    fix = "Make it writable, or choose another folder: export CUSIMT_CACHE=DIR"
    try:
        root.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=root):
            pass
    except OSError as error:
        return Line("problem", "cache", f"{root} cannot be written: {error.strerror}", fix)
    used = _bytes_in(root)
    free = shutil.disk_usage(root).free
    found = f"{root}, {used / 2**20:.0f} MiB used, {free / 2**30:.0f} GiB free"
    if free < CACHE_NEEDS_GIB * 2**30:
        return Line("problem", "cache", found, f"Free {CACHE_NEEDS_GIB:g} GiB there, or set CUSIMT_CACHE.")
    return Line("ok", "cache", found)


def _bytes_in(folder: Path) -> int:
    """The files in `folder` together. What another grading takes away meanwhile does not count."""
    used = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                used += (Path(place) / name).stat().st_size
    return used


def _simulator() -> Line:
    if libraries.is_built():
        return Line("ok", "simulator", f"built for this compiler, in {libraries.runtime_path().parent}")
    return Line("ok", "simulator", "not built yet: the first program does so, in a minute or more")


PROBES: dict[str, Callable[[], Line]] = {
    "python": _python,
    "Python.h": _python_headers,
    "C++ compiler": _compiler,
    "ninja": _ninja,
    "torch": _torch,
    "simulator": _simulator,
    "cache": _cache_folder,
}
