"""Builds the simulated GPU's own libraries, and says how code is compiled and linked against them.

Everything is compiled once per compiler and version of the sources, with the build cache. torch is found,
never imported.
"""

from __future__ import annotations

import functools
import platform
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cusimt.compiler.library_build import Library, Progress, build_key, objects_of, run, sources_digest
from cusimt.folders import INCLUDE, RUNTIME
from cusimt.gpu_models import architecture
from cusimt.support import cache
from cusimt.support.toolchain import HostCompiler, TorchInstall, host_compiler, python_include, torch_install

__all__ = [
    "compile_flags",
    "device_library",
    "host_code_flags",
    "include_dirs",
    "is_built",
    "link_flags",
    "module_object",
    "runtime_library",
    "solver_library",
    "sources_digest",
]

# Linked into every library with kernels, not into the runtime.
_EVERY_MODULE = ("module.cpp", "device_heap_module.cpp")
FAST_MODULE = (*_EVERY_MODULE, "printing_module.cpp")
CHECKED_MODULE = (*_EVERY_MODULE, "hooks.cpp", "library_hooks.cpp", "host_code_module.cpp")
# cuSOLVER, which PyTorch's LAPACK computes: a library of its own, since the runtime works without PyTorch.
SOLVER_PARTS = ("solver_handles.cpp", "solver_jacobi.cpp", "solver_linear.cpp", "solver_orthogonal.cpp")
_LIBRARY_FLAGS = (
    "-std=c++20",
    "-fPIC",
    "-fno-strict-aliasing",
    "-Wall",
    "-Wextra",
    "-Wno-missing-field-initializers",
)
# Library functions that kernels may call and that write through a pointer: the hooks take their calls.
_WRAPPED = (
    *("memcpy", "memmove", "memset"),
    *("modf", "modff", "frexp", "frexpf", "remquo", "remquof", "sincos", "sincosf"),
    *("printf", "vprintf"),
)
# What a kernel prints waits for its block's turn where no hooks are.
_PRINTING = ("printf", "vprintf", "puts", "putchar")
# What takes memory of the device's heap when a kernel calls it, and else of the host's.
_HEAP = (
    *("malloc", "free", "_Znwm", "_Znam", "_ZnwmRKSt9nothrow_t", "_ZnamRKSt9nothrow_t"),
    *("_ZnwmSt11align_val_t", "_ZnamSt11align_val_t", "_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm"),
    *("_ZdlPvSt11align_val_t", "_ZdaPvSt11align_val_t", "_ZdlPvmSt11align_val_t", "_ZdaPvmSt11align_val_t"),
)
# Library functions that g++ writes out as stores, after the hooks were put in. As calls they are the host's.
_NOT_WRITTEN_OUT = (
    *("strcpy", "strncpy", "stpcpy", "stpncpy", "strcat", "strncat", "mempcpy", "bzero", "bcopy"),
    *("sprintf", "snprintf", "vsprintf", "vsnprintf"),
)

