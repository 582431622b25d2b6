"""compile_commands.json: how clangd, the language server behind editors, reads the sources of a course.

A .cu file is read as CUDA, against the simulated headers, with or without a CUDA toolkit on the machine. What
clangd sees is what the checked build compiles: the same headers, the same language standard.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import cast

from cusimt.compiler import libraries
from cusimt.compiler.sources import is_cuda
from cusimt.gpu_models import architecture
from grader.compilation.artifact import Interface
from grader.compilation.request import BuildRequest
from grader.compilation.steps import interface_dirs
from grader.course.exercise import Exercise
from grader.support.durable import PUBLIC, write_atomically

NAME = "compile_commands.json"
_SOURCES = ("*.cu", "*.cpp", "*.cc", "*.cxx")
_CLANGD_HEADER = Path(__file__).with_name("clangd.h")
# A kernel's host side alone: the device's needs a toolkit, and would say everything twice.
# Each launch is an error that .clangd switches off; they must not use up the number of errors.
_CUDA = (
    "-x",
    "cuda",
    "--cuda-host-only",
    "-nocudainc",
    "-nocudalib",
    "-ferror-limit=0",
    "-Wno-unknown-cuda-version",
)


def write_compile_commands(course: Path, exercises: Iterable[Exercise]) -> int:
    """Writes the database into the folder `course`, over an older one; returns how many sources it has.

    They are all sources in the folders of `exercises` and of their solutions.

    Raises ToolchainError when torch or Python's headers are missing.
    """
    entries = [entry for exercise in exercises for entry in _entries(exercise)]
    write_atomically(course / NAME, json.dumps(entries, indent=1) + "\n", PUBLIC)
    return len(entries)


def _entries(exercise: Exercise) -> Iterator[dict[str, object]]:
    interface = exercise.build.interface
    interface = "torch_extension" if interface == "wheel" else interface
    name = exercise.build.name
    request = BuildRequest(name, cast("Interface", interface), (), "simt")
    folders = [*libraries.include_dirs(), *interface_dirs(request)]
    common = ["-std=c++20", f"-DTORCH_EXTENSION_NAME={name}"]
    common += [part for folder in folders for part in ("-isystem", str(folder))]
    for source in _sources(exercise):
        language = _cuda_flags() if is_cuda(source) else []
        command = ["clang++", *language, *common, "-c", str(source)]
        yield {"directory": str(exercise.course), "file": str(source), "arguments": command}


def _cuda_flags() -> list[str]:
    chosen = ["-Wno-unknown-cuda-version", f"-DSIMT_CUDA_ARCH={architecture()}"]
    return [*_CUDA, *chosen, "-include", str(_CLANGD_HEADER)]


def _sources(exercise: Exercise) -> Iterator[Path]:
    for folder in (exercise.root, exercise.solution_dir):
        yield from sorted(path for pattern in _SOURCES for path in folder.rglob(pattern))
