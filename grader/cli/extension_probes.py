"""What `torch.utils.cpp_extension` and pip will run into on this machine, for `grader doctor`.

The grader has builds of its own and needs none of this; a learner who calls ``load()`` or runs ``setup.py``
does. Each probe looks where torch itself would look, and answers None where it has nothing to check.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import site
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from cusimt.doctor import Line, run
from cusimt.support import toolchain
from cusimt.support.processors import processors
from grader.compilation.devices import architecture_list, capabilities, gpu_present
from grader.support.errors import ToolchainError

GIB_PER_JOB = 3.0  # nvcc at work on torch/extension.h holds 2.9 GiB: see errors.md#killed
LOCK_IS_OLD = 3600.0  # seconds; no build of an extension takes an hour without its process in sight
_PROC = Path("/proc")
_USUAL_HOME = Path("/usr/local/cuda")  # torch's last guess on Linux


def cuda_home() -> Line | None:
    """The toolkit that torch finds: torch guesses in fewer places than the grader, and checks nothing."""
    torch = toolchain.torch_install()
    if torch.cuda is None:
        found = "torch is a CPU build: it reports CUDA_HOME as unset, whatever you set"
        return Line("optional", "CUDA_HOME", found, "A .cu file needs a CUDA build of torch.", "cuda-home")
    home, origin = _home_of_torch()
    complete = _complete_home()
    fix = f"Run: export CUDA_HOME={complete}" if complete else "Install a toolkit, then: export CUDA_HOME=DIR"
    if home is None:
        found = "not set, and torch finds no toolkit"
        return Line("warning" if complete else "optional", "CUDA_HOME", found, fix, "cuda-home")
    for part in ("bin/nvcc", "include/cuda_runtime.h"):
        if not (home / part).is_file():
            return Line("warning", "CUDA_HOME", f"{home} ({origin}) has no {part}", fix, "cuda-home")
    release = re.search(r"release (\d+\.\d+)", run(str(home / "bin/nvcc"), "--version").stdout)
    if release and release[1].split(".")[0] != torch.cuda.split(".")[0]:
        found = f"{home} ({origin}) is CUDA {release[1]}, but torch was built for CUDA {torch.cuda}"
        fix = f"Set CUDA_HOME to a toolkit of CUDA {torch.cuda}, or install the torch built for {release[1]}."
        return Line("warning", "CUDA_HOME", found, fix, "toolkit-version")
    return Line("ok", "CUDA_HOME", f"{home} ({origin})")


def host_compiler() -> Line | None:
    """nvcc refuses compilers that are newer than itself; its own header holds the limit."""
    try:
        toolkit = toolchain.cuda_toolkit()
    except ToolchainError:
        return None
    compiler = toolchain.host_compiler()
    rule = re.search(r"gcc versions later than (\d+) are not supported", _header(toolkit.include_dirs))
    if compiler.family != "gcc" or rule is None:
        return None
    version = run(*compiler.command, "-dumpfullversion", "-dumpversion").stdout.strip()
    newest, major = int(rule[1]), int((re.match(r"\d+", version) or ["0"])[0])
    name = compiler.command[0]
    if major > newest:
        found = f"{name} {version} is too new for nvcc, which accepts gcc up to {newest}"
        fix = f"Run: sudo apt install g++-{newest} && export CC=gcc-{newest} CXX=g++-{newest}"
        return Line("warning", "nvcc's compiler", found, fix, "host-compiler")
    return Line("ok", "nvcc's compiler", f"{name} {version}, nvcc accepts gcc up to {newest}")


def architectures() -> Line | None:
    """Whether a build here makes code that the GPU here can run."""
    if toolchain.torch_install().cuda is None:
        return None
    listed = architecture_list()
    gpus = capabilities() if gpu_present() else []
    if not listed or listed == "native":
        if gpus:
            return Line("ok", "architectures", f"those of the GPUs here: {', '.join(gpus)}")
        found = "TORCH_CUDA_ARCH_LIST is not set, and there is no GPU whose architecture torch could use"
        fix = 'Run: export TORCH_CUDA_ARCH_LIST="9.0+PTX"  (the GPU that will run it)'
        return Line("optional", "architectures", found, fix, "arch-list-index")
    missed = [gpu for gpu in gpus if not _covers(listed, gpu)]
    if missed:
        found = f'TORCH_CUDA_ARCH_LIST="{listed}" makes no code for the GPU here ({", ".join(missed)})'
        wider = f"{listed.removesuffix('+PTX')};{missed[-1]}+PTX"
        fix = f'Run: export TORCH_CUDA_ARCH_LIST="{wider}", and build again.'
        return Line("warning", "architectures", found, fix, "no-kernel-image")
    return Line("ok", "architectures", f'TORCH_CUDA_ARCH_LIST="{listed}"')


def jobs() -> Line | None:
    """Whether as many compilers as ninja starts fit into memory."""
    available = _available_gib()
    if available is None:
        return None
    chosen = os.environ.get("MAX_JOBS", "")
    count = int(chosen) if chosen.isdecimal() and int(chosen) else _jobs_of_ninja(os.cpu_count() or 1)
    origin = f"MAX_JOBS={chosen}" if chosen else "MAX_JOBS is not set"
    found = f"{origin}: up to {count} compilers share {available:.1f} GiB, {available / count:.1f} GiB each"
    if available / count < GIB_PER_JOB:
        fit = max(1, min(processors(), int(available / GIB_PER_JOB)))
        if count <= fit:
            return Line("warning", "compiler jobs", found, "Free memory, or add swap.", "killed")
        return Line("warning", "compiler jobs", found, f"Run: export MAX_JOBS={fit}", "killed")
    return Line("ok", "compiler jobs", found)


def ninja_on_path() -> Line | None:
    """torch calls ``ninja`` by name; the grader also finds the one of an environment that is not active."""
    found = shutil.which("ninja")
    if found:
        return Line("ok", "ninja on PATH", found)
    try:
        beside = toolchain.ninja()
    except ToolchainError:
        return None  # the line "ninja" says so already
    fix = f'Run: export PATH="{beside.parent}:$PATH"  (activating the environment does so, too)'
    return Line("warning", "ninja on PATH", f"only at {beside}, where torch does not look", fix, "ninja")


def locks() -> Line | None:
    """A lock that a killed build left behind: the next ``load()`` of that name waits for it for ever."""
    root, source = _extensions_root(), toolchain.torch_install().root / "utils/cpp_extension.py"
    if not root.is_dir() or "FileBaton(" not in source.read_text():  # newer torch locks with flock
        return None
    old = [lock for lock in sorted(root.glob("**/lock")) if _age(lock) > LOCK_IS_OLD]
    held = set(_open_files()) if old else set()
    stale = [lock for lock in old if lock.resolve() not in held]
    if stale:
        found = f"no process holds {', '.join(map(str, stale))}"
        return Line("warning", "build locks", found, f"Run: rm {shlex.join(map(str, stale))}", "stale-lock")
    return Line("ok", "build locks", f"none is stale below {root}")


def place_of_torch() -> Line | None:
    """A torch from elsewhere: an extension is then compiled against one torch and loaded into another."""
    torch = toolchain.torch_install().root
    own = [sys.prefix, sys.base_prefix, *site.getsitepackages(), site.getusersitepackages()]
    if any(torch.is_relative_to(folder) for folder in own):
        return Line("ok", "torch's place", str(torch))
    found = f"{torch} is outside of this Python's environment ({sys.prefix})"
    fix = "Look at PYTHONPATH and at .pth files; then: python -m pip install -c constraints.txt -e ."
    return Line("warning", "torch's place", found, fix, "undefined-symbol")


def _home_of_torch() -> tuple[Path | None, str]:
    """torch's CUDA_HOME and the reason for it, by the three guesses of ``cpp_extension._find_cuda_home``."""
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if chosen := os.environ.get(variable):
            return Path(chosen), variable
    if nvcc := shutil.which("nvcc"):
        return Path(nvcc).parent.parent, "nvcc on PATH"
    return (_USUAL_HOME, "the usual place") if _USUAL_HOME.exists() else (None, "")