_DEVICE_CODE = (
    "-gdwarf-4",  # binutils up to 2.40 take the file that #line names for the translated one in version 5
    "-std=c++20",
    "-fPIC",
    "-fno-strict-aliasing",  # kernels look at float buffers as float4 and half2; nvcc lets them
    "-ffp-contract=off",  # the same result on every host, with or without a fused multiply-add
    "-U_FORTIFY_SOURCE",  # Ubuntu's default, with which memcpy becomes a function that nothing watches
    "-fstack-clash-protection",  # a large frame must meet the guard below its fiber's stack
    "-fno-optimize-sibling-calls",  # a barrier that ends a kernel is a call: findings name where it returns
    # An allocation of a kernel may fail, and may outlive it: no compiler knows what it answers.
    *("-fno-builtin-malloc", "-fno-builtin-free"),
    "-Wno-narrowing",
    "-Wno-unknown-pragmas",
    "-Wno-attributes",
)
_FAST = ("-O2", "-g1")
# A library's functions are its own, as clang takes it anyway: g++ then writes a short kernel into the
# function that a launch calls for each thread.
_FAST_BY_FAMILY = {"gcc": ("-fno-semantic-interposition",), "clang": ()}
# What a GPU would load and store, one access each: no vectors made of neighbouring accesses, no loops turned
# into memset, and no call on entry to every function.
_CHECKED = (
    *("-O1", "-g", "-fno-omit-frame-pointer", "-fsanitize=thread"),
    *(f"-fno-builtin-{name}" for name in _NOT_WRITTEN_OUT),
)
_CHECKED_BY_FAMILY = {
    "gcc": (
        "-fno-tree-vectorize",
        "-fno-tree-loop-distribute-patterns",
        "-fno-thread-jumps",  # one instruction stays one, whatever its lanes knew before
        "--param=tsan-instrument-func-entry-exit=0",
        "--param=tsan-distinguish-volatile=1",
    ),
    "clang": (
        "-fno-vectorize",
        "-fno-slp-vectorize",
        "-mllvm",
        "-disable-vector-combine",  # which takes the load of an int4 apart
        "-mllvm",
        "-tsan-instrument-func-entry-exit=0",
        "-mllvm",
        "-tsan-distinguish-volatile=1",
        "-mllvm",
        "-tsan-instrument-read-before-write=1",
    ),
}
# A call to an address goes through a thunk, which keeps kernels out of the host's code (runtime/host_code.h).
_GUARDED_CALLS = {
    "gcc": ("-mindirect-branch=thunk-extern", "-mindirect-branch-register", "-fcf-protection=none"),
    "clang": ("-mretpoline", "-mretpoline-external-thunk", "-fcf-protection=none"),
}
# Every function of the host's code begins with a call that asks whether a kernel is running.
_GUARDED_HOST_CODE = ("-pg", "-mfentry")
# Two barriers in two branches are two barriers, also where they could share their code; and one barrier
# between two questions of the same condition (`if (t < 32) ...; __syncthreads(); if (t < 32) ...`) stays one.
_BARRIERS_AS_WRITTEN = ("-fno-crossjumping", "-fno-tree-tail-merge", "-fno-thread-jumps")
# Kernels of one name in two libraries are two kernels: gcc's unique symbols would make them one.
# What is undefined and can be seen to be so stays the instruction that the kernel has, and faults as it does.
_FAULTS_AS_WRITTEN = ("-fno-isolate-erroneous-paths-dereference",)
_BY_FAMILY = {
    "gcc": (
        *("-fno-gnu-unique", *_BARRIERS_AS_WRITTEN, *_FAULTS_AS_WRITTEN),
        *("-fcheck-new", "-fno-allocation-dce"),
        "-Wno-psabi",  # a note about g++ 4.6 at every kernel that takes a CUtensorMap
    ),
    "clang": ("-Wno-unused-command-line-argument",),
}


def include_dirs() -> list[Path]:
    """The folder of the CUDA headers and of simt_api.h; it belongs before any other on the include path."""
    return [INCLUDE]


def compile_flags(checked: bool, compiler: HostCompiler | None = None) -> list[str]:
    """Flags of `compiler`, by default the host's, for device code; `checked` puts a hook before accesses."""
    compiler = compiler or host_compiler()
    family = compiler.family
    build, by_family = (_CHECKED, _CHECKED_BY_FAMILY) if checked else (_FAST, _FAST_BY_FAMILY)
    optimisation = (*build, *by_family[family])
    if checked and _guards_host_code():
        optimisation += _GUARDED_CALLS[family]
    by_compiler = (*_BY_FAMILY[family], *_undefined_values(compiler))
    return [*_DEVICE_CODE, *by_compiler, f"-DSIMT_CUDA_ARCH={architecture()}", *optimisation]


def host_code_flags(checked: bool) -> list[str]:
    """Flags for host code that is linked with kernels: a kernel that calls it is found out."""
    return [*_GUARDED_HOST_CODE] if checked and _guards_host_code() else []


def _guards_host_code() -> bool:
    return platform.machine() == "x86_64"


def _undefined_values(compiler: HostCompiler) -> Sequence[str]:
    """Keep clang from ruling out what passes an undefined value on.

    In `int base; if (lane == 0) base = f(); base = __shfl_sync(mask, base, 0);` all lanes pass `base`, and
    all but one pass an undefined one. nvcc takes that as it is meant. To clang the arguments of functions are
    defined, unless told otherwise, so every lane would have to be lane 0.
    """
    major = re.search(r"clang version (\d+)", compiler.version)
    if major is None:
        return ()
    return ("-Xclang", "-disable-noundef-analysis" if int(major[1]) < 15 else "-no-enable-noundef-analysis")


def link_flags(checked: bool) -> list[str]:
    """Flags that link a library with kernels and `module_object(checked)` against the runtime."""
    runtime = runtime_library()
    flags = [str(runtime), f"-Wl,-rpath,{runtime.parent}"]
    flags += [f"-Wl,--wrap={name}" for name in (*_HEAP, *(() if checked else _PRINTING))]
    if checked:
        flags.append("-Wl,-z,now")  # guards are put before its imports when it is loaded
        flags += [f"-Wl,--wrap={name}" for name in _WRAPPED]
    return flags


