"""What `grader doctor` looks at. Each probe answers with what it found and, if that is wrong, the fix.

No probe imports torch or starts a build: the doctor must also work where those are what is broken.
"""

from __future__ import annotations

import contextlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from grader import cache, toolchain
from grader.build.devices import detect_backend, gpu_present
from grader.catalog import Catalog
from grader.cli import extension_probes
from grader.cli.probe_line import Line, run
from grader.errors import GraderError, ToolchainError
from grader.run import groups, landlock, sandbox

OLDEST_PYTHON = (3, 11)
OLDEST_TORCH = (2, 11)
CACHE_NEEDS_GIB = 2.0
ERRORS = {"Python.h": "python-h", "ninja": "ninja", "torch": "no-torch"}  # entries of errors.md


def probe_grading() -> list[Line]:
    """What grading needs, in the order of the report. A probe that fails reports that as a problem."""
    return _answers(PROBES)


def probe_extensions() -> list[Line]:
    """What extensions that are built without the grader need. These lines are never a problem for grading."""
    lines = _answers(extension_probes.PROBES)
    return [replace(line, state="warning") if line.state == "problem" else line for line in lines]


def _answers(probes: Mapping[str, Callable[[], Line | None]]) -> list[Line]:
    return [line for name, probe in probes.items() if (line := _answer(name, probe)) is not None]


def _answer(name: str, probe: Callable[[], Line | None]) -> Line | None:
    try:
        return probe()
    except GraderError as error:
        return Line("problem", name, error.what, error.next, ERRORS.get(name, ""))
    except Exception as error:  # the doctor outlives whatever is broken here
        found = f"could not be examined: {type(error).__name__}: {error}"
        return Line("problem", name, found, "This is a fault of the doctor; please report the line.")


def _python() -> Line:
    version = platform.python_version()
    found = f"{version} at {sys.executable}"
    if sys.version_info[:2] < OLDEST_PYTHON:
        return Line(
            "problem", "python", found, "Install Python 3.11 or newer, delete .venv, run make demo again."
        )
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
        fix = "Run: python -m pip install -c constraints.txt -e ."
        return Line("problem", "torch", f"{found.version} is older than 2.11", fix)
    return Line(
        "ok", "torch", f"{found.version}, built for {f'CUDA {found.cuda}' if found.cuda else 'the CPU'}"
    )


def _gpu() -> Line:
    if not gpu_present():
        return Line("optional", "GPU", "none found", "Kernels run on simt. A GPU adds measured speed.")
    return Line(
        "ok",
        "GPU",
        _first_line(run("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader")),
    )


def _nvcc() -> Line:
    wanted = toolchain.torch_install().cuda
    try:
        nvcc = toolchain.cuda_toolkit().nvcc
    except ToolchainError as error:
        return Line(
            "optional", "nvcc", "no complete CUDA toolkit",
            f"The cuda backend needs it; grader profile estimates registers without it. {error.next}",
        )  # fmt: skip
    match = re.search(r"release (\d+\.\d+)", run(str(nvcc), "--version").stdout)
    version = match[1] if match else "of an unknown version"
    if wanted and wanted.split(".")[0] != version.split(".")[0]:
        fix = f"Install a toolkit of version {wanted}, the one torch was built with, and set CUDA_HOME to it."
        return Line(
            "problem", "nvcc", f"{version} at {nvcc}, but torch was built for CUDA {wanted}", fix,
            "toolkit-version",
        )  # fmt: skip
    return Line("ok", "nvcc", f"{version} at {nvcc}")


def _backend() -> Line:
    chosen = os.environ.get("CU2GRAD_BACKEND")
    why = " (CU2GRAD_BACKEND says so)" if chosen else ""
    return Line("ok", "backend", f"{detect_backend()}{why}")


def _sandbox() -> Line:
    path = shutil.which("bwrap")
    if path is None:
        fix = "Run: sudo apt install bubblewrap  (needed for --isolate and for grading strangers' code)"
        return Line("optional", "sandbox", "bwrap is not installed", fix)
    if why := sandbox.why_unusable():
        fix = "This system forbids unprivileged user namespaces; --isolate is not available here."
        return Line("optional", "sandbox", f"bwrap does not start: {why.splitlines()[0]}", fix)
    limit = groups.process_limit()
    found = f"bwrap at {path}, processes are limited by {limit or 'nothing'}"
    if not limit:
        fix = (
            "A setup.py could start processes without end. Linux limits those of an ordinary user since "
            "5.14, and root's only in a control group: do not grade as root."
        )
        return Line("optional", "sandbox", found, fix)
    if not landlock.version():
        fix = "Without Landlock (Linux 5.13), every submission waits for a fresh start of torch."
        return Line("optional", "sandbox", f"{found}, there is no Landlock", fix)
    return Line("ok", "sandbox", f"{found}, Landlock {landlock.version()}")


def _cache_folder() -> Line:
    root = cache.cache_root()
    fix = "Make it writable, or choose another folder: export CU2GRAD_CACHE=DIR"
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
        return Line("problem", "cache", found, f"Free {CACHE_NEEDS_GIB:g} GiB there, or set CU2GRAD_CACHE.")
    return Line("ok", "cache", found)


def _bytes_in(folder: Path) -> int:
    """The files in ``folder`` together. What another grading takes away meanwhile does not count."""
    used = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                used += (Path(place) / name).stat().st_size
    return used


def _course() -> Line:
    catalog = Catalog.open()
    writable = os.access(catalog.course, os.W_OK)
    note = "" if writable else ", read-only (progress is kept in the cache)"
    return Line("ok", "course", f"{catalog.course}, {len(catalog.exercises)} exercises{note}")


PROBES: dict[str, Callable[[], Line]] = {
    "python": _python,
    "Python.h": _python_headers,
    "C++ compiler": _compiler,
    "ninja": _ninja,
    "torch": _torch,
    "GPU": _gpu,
    "nvcc": _nvcc,
    "backend": _backend,
    "sandbox": _sandbox,
    "cache": _cache_folder,
    "course": _course,
}


def _first_line(done: subprocess.CompletedProcess[str]) -> str:
    text = done.stdout.strip()
    return text.splitlines()[0] if text else f"exit code {done.returncode}"
