"""Which backend this machine can use, and which GPU architectures to compile for. Never imports torch."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from cusimt.programs.child_processes import is_simulated_process
from cusimt.support import cache
from cusimt.support.toolchain import cuda_toolkit, torch_install
from grader.support.backends import Backend, is_backend
from grader.support.errors import ToolchainError, UsageError

_DRIVER = Path("/proc/driver/nvidia")


def detect_backend() -> Backend:
    """The backend: "cuda" when a GPU, an nvcc and a torch made for CUDA are all there, else "simt".

    A program that `python -m cusimt` runs, and the processes that it starts, are on simt.

    CU2GRAD_BACKEND overrides; raises UsageError when it names neither.
    """
    chosen = os.environ.get("CU2GRAD_BACKEND", "")
    if chosen:
        if not is_backend(chosen):
            raise UsageError(
                f"CU2GRAD_BACKEND is {chosen!r}.",
                "There are two backends: cuda (a GPU and nvcc) and simt (no GPU).",
                "Set it to one of them, or unset it to let the grader choose.",
            )
        return chosen
    if is_simulated_process() or not gpu_present():
        return "simt"
    try:
        cuda_toolkit()
        return "cuda" if torch_install().cuda else "simt"
    except ToolchainError:
        return "simt"


def gpu_present() -> bool:
    """Whether a usable NVIDIA GPU is visible to this process."""
    if os.environ.get("CUDA_VISIBLE_DEVICES", "all").strip() in ("", "-1"):
        return False
    gpus = _DRIVER / "gpus"
    if gpus.is_dir() and any(gpus.iterdir()):
        return True
    return bool(_query("name"))  # WSL2 has a driver without /proc/driver


def architecture_list() -> str:
    """TORCH_CUDA_ARCH_LIST with its entries separated by semicolons; "" where it is not set."""
    return os.environ.get("TORCH_CUDA_ARCH_LIST", "").replace(" ", ";").strip(";")


def architecture_flags() -> list[str]:
    """nvcc's -gencode flags: TORCH_CUDA_ARCH_LIST where it is set, else the GPUs of this machine.

    Raises ToolchainError for a GPU that nvcc makes no code for.
    """
    listed = architecture_list()
    if not listed:
        return list(dict.fromkeys(map(flag_for, capabilities()))) or ["-arch=native"]
    flags = []
    for entry in filter(None, listed.split(";")):
        number, _, extra = entry.partition("+")
        if not re.fullmatch(r"\d+\.\d[a-z]?", number) or extra not in ("", "PTX"):
            return ["-arch=native"]  # names such as "Hopper"; nvcc asks the GPU itself
        compact = number.replace(".", "")
        flags.append(f"-gencode=arch=compute_{compact},code=sm_{compact}")
        if extra:
            flags.append(f"-gencode=arch=compute_{compact},code=compute_{compact}")
    return flags or ["-arch=native"]


def flag_for(capability: str) -> str:
    """nvcc's flag for a GPU, such as one of "8.6".

    Code of a lower minor version of the same major one runs on it, too. For a GPU that is newer than nvcc,
    the driver compiles the newest PTX when the library is loaded. Raises ToolchainError for an older one.
    """
    major, _, minor = capability.partition(".")
    wanted = (int(major), int(minor))
    codes = gpu_codes()
    near = [code for code in codes if code[0] == wanted[0] and code[1] <= wanted[1]]
    if not codes or near:
        compact = "{}{}".format(*max(near, default=wanted))
        return f"-gencode=arch=compute_{compact},code=sm_{compact}"
    if wanted > min(codes):
        compact = "{}{}".format(*max(code for code in codes if code < wanted))
        return f"-gencode=arch=compute_{compact},code=compute_{compact}"
    oldest = "{}.{}".format(*min(codes))
    raise ToolchainError(
        f"The GPU here has compute capability {capability}, and nvcc compiles for {oldest} and later.",
        "A CUDA toolkit no longer serves GPUs that are older than those of its release.",
        "Set CUDA_HOME to an older toolkit, with a torch that was built for it, or grade on the CPU: "
        "add --backend simt",
    )


def gpu_codes() -> list[tuple[int, int]]:
    """The compute capabilities that nvcc makes code for; empty where it does not say."""
    toolkit = cuda_toolkit()
    with cache.entry(["gpu codes", toolkit.identity], room="gpus") as slot:
        if slot.missing:
            command = [str(toolkit.nvcc), "--list-gpu-code"]
            answer = subprocess.run(command, capture_output=True, text=True, check=False).stdout
            (slot.folder / "codes").write_text(answer)
        text = (slot.folder / "codes").read_text()
    return [(int(major), int(minor)) for major, minor in re.findall(r"\bsm_(\d+)(\d)\b", text)]


def gpu_name() -> str:
    """The name of the first GPU that this process may use; "" where there is none."""
    return (_query("name") or ["an NVIDIA GPU"])[0] if gpu_present() else ""


def capabilities() -> list[str]:
    """Compute capabilities of the GPUs here, such as ["9.0"]; nvidia-smi can take a second: ask once."""
    known = sorted((_DRIVER / "gpus").glob("*/information")) if _DRIVER.is_dir() else []
    if not known:
        return sorted(set(_query("compute_cap")))
    facts = [(_DRIVER / "version").read_text(), *(file.read_text() for file in known)]
    with cache.entry(["compute capabilities", *facts], room="gpus") as slot:
        if slot.missing:
            answer = sorted(set(_query("compute_cap")))
            (slot.folder / "capabilities").write_text("\n".join(answer))
            if not answer:
                slot.discard()
            return answer
    return (slot.path / "capabilities").read_text().split()


def _query(field: str) -> list[str]:
    program = shutil.which("nvidia-smi")
    if program is None:
        return []
    command = [program, f"--query-gpu={field}", "--format=csv,noheader"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
    except (OSError, subprocess.SubprocessError):
        return []
    return [line.strip() for line in answer.stdout.splitlines() if line.strip()]