# The cache is asked at every use of what lies there: it evicts what was used least recently, and a batch that
# runs for long must not lose its own.


def is_built() -> bool:
    """Whether this machine has the simulated GPU and its device in torch."""
    return _runtime().is_built() and _device().is_built()


def runtime_path() -> Path:
    """Where `runtime_library` is, or will be: looks at nothing, and builds nothing."""
    return _runtime().path


def runtime_library(progress: Progress | None = None) -> Path:
    """libcusimt.so: the simulated GPU and the CUDA runtime API over it.

    Raises UsageError when the environment names a device that is not simulated.
    """
    architecture()
    return _runtime().build(progress)


def device_library(progress: Progress | None = None) -> Path:
    """libcusimt_device.so: the simulated `cuda` device inside the installed torch.

    It is one large source and the runtime many small ones, so both are compiled at once.
    """
    with ThreadPoolExecutor(1, "runtime") as beside:
        runtime = beside.submit(runtime_library, progress)
        library = _device().build(progress)
        runtime.result()
    return library


def solver_library() -> Path:
    """libcusimt_solver.so: cuSOLVER, computed by the LAPACK of the installed torch."""
    return _solver().build(None)


@functools.cache
def _runtime() -> Library:
    others = {*FAST_MODULE, *CHECKED_MODULE, *SOLVER_PARTS}
    sources = sorted(source for source in RUNTIME.glob("*.cpp") if source.name not in others)
    flags = [*_LIBRARY_FLAGS, "-O2", "-g1", "-fvisibility=hidden", _version(), *_includes(include_dirs())]
    # Its own std::string, and not the one that a program exports, with hooks in it.
    linking = ["-Wl,--no-undefined", "-Wl,-Bsymbolic-functions"]
    return Library("libcusimt.so", sources, flags, linking)


@functools.cache
def _device() -> Library:
    from cusimt.device import PARTS, SOURCES

    torch, runtime = torch_install(), _runtime().path
    flags = ["-std=c++20", "-fPIC", "-O1"]
    flags += _includes([*include_dirs(), *torch.include_dirs, python_include()])
    linking = _with_torch(torch, runtime, "-ltorch", "-ltorch_cpu", "-lc10")
    parts = [torch.version, torch.root, cache.digest(cache.file_digest(part) for part in PARTS)]
    return Library("libcusimt_device.so", SOURCES, flags, linking, parts, runtime_library)


@functools.cache
def _solver() -> Library:
    torch = torch_install()
    sources = [RUNTIME / name for name in SOLVER_PARTS]
    flags = [*_LIBRARY_FLAGS, "-O2", "-fvisibility=hidden", *_includes(include_dirs())]
    linking = _with_torch(torch, _runtime().path, "-ltorch_cpu", "-lc10")
    return Library(
        "libcusimt_solver.so", sources, flags, linking, [torch.version, torch.root], runtime_library
    )


def _with_torch(torch: TorchInstall, runtime: Path, *names: str) -> list[str]:
    """What links a library with the runtime and with those of torch's."""
    rpaths = [f"-Wl,-rpath,{folder}" for folder in (runtime.parent, torch.library_dir)]
    return [str(runtime), f"-L{torch.library_dir}", *names, *rpaths]


def module_object(checked: bool) -> Path:
    """What every library with kernels is linked with: identity, shared memory, access hooks."""
    sources = [RUNTIME / name for name in (CHECKED_MODULE if checked else FAST_MODULE)]
    defined = [f"-DCUSIMT_CHECKED={int(checked)}", _version()]
    flags = [*_LIBRARY_FLAGS, "-O2", *defined, *_includes(include_dirs())]
    with cache.entry(["module", *build_key(flags), checked], room="simt") as slot:
        if slot.missing:
            made = slot.folder / "module.o"
            with objects_of(host_compiler(), sources, flags) as objects:
                run([*host_compiler().command, "-r", "-nostdlib", *objects, "-o", str(made)])
    return slot.path / "module.o"


def _version() -> str:
    """Defines the symbol by which the loader tells libraries of another version apart (runtime/version.h)."""
    version = sources_digest()[:8]
    name = f"cusimt_runtime_{version}_IS_MISSING_this_library_needs_another_version_build_it_again"
    return f"-DCUSIMT_VERSION_SYMBOL={name}"


def _includes(folders: Sequence[Path]) -> list[str]:
    return [part for folder in folders for part in ("-I", str(folder))]
