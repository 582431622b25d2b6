"""What `grader doctor` looks at. Each probe answers with what it found and, if that is wrong, the fix.

No probe imports torch or starts a build: the doctor must also work where those are what is broken.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from grader import cache
from grader.catalog import Catalog
from grader.errors import GraderError

OLDEST_PYTHON = (3, 11)
OLDEST_TORCH = (2, 11)
OLDEST_GXX = 11
CACHE_NEEDS_GIB = 2.0

State = Literal["ok", "optional", "problem"]


@dataclass(frozen=True)
class Line:
    """One line of the report. ``optional``: grading works without it; ``fix`` says how to get it."""

    state: State
    name: str
    found: str
    fix: str = ""


def probe_all() -> list[Line]:
    """Every probe, in the order of the report. A probe that fails itself reports that as a problem."""
    lines = []
    for probe in _PROBES:
        try:
            lines.append(probe())
        except Exception as error:  # the doctor outlives whatever is broken here
            name = probe.__name__.removeprefix("_")
            lines.append(Line("problem", name, f"could not be examined: {error}", "Report this line."))
    return lines


def _python() -> Line:
    version = platform.python_version()
    found = f"{version} at {sys.executable}"
    if sys.version_info[:2] < OLDEST_PYTHON:
        return Line(
            "problem", "python", found, "Install Python 3.11 or newer, delete .venv, run make demo again."
        )
    return Line("ok", "python", found)


def _python_headers() -> Line:
    header = Path(sysconfig.get_path("include")) / "Python.h"
    if header.is_file():
        return Line("ok", "Python.h", str(header))
    return Line("problem", "Python.h", f"not at {header}", "Run: sudo apt install python3-dev")


def _compiler() -> Line:
    chosen = os.environ.get("CXX") or "g++"
    path = shutil.which(chosen)
    if path is None:
        return Line("problem", "C++ compiler", f"{chosen} is not on PATH", "Run: sudo apt install g++")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "probe.cpp"
        source.write_text("#include <concepts>\n#include <thread>\nstatic_assert(std::integral<int>);\n")
        done = _run(path, "-std=c++20", "-fsyntax-only", str(source))
    version = _first_line(_run(path, "--version"))
    if done.returncode != 0:
        fix = f"Run: sudo apt install g++  (version {OLDEST_GXX} or newer)"
        return Line("problem", "C++ compiler", f"{version} does not compile C++20", fix)
    return Line("ok", "C++ compiler", f"{version} at {path}")


def _ninja() -> Line:
    if importlib.util.find_spec("ninja") or shutil.which("ninja"):
        return Line("ok", "ninja", "found")
    return Line("problem", "ninja", "not installed", "Run: pip install ninja")


def _torch() -> Line:
    try:
        version = importlib.metadata.version("torch")
    except importlib.metadata.PackageNotFoundError:
        return Line("problem", "torch", "not installed", "Run: pip install -c constraints.txt -e .")
    numbers = tuple(int(number) for number in re.findall(r"\d+", version)[:2])
    if numbers < OLDEST_TORCH:
        fix = "Run: pip install -c constraints.txt -e ."
        return Line("problem", "torch", f"{version} is older than 2.11", fix)
    cuda = _torch_cuda()
    return Line("ok", "torch", f"{version}, built for {f'CUDA {cuda}' if cuda else 'the CPU'}")


def _gpu() -> Line:
    tool = shutil.which("nvidia-smi")
    done = _run(tool, "--query-gpu=name,driver_version", "--format=csv,noheader") if tool else None
    if done is None or done.returncode != 0:
        return Line("optional", "GPU", "none found", "Kernels run on simt. A GPU adds measured speed.")
    return Line("ok", "GPU", _first_line(done))


def _nvcc() -> Line:
    home = os.environ.get("CUDA_HOME")
    tool = shutil.which("nvcc") or (shutil.which("nvcc", path=f"{home}/bin") if home else None)
    wanted = _torch_cuda()
    if tool is None:
        need = f"nvidia-cuda-nvcc=={wanted}.*" if wanted else "a CUDA toolkit"
        return Line("optional", "nvcc", "not found", f"Only the cuda backend needs it: {need}.")
    match = re.search(r"release (\d+\.\d+)", _run(tool, "--version").stdout)
    version = match[1] if match else "of an unknown version"
    if wanted and wanted.split(".")[0] != version.split(".")[0]:
        fix = f"Install a toolkit of version {wanted}, the one torch was built with, and set CUDA_HOME to it."
        return Line("problem", "nvcc", f"{version} at {tool}, but torch was built for CUDA {wanted}", fix)
    return Line("ok", "nvcc", f"{version} at {tool}")


def _backend() -> Line:
    from grader.build import detect_backend

    chosen = os.environ.get("CU2GRAD_BACKEND")
    why = " (CU2GRAD_BACKEND says so)" if chosen else ""
    return Line("ok", "backend", f"{detect_backend()}{why}")


def _sandbox() -> Line:
    path = shutil.which("bwrap")
    if path is None:
        fix = "Run: sudo apt install bubblewrap  (needed for --isolate and for grading strangers' code)"
        return Line("optional", "sandbox", "bwrap is not installed", fix)
    done = _run(path, "--ro-bind", "/", "/", "--unshare-all", "true")
    if done.returncode != 0:
        fix = "This system forbids unprivileged user namespaces; --isolate is not available here."
        return Line("optional", "sandbox", f"bwrap does not start: {_first_line(done, stderr=True)}", fix)
    return Line("ok", "sandbox", f"bwrap at {path}")


def _cache_folder() -> Line:
    root = cache.cache_root()
    fix = "Make it writable, or choose another folder: export CU2GRAD_CACHE=DIR"
    try:
        root.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=root):
            pass
    except OSError as error:
        return Line("problem", "cache", f"{root} cannot be written: {error.strerror}", fix)
    used = sum(path.stat().st_size for path in root.rglob("*") if path.is_file())
    free = shutil.disk_usage(root).free
    found = f"{root}, {used / 2**20:.0f} MiB used, {free / 2**30:.0f} GiB free"
    if free < CACHE_NEEDS_GIB * 2**30:
        return Line("problem", "cache", found, f"Free {CACHE_NEEDS_GIB:g} GiB there, or set CU2GRAD_CACHE.")
    return Line("ok", "cache", found)


def _course() -> Line:
    try:
        catalog = Catalog.open()
    except GraderError as error:
        return Line("problem", "course", error.what, error.next or error.rule)
    writable = os.access(catalog.course, os.W_OK)
    note = "" if writable else ", read-only (progress is kept in the cache)"
    return Line("ok", "course", f"{catalog.course}, {len(catalog.exercises)} exercises{note}")


_PROBES: tuple[Callable[[], Line], ...] = (
    _python,
    _python_headers,
    _compiler,
    _ninja,
    _torch,
    _gpu,
    _nvcc,
    _backend,
    _sandbox,
    _cache_folder,
    _course,
)


def _torch_cuda() -> str | None:
    """The CUDA version torch was built with, read from its version file without importing it."""
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        return None
    text = (Path(spec.origin).parent / "version.py").read_text(encoding="utf-8")
    match = re.search(r"^cuda\b[^=\n]*=\s*['\"]([\d.]+)['\"]", text, re.MULTILINE)
    return match[1] if match else None


def _run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)


def _first_line(done: subprocess.CompletedProcess[str], stderr: bool = False) -> str:
    text = (done.stderr if stderr else done.stdout).strip()
    return text.splitlines()[0] if text else f"exit code {done.returncode}"