def _complete_home() -> Path | None:
    try:
        return toolchain.cuda_toolkit().nvcc.parent.parent
    except ToolchainError:
        return None


def _header(folders: tuple[Path, ...]) -> str:
    for folder in folders:
        header = folder / "crt/host_config.h"
        if header.is_file():
            return header.read_text(errors="replace")
    return ""


def _covers(listed: str, gpu: str) -> bool:
    """Machine code runs on its own major version, PTX on every later GPU; names (Hopper) are not judged."""
    major, minor = map(int, gpu.split("."))
    for entry in listed.split(";"):
        match = re.fullmatch(r"(\d+)\.(\d)(\+PTX)?", entry)
        if match is None:
            return True
        made = (int(match[1]), int(match[2]))
        if made <= (major, minor) and (match[3] or made[0] == major):
            return True
    return False


def _jobs_of_ninja(processors: int) -> int:
    """ninja's own default (``GuessParallelism``)."""
    return {1: 2, 2: 3}.get(processors, processors + 2)


def _available_gib() -> float | None:
    try:
        match = re.search(r"^MemAvailable:\s+(\d+) kB", (_PROC / "meminfo").read_text(), re.MULTILINE)
    except OSError:
        return None
    return int(match[1]) / 2**20 if match else None


def _extensions_root() -> Path:
    chosen = os.environ.get("TORCH_EXTENSIONS_DIR")
    if chosen:
        return Path(chosen)
    caches = os.environ.get("XDG_CACHE_HOME")
    return (Path(caches) if caches else Path.home() / ".cache") / "torch_extensions"


def _age(lock: Path) -> float:
    try:
        return time.time() - lock.stat().st_mtime
    except OSError:
        return 0.0  # released meanwhile


def _open_files() -> Iterator[Path]:
    """Every file that a process of ours holds open: a build keeps its lock open until it is done."""
    for link in _PROC.glob("[0-9]*/fd/*"):
        try:
            yield link.readlink()
        except OSError:
            continue


PROBES = {
    "CUDA_HOME": cuda_home,
    "nvcc's compiler": host_compiler,
    "architectures": architectures,
    "compiler jobs": jobs,
    "ninja on PATH": ninja_on_path,
    "build locks": locks,
    "torch's place": place_of_torch,
}
