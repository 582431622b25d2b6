"""Does a library that one version of torch compiled find its symbols in others? Both C++ interfaces compared.

Takes folders of unpacked torch wheels (`pip download --no-deps torch==2.11.0`, then unzip), builds for CUDA.
binding.cpp of docs/samples/bindings/torch_library and of stable_abi is compiled with the headers of each
version; every symbol of torch that the object leaves undefined is looked for in the libraries of each. A
missing one is an "undefined symbol" when the extension is loaded. Nothing is executed.

    python benchmarks/torch_symbols.py torch-2.10.0 torch-2.11.0 --record torch_symbols_cpu
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import record

from cusimt.support.toolchain import cuda_toolkit, host_compiler, python_include

SAMPLES = record.REPOSITORY / "docs" / "samples" / "bindings"
LIBRARIES = ("libc10.so", "libc10_cuda.so", "libtorch_cpu.so", "libtorch_cuda.so")
OF_TORCH = re.compile(r"^(?:(?:aoti_)?torch_\w+|_Z\w*(?:2at|3c10|5torch)\w*)$")


@dataclass(frozen=True)
class Interface:
    """One of the samples: its binding, and the flags of its setup.py."""

    name: str
    source: Path
    flags: tuple[str, ...] = ()


INTERFACES = (
    Interface("TORCH_LIBRARY", SAMPLES / "torch_library" / "binding.cpp"),
    Interface(
        "stable ABI",
        SAMPLES / "stable_abi" / "csrc" / "binding.cpp",
        ("-DTORCH_TARGET_VERSION=0x020a000000000000", "-DUSE_CUDA"),
    ),
)


class Release:
    """An unpacked wheel of torch."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "torch"
        text = (self.folder / "version.py").read_text()
        self.version = re.search(r"__version__ = '([^'+]+)", text)[1]  # type: ignore[index]

    @cached_property
    def exported(self) -> set[str]:
        return {
            name for library in LIBRARIES for name in names(self.folder / "lib" / library, "--defined-only")
        }

    def needed(self, interface: Interface, scratch: Path) -> set[str]:
        """The symbols of torch that the object is left without."""
        headers = self.folder / "include"
        system = (python_include(), *cuda_toolkit().include_dirs)
        command = [
            *host_compiler().command, "-std=c++20", "-O2", "-fPIC", *interface.flags, f"-I{headers}",
            f"-I{headers}/torch/csrc/api/include", *(f"-I{folder}" for folder in system),
            "-c", str(interface.source), "-o", str(scratch / "binding.o"),
        ]  # fmt: skip
        subprocess.run(command, check=True)
        return {name for name in names(scratch / "binding.o", "--undefined-only") if OF_TORCH.match(name)}


def names(binary: Path, which: str) -> list[str]:
    dynamic = ["-D"] if binary.suffix == ".so" else []
    done = subprocess.run(["nm", *dynamic, which, str(binary)], capture_output=True, text=True, check=True)
    return [line.split()[-1].partition("@")[0] for line in done.stdout.splitlines() if line.strip()]


def main() -> None:
    parser = record.arguments(__doc__)
    parser.add_argument("folders", type=Path, nargs="+", help="unpacked wheels of torch")
    options = parser.parse_args()
    releases = [Release(folder) for folder in options.folders]
    rows = []
    lost: set[str] = set()
    with tempfile.TemporaryDirectory() as scratch:
        for interface in INTERFACES:
            for built in releases:
                needed = built.needed(interface, Path(scratch))
                missing = [needed - other.exported for other in releases]
                rows.append(
                    (interface.name, f"torch {built.version}", len(needed), *(len(each) for each in missing))
                )
                lost.update(*missing)
    header = (
        "interface",
        "compiled with",
        "symbols of torch",
        *(f"missing in {r.version}" for r in releases),
    )
    demangle = subprocess.run(
        ["c++filt"], input="\n".join(sorted(lost)), capture_output=True, text=True, check=True
    )
    print(f"Missing somewhere:\n\n{demangle.stdout}\n")
    record.report("Symbols across versions of torch", record.table(header, rows), options.record)


if __name__ == "__main__":
    main()
