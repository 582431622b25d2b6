"""How one source becomes an object and the objects a library, on either backend.

A step knows its cache key before anything runs; its `prepare` writes what the compiler needs into the
folder that will hold the object, and answers with the command. Nothing here runs a compiler.
"""

from __future__ import annotations

import re
import sysconfig
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from cusimt.compiler import cccl, libraries, toolkit
from cusimt.compiler.sources import beside, content_key, is_cuda, translate_tree
from cusimt.support.linker import linker_flags
from cusimt.support.toolchain import (
    NVCC_FLAGS,
    cuda_toolkit,
    host_compiler,
    pybind11_include,
    python_include,
    torch_install,
)
from grader.compilation import headers
from grader.compilation.devices import architecture_flags
from grader.compilation.first_include import leads_with
from grader.compilation.quick.nvcc_steps import NvccSteps, read
from grader.compilation.request import BuildRequest
from grader.support.backends import Backend

OBJECT = "object.o"
HOST_FLAGS = ("-std=c++20", "-fPIC", "-O1", "-fdiagnostics-color=never")
# Shown beside wrong values. Not among the flags that precompiled headers depend on.
WARNINGS = ("-Wuninitialized", "-Wmaybe-uninitialized")


@dataclass(frozen=True)
class Step:
    """One object: `prepare(folder)` gives the command that makes `folder/OBJECT`.

    `announce()` names what `prepare` has to build first, where that takes long; "" where nothing does.
    `split(folder)` gives the same object's commands as several that can run at once, where there are such.
    """

    source: Path
    key: tuple[object, ...]
    prepare: Callable[[Path], tuple[str, ...]]
    announce: Callable[[], str] = lambda: ""
    split: Callable[[Path], NvccSteps | None] = lambda folder: None


def step(request: BuildRequest, source: Path) -> Step:
    """The step for `source`, the absolute path of an existing .cu or .cpp file."""
    if not is_cuda(source):
        return _host_step(request, source)
    return _simt_step(request, source) if request.backend == "simt" else _cuda_step(request, source)


def link_command(
    request: BuildRequest, objects: list[Path], library: Path, stand_ins: Path | None = None
) -> tuple[str, ...]:
    """The host compiler's command that links `objects`; with `stand_ins` for torch's libraries, nothing is
    looked up in them.
    """
    command = [*host_compiler().command, "-shared", "-o", library, *objects]
    trusting = [f"-L{stand_ins}", "-Wl,--no-as-needed"] if stand_ins else []
    after = ["-Wl,--unresolved-symbols=ignore-all"] if stand_ins else []
    return tuple(map(str, [*command, *trusting, *link_flags(request), *request.ld_flags, *after]))


def link_flags(request: BuildRequest) -> list[str]:
    """Libraries and search paths.

    A symbol that nothing defines is a link error here, not a failed load later. Some undefined symbols are
    only reported, since they are supplied when the library is loaded: Python's by the interpreter, on cuda
    those of cuBLAS and cuSPARSE by the libraries that torch's own need. See `diagnostics.link_errors`.
    """
    flags = [*linker_flags(), "-Wl,--no-undefined"]
    if request.is_python_module or request.backend == "cuda":
        flags.append("-Wl,--warn-unresolved-symbols")
    if request.backend == "simt":
        flags += [str(libraries.module_object(request.checked)), *libraries.link_flags(request.checked)]
        if request.interface != "pybind":
            device = libraries.device_library()
            flags += [str(device), f"-Wl,-rpath,{device.parent}"]
    else:
        toolkit = cuda_toolkit()
        flags += [str(toolkit.cudart), f"-Wl,-rpath,{toolkit.library_dir}"]
    if request.interface == "pybind":
        return flags
    folder = torch_install().library_dir
    return [
        *flags,
        f"-L{folder}",
        f"-Wl,-rpath,{folder}",
        *(f"-l{name}" for name in torch_libraries(request)),
    ]


def torch_libraries(request: BuildRequest) -> list[str]:
    """The names by which torch's libraries are linked."""
    if request.interface == "pybind":
        return []
    on_gpu = ["c10_cuda", "torch_cuda"] if request.backend == "cuda" else []
    return ["torch_cpu", "c10", *on_gpu, *(["torch_python"] if request.is_python_module else [])]


def library_folders(backend: Backend) -> frozenset[str]:
    """The folders in which a library may look for others: of the runtime, of torch, of Python itself."""
    if backend == "simt":
        own = [libraries.runtime_library().parent, libraries.device_library().parent]
    else:
        toolkit = cuda_toolkit()
        root = toolkit.nvcc.parent.parent
        own = [toolkit.library_dir, root / "lib64", root / "lib", *map(Path, _folders_of_python())]
    return frozenset(map(str, (*own, torch_install().library_dir)))


def _folders_of_python() -> list[str]:
    """Where libraries look that setuptools links with the flags Python itself was linked with."""
    flags = " ".join(str(sysconfig.get_config_var(name) or "") for name in ("LDSHARED", "LDFLAGS"))
    return re.findall(r"-Wl,-?-rpath[,=](/[^\s,]+)", flags)


# ---- the three compilers ----------------------------------------------------------------------------------


