"""What `grader doctor` looks at. Each probe answers with what it found and, if that is wrong, the fix.

No probe imports torch or starts a build: the doctor must also work where those are what is broken.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace

from cusimt.doctor import PROBES as OF_THE_SIMULATOR
from cusimt.doctor import Line, answers, run
from cusimt.support import toolchain
from grader.cli import extension_probes
from grader.compilation.devices import architecture_flags, detect_backend, gpu_present
from grader.course.catalog import Catalog
from grader.run import groups, landlock, sandbox
from grader.support.errors import ToolchainError


def probe_grading() -> list[Line]:
    """What grading needs, in the order of the report. A probe that fails reports that as a problem."""
    return answers(PROBES)


def probe_extensions() -> list[Line]:
    """What extensions that are built without the grader need. These lines are never a problem for grading."""
    lines = answers(extension_probes.PROBES)
    return [replace(line, state="warning") if line.state == "problem" else line for line in lines]


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
    try:
        architecture_flags()
    except ToolchainError as error:
        return Line(
            "problem", "nvcc", f"{version} at {nvcc}. {error.what}", error.next, "unsupported-architecture"
        )
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


def _course() -> Line:
    catalog = Catalog.open()
    writable = os.access(catalog.course, os.W_OK)
    note = "" if writable else ", read-only (progress is kept in the cache)"
    return Line("ok", "course", f"{catalog.course}, {len(catalog.exercises)} exercises{note}")


PROBES: dict[str, Callable[[], Line]] = {
    **{name: probe for name, probe in OF_THE_SIMULATOR.items() if name != "cache"},
    "GPU": _gpu,
    "nvcc": _nvcc,
    "backend": _backend,
    "sandbox": _sandbox,
    "cache": OF_THE_SIMULATOR["cache"],
    "course": _course,
}


def _first_line(done: subprocess.CompletedProcess[str]) -> str:
    text = done.stdout.strip()
    return text.splitlines()[0] if text else f"exit code {done.returncode}"
