"""Registers, spills and shared memory of each kernel: what ptxas says where nvcc is there, else an estimate.

nvcc compiles the `.cu` file for the device's architecture and throws the code away; no GPU is needed. Of a
file that includes torch's headers it gets the device part alone. The answer is kept in the cache. Without
nvcc, shared memory is read from the simulated build, which is exact, registers are estimated from the source,
and spills are not known.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from cusimt.compiler.sources import closure, content_key
from cusimt.profile.device_code import TORCH_INCLUDE, device_code
from cusimt.profile.instances import instance_name
from cusimt.support import cache
from cusimt.support.demangling import demangled
from cusimt.support.errors import ToolchainError
from cusimt.support.toolchain import NVCC_FLAGS, CudaToolkit, cuda_toolkit, host_compiler

_SECONDS = 60  # that nvcc may take; a file with CUDA headers only takes one
_ENTRY = re.compile(r"Compiling entry function '([^']+)'")
_SPILLS = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")
_REGISTERS = re.compile(r"Used (\d+) registers")
_SHARED = re.compile(r"(\d+) bytes smem")


@dataclass(frozen=True)
class PtxasUsage:
    """Of one kernel: registers of a thread, bytes spilled by it, static shared memory of a block in bytes.

    What is spilled by functions that it calls is among it.
    """

    registers: int
    spill_stores: int
    spill_loads: int
    shared: int


@dataclass(frozen=True)
class PtxasAnswer:
    """What ptxas said of one file, by instance; or why it was not asked."""

    kernels: Mapping[str, PtxasUsage]
    why_not: str = ""


def compiled(source: Path, architecture: str, instances: Sequence[str]) -> PtxasAnswer:
    """Ask ptxas about `source`; `architecture` is such as `sm_90`. Never raises for the source's fault.

    Of a file that includes torch's headers the device part alone is compiled, with the kernels `instances`.
    """
    try:
        toolkit = cuda_toolkit()
    except ToolchainError:
        return PtxasAnswer({}, "nvcc is not installed")
    try:
        text = source.read_text(encoding="utf-8", errors="replace")
        files = content_key(source, ())
        others = [file for file in closure(source, ()) if file != source.resolve()]
        torch_behind = any(TORCH_INCLUDE.search(file.read_text(errors="replace")) for file in others)
    except OSError:
        return PtxasAnswer({}, f"{source.name} cannot be read")
    if torch_behind:
        return PtxasAnswer({}, f"{source.name} includes torch headers, with which nvcc would take a minute")
    part = device_code(text, instances) if TORCH_INCLUDE.search(text) else ""
    parts = ["ptxas with called functions", toolkit.identity, architecture, *NVCC_FLAGS, *files, part]
    with cache.entry(parts, room="resources") as slot:
        if slot.missing:
            answer = _ask(toolkit, source, part, architecture)
            document = {name: asdict(kernel) for name, kernel in answer.kernels.items()}
            (slot.folder / "kernels.json").write_text(json.dumps(document))
            if answer.why_not:
                slot.discard()
            return answer
        document = json.loads((slot.path / "kernels.json").read_text())
    return PtxasAnswer({name: PtxasUsage(**kernel) for name, kernel in document.items()})


def _ask(toolkit: CudaToolkit, source: Path, part: str, architecture: str) -> PtxasAnswer:
    """Compile `source`, or its device `part` where there is one."""
    with tempfile.TemporaryDirectory(prefix="cusimt-ptxas-") as folder:
        file = Path(folder) / source.name if part else source
        if part:
            file.write_text(part, encoding="utf-8")
        command = [
            str(toolkit.nvcc), *NVCC_FLAGS, f"-arch={architecture}", "-ccbin", host_compiler().command[0],
            "-Xptxas=-v", "-cubin", f"-I{source.parent}", "-o", f"{folder}/kernel.cubin", str(file),
        ]  # fmt: skip
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return PtxasAnswer({}, f"nvcc took longer than {_SECONDS} seconds")
    if done.returncode == 0:
        return PtxasAnswer(read_ptxas(done.stdout + done.stderr))
    if part:
        return PtxasAnswer({}, f"{source.name} includes torch headers, and its kernels alone do not compile")
    first = next((line for line in done.stderr.splitlines() if "error" in line), "it gave no reason")
    return PtxasAnswer({}, f"nvcc did not compile {source.name}: {first.strip()}")


def read_ptxas(log: str) -> dict[str, PtxasUsage]:
    """The kernels in the output of `ptxas -v`, by instance name.

    The functions that a kernel calls without inlining follow it with spills of their own, which are added.
    """
    found: dict[str, PtxasUsage] = {}
    for part in log.split("ptxas info")[1:]:
        entry = _ENTRY.search(part)
        if entry:
            name = entry[1]
            found[name] = PtxasUsage(0, 0, 0, 0)
        elif found:
            found[name] = _with(found[name], part)
    return dict(zip(map(instance_name, demangled(list(found))), found.values(), strict=True))


def _with(kernel: PtxasUsage, text: str) -> PtxasUsage:
    spills, registers, shared = _SPILLS.search(text), _REGISTERS.search(text), _SHARED.search(text)
    stores, loads = map(int, spills.groups()) if spills else (0, 0)
    return PtxasUsage(
        registers=int(registers[1]) if registers else kernel.registers,
        spill_stores=kernel.spill_stores + stores,
        spill_loads=kernel.spill_loads + loads,
        shared=int(shared[1]) if shared else kernel.shared,
    )


def shared_arrays(module: Path) -> dict[str, int]:
    """Bytes of static shared memory by instance, from a library of this backend: thread-local variables."""
    program = shutil.which("readelf")
    if program is None or not module.is_file():
        return {}
    table = subprocess.run(
        [program, "--symbols", "--wide", str(module)], capture_output=True, text=True, check=False
    )
    rows = [line.split() for line in table.stdout.splitlines()]
    sizes = {row[7]: int(row[2], 0) for row in rows if len(row) > 7 and row[3] == "TLS"}
    total: defaultdict[str, int] = defaultdict(int)
    for name, size in zip(demangled(list(sizes)), sizes.values(), strict=True):
        function, _, array = name.rpartition("::")
        if array and "(" in function:
            total[instance_name(function)] += size
    return dict(total)