def _host_step(request: BuildRequest, source: Path) -> Step:
    compiler = host_compiler()
    flags = [*HOST_FLAGS, *_isystem(interface_dirs(request))]
    if request.backend == "simt":
        flags += libraries.host_code_flags(request.checked)
    # The simt backend has headers that replace some of torch's: its folders come first.
    own = [*_include(request.include_dirs), *request.cxx_flags]
    backend = _isystem(_backend_dirs(request))
    # The object does not depend on where the learner's folder is: __FILE__ is relative to it.
    relative = f"-ffile-prefix-map={source.parent}/="
    key = ["host", *compiler.command, compiler.version, *backend, *flags, *own]
    key += headers.key(request.interface)

    def prepare(folder: Path) -> tuple[str, ...]:
        # A flag such as -O3 would make g++ ignore the precompiled header.
        precompile = request.precompile and not request.cxx_flags
        forced = headers.forced_includes(
            request.interface, tuple(flags), folder, precompile=precompile, later=request.quick
        )
        names = ["-include", str(_prelude(request, folder))]
        command = [*compiler.command, *backend, *flags, *own, relative, *forced, *names]
        return (*command, "-c", str(source), "-o", str(folder / OBJECT))

    return Step(source, _key(request, source, key), prepare)


def _simt_step(request: BuildRequest, source: Path) -> Step:
    compiler = host_compiler()
    # -g1 has the lines that findings need. Full -g takes 20 s instead of 12 s for torch/extension.h.
    flags = [*libraries.compile_flags(request.checked), "-g1", "-fdiagnostics-color=never"]
    flags += _isystem(_backend_dirs(request) + interface_dirs(request)) + cccl.include_flags()
    # The object names the learner's file by its whole path, for findings.
    key = ["simt", *compiler.command, compiler.version, *flags, *request.include_dirs, source]
    key += [toolkit.translator(), request.checked, *WARNINGS]

    def extension() -> bool:
        return request.precompile and _leads_with_extension(request, source)

    def announce() -> str:
        missing = not request.quick and extension() and headers.extension_is_missing(tuple(flags))
        return f"{headers.EXTENSION}, precompiled once per machine" if missing else ""

    def prepare(folder: Path) -> tuple[str, ...]:
        translated, folders = translate_tree(source, request.include_dirs, folder / "translated")
        names = ["-include", str(_prelude(request, folder))]
        forced = headers.simt_prelude(tuple(flags), extension=extension(), later=request.quick)
        command = [*compiler.command, "-x", "c++", *flags, *_include(folders), *forced, *names]
        return (*command, *WARNINGS, *beside(source), "-c", str(translated), "-o", str(folder / OBJECT))

    return Step(source, _key(request, source, key), prepare, announce)


def _cuda_step(request: BuildRequest, source: Path) -> Step:
    toolkit, compiler = cuda_toolkit(), host_compiler()
    flags = [*NVCC_FLAGS, *architecture_flags(), "-ccbin", compiler.command[0]]
    flags += [*_isystem(interface_dirs(request)), *_include(request.include_dirs), *request.cuda_flags]
    key = ["cuda", "quick" if request.quick else "kept", toolkit.identity, compiler.version, *flags]

    def prepare(folder: Path) -> tuple[str, ...]:
        command = [str(toolkit.nvcc), *flags, "-include", str(_prelude(request, folder))]
        command += ["--keep", "--keep-dir", str(folder)]  # what it preprocesses is read: see preprocessing
        return (*command, "-c", str(source), "-o", str(folder / OBJECT))

    def split(folder: Path) -> NvccSteps | None:
        return read(prepare(folder), folder, source) if request.quick else None

    return Step(source, _key(request, source, key), prepare, split=split)


# ---- what they share -----------------------------------------------------------------------------------


def _key(request: BuildRequest, source: Path, own: Sequence[object]) -> tuple[object, ...]:
    from grader import __version__

    contents = content_key(source, request.include_dirs)
    torch = torch_install().version if request.interface != "pybind" else ""
    owner = "" if request.is_common(source) else request.owner
    facts = (__version__, owner, request.name, request.interface, request.backend, torch)
    simt = libraries.sources_digest() if request.backend == "simt" else ""
    return (*facts, simt, source.name, *own, *contents)


def _leads_with_extension(request: BuildRequest, source: Path) -> bool:
    """Whether a kernel's file may be given a precompiled torch/extension.h, which only this interface has."""
    if request.interface != "torch_extension":
        return False
    return leads_with(source, headers.EXTENSION, request.include_dirs)


def _prelude(request: BuildRequest, folder: Path) -> Path:
    """What torch's builds pass as -D, which would make g++ ignore the precompiled header: this follows it."""
    prelude = folder / "prelude.h"
    names = [f"TORCH_EXTENSION_NAME {request.name}"]
    if request.interface == "torch_extension":
        names.append("TORCH_API_INCLUDE_EXTENSION_H")  # torch/torch.h includes Python's headers, too
    if request.backend == "cuda":
        names.append("NVTX_DISABLE")  # CUB's ranges open a library that the environment names: refused
    prelude.write_text("".join(f"#define {name}\n" for name in names))
    return prelude


def interface_dirs(request: BuildRequest) -> tuple[Path, ...]:
    """The folders of the headers that the interface's sources include: torch's, pybind11's, Python's."""
    if request.interface == "pybind":
        return (pybind11_include(), python_include())
    if request.interface == "torch_extension":
        return (*torch_install().include_dirs, python_include())
    return torch_install().include_dirs


def library_dirs(request: BuildRequest) -> tuple[Path, ...]:
    """The folders of all headers that a request's sources may include, less the compiler's own and theirs."""
    return (*_backend_dirs(request), *interface_dirs(request))


def _backend_dirs(request: BuildRequest) -> tuple[Path, ...]:
    if request.backend == "simt":
        return tuple(libraries.include_dirs())
    return cuda_toolkit().include_dirs


def _isystem(folders: Iterable[Path]) -> list[str]:
    return [part for folder in folders for part in ("-isystem", str(folder))]


def _include(folders: Iterable[Path]) -> list[str]:
    return [f"-I{folder}" for folder in folders]
