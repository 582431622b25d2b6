"""The runtime on other processors and with other compilers: the same values everywhere."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cusimt.compiler import libraries
from cusimt.compiler.library_build import objects_of
from cusimt.compiler.nvcc import wrapped_functions
from cusimt.folders import RUNTIME
from cusimt.support import cache
from cusimt.support.toolchain import HostCompiler
from cusimt.tests.runtime_program import SOURCES, build, program, run
from cusimt.translate import translate

CASES = ["registers", "shuffles", "nested_branches", "matmul", "spin_lock", "grid_rounds", "active_in_branch"]
RUNTIME_FLAGS = ("-std=c++20", "-O1", "-w", "-fno-strict-aliasing")


def static_program(compiler: str, *flags: str) -> Path:
    """execution.cu and the runtime in one static program, from the cache if nothing of it has changed."""
    source = SOURCES / "execution.cu"
    translated = translate(source.read_text(), str(source))
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout
    key = [
        "static program",
        compiler,
        version,
        *RUNTIME_FLAGS,
        *flags,
        libraries.sources_digest(),
        translated,
    ]
    with cache.entry(key, room="tests") as slot:
        if slot.missing:
            (slot.folder / "execution.cpp").write_text(translated)
            _link_statically(slot.folder, compiler, flags)
    return slot.path / "execution"


def _link_statically(folder: Path, compiler: str, flags: tuple[str, ...]) -> None:
    """The program and its module's functions as one object, which alone is linked with --wrap.

    The runtime allocates on the threads' stacks, too. Wrapped, it would take that memory from the device's
    heap, whose lock it may hold.
    """
    includes = [f"-I{path}" for path in libraries.include_dirs()]
    device_code = [*libraries.compile_flags(False), "-include", "simt/prelude.h"]
    build(compiler, *device_code, *includes, "-c", folder / "execution.cpp", "-o", folder / "execution.o")
    module = [RUNTIME / name for name in libraries.FAST_MODULE]
    elsewhere = {*libraries.FAST_MODULE, *libraries.CHECKED_MODULE, *libraries.SOLVER_PARTS}
    runtime = sorted(path for path in RUNTIME.glob("*.cpp") if path.name not in elsewhere)
    with objects_of(
        HostCompiler((compiler,), "gcc", ""), [*module, *runtime], [*RUNTIME_FLAGS, *flags, *includes]
    ) as objects:
        wrapped = [f"-Wl,--wrap={name}" for name in wrapped_functions(False)]
        own, library = objects[: len(module)], objects[len(module) :]
        program_ = folder / "program.o"
        build(compiler, "-r", "-nostdlib", *wrapped, *own, folder / "execution.o", "-o", program_)
        build(compiler, "-static", *library, program_, "-o", folder / "execution")


def agrees(executable: Path, prefix: tuple[str, ...] = ()) -> None:
    for case in CASES:
        here, there = run(program("execution", False), case), run(executable, case, prefix=prefix)
        assert (there.returncode, there.stdout) == (0, here.stdout), f"{case}: {there.stderr}"


@pytest.mark.release("another processor, in an emulator")
@pytest.mark.slow("compiles the runtime with another compiler, and runs it in an emulator")
def test_aarch64() -> None:
    """Hand-written switch, exceptions and fault handler on aarch64, emulated."""
    needed = {"qemu-aarch64": "qemu-user", "aarch64-linux-gnu-g++": "g++-aarch64-linux-gnu"}
    missing = [package for command, package in needed.items() if not shutil.which(command)]
    if missing:
        pytest.skip(f"needs the Debian packages {', '.join(missing)}")
    executable = static_program("aarch64-linux-gnu-g++")
    emulator = ("qemu-aarch64",)
    agrees(executable, emulator)
    assert run(executable, "throws", prefix=emulator).stdout.startswith("from a kernel\n64 ")
    assert "stack overflow in kernel recurses" in run(executable, "overflow", prefix=emulator).stderr


@pytest.mark.release("another way to change stacks")
@pytest.mark.slow("compiles the runtime with another switch")
def test_ucontext() -> None:
    """The switch for processors that have none of their own."""
    agrees(static_program("g++", "-DCUSIMT_UCONTEXT"))


OTHER_COMPILERS = [
    *[(f"g++-{version}", f"g++-{version}") for version in (11, 13, 14)],
    ("clang++", "clang"),
    *[(f"clang++-{version}", f"clang-{version}") for version in (16, 19, 22)],
]


@pytest.mark.release("other compilers")
@pytest.mark.slow("compiles the runtime and its kernels with another compiler")
@pytest.mark.parametrize(
    ("compiler", "package"), OTHER_COMPILERS, ids=[compiler for compiler, _ in OTHER_COMPILERS]
)
def test_other_compilers(compiler: str, package: str) -> None:
    """Findings and values: each compiler instruments, merges and inlines in its own way."""
    if not shutil.which(compiler):
        pytest.skip(f"needs the package {package}, where the distribution has it")
    if os.environ.get("CXX") == compiler:
        pytest.skip(f"{compiler} is what all tests run with")
    tests = [f"cusimt/tests/test_runtime_{name}.py" for name in ("findings", "execution", "headers")]
    tests += ["cusimt/tests/test_collection.py", "-k", "not test_collection or reduced"]
    build(
        "env", f"CXX={compiler}", sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests
    )
