"""The programs of public suites for race detectors, with what their authors say about each.

The suites are read from a checkout of yours; nothing of them is in this repository.

    indigo      Indigo's CUDA programs, as in HiRace's artefact
                (github.com/JohnJacobsonIII/HiRace-Artifact-SC24)
    scor        ScoR's microbenchmarks (github.com/csl-iisc/ScoR)
    gpuverify   GPUVerify's CUDA kernels (github.com/mc-imperial/gpuverify), which get a main() here
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

_RACY_INDIGO = ("atomicBug", "guardBug", "raceBug", "syncBug")
_INDIGO_GRAPH = "indigo/input/DAG_100n_200e.egr"
_INDIGO_LAUNCH = ("64", "128")  # threads of a block; blocks, one for each vertex at least


@dataclass(frozen=True)
class SuiteProgram:
    """One program of a suite: how it is compiled and run, and whether it has a race, by its authors."""

    name: str
    source: Path
    is_racy: bool
    flags: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    appended: str = ""  # what the source lacks


def indigo(checkout: Path) -> Iterator[SuiteProgram]:
    """A program has a race if and only if its name names one of four planted mistakes."""
    include = f"-I{checkout / 'indigo/indigo_include'}"
    for source in sorted((checkout / "indigo/indigo_sources").glob("*/*.cu")):
        is_racy = any(mistake in source.stem for mistake in _RACY_INDIGO)
        # boundsBug is a mistake, too, but no race.
        arguments = (str(checkout / _INDIGO_GRAPH), *_INDIGO_LAUNCH)
        yield SuiteProgram(source.stem, source, is_racy, (include,), arguments)


def scor(checkout: Path) -> Iterator[SuiteProgram]:
    """The names begin with `race_` or `norace_`."""
    for source in sorted((checkout / "microbenchmarks/src").glob("*.cu")):
        yield SuiteProgram(source.stem, source, source.stem.startswith("race_"))


# ---- GPUVerify -------------------------------------------------------------------------------------------

_ANNOTATED = re.compile(
    r"\b__(?:requires\w*|ensures|invariant|assert|assume|axiom|read\w*|write\w*|no_\w+|array_snapshot|bugle\w*)\b"
)
_KERNEL = re.compile(r"__global__\s+(?:\w+\s*\([^()]*\)\s*)?void\s+(?:\w+\s*\([^()]*\)\s*)?(\w+)\s*\(")
_EXPECTS_RACE = re.compile(r"possible \w+-\w+ race|//(?:Write|Read|Atomic) by thread|kernel is racy")
_DIMENSION = r"--{}=(\[[\d, ]+\]|\d+)"
_MOST_THREADS = 1 << 20

# Each pointer gets memory of its own, zeroed; numbers are 1.
_MAIN = """
#include <cstdio>
namespace suite {
template <class T> struct given { static T make() { return T(1); } };
template <class T> struct given<T*> {
    static T* make() {
        void* memory = nullptr;
        cudaMalloc(&memory, size_t(64) << 20);
        cudaMemset(memory, 0, size_t(64) << 20);
        return static_cast<T*>(memory);
    }
};
template <class... T> void run(void (*kernel)(T...), dim3 grid, dim3 block) {
    kernel<<<grid, block>>>(given<T>::make()...);
    cudaDeviceSynchronize();
}
}  // namespace suite
int main() { suite::run(KERNEL, dim3(GRID), dim3(BLOCK)); }
"""


def gpuverify(checkout: Path) -> Iterator[SuiteProgram]:
    """Kernels that are C++ alone, without annotations for the verifier, and of a size that can be run.

    The first line says whether the verifier is expected to accept the kernel; of those that it refuses, only
    the ones with a race count. Left out are kernels that are right only if the lanes of a warp run in
    lockstep (--warp-sync), which CUDA has not promised since Volta.
    """
    root = checkout / "testsuite/CUDA"
    for source in sorted(root.rglob("*.cu")):
        text = source.read_text(errors="replace")
        program = _gpuverify_program(str(source.parent.relative_to(root)), source, text)
        if program is not None:
            yield program


def _gpuverify_program(name: str, source: Path, text: str) -> SuiteProgram | None:
    first = text.splitlines()[0].strip() if text else ""
    is_right, kernels = first.lower() == "//pass", _KERNEL.findall(text)
    grid, block = (_dimensions(text, word) for word in ("gridDim", "blockDim"))
    if not grid or not block or len(kernels) != 1 or _ANNOTATED.search(text):
        return None
    if not is_right and not _EXPECTS_RACE.search(text):
        return None
    if "--warp-sync" in text:
        return None
    if math.prod(block) > 1024 or math.prod(grid) * math.prod(block) > _MOST_THREADS or "int main" in text:
        return None
    main = _MAIN.replace("KERNEL", kernels[0])
    main = main.replace("GRID", ", ".join(map(str, grid))).replace("BLOCK", ", ".join(map(str, block)))
    flags = tuple(re.findall(r"(?<=\s)-D\S+", text.splitlines()[1]))
    return SuiteProgram(name, source, not is_right, flags, appended=main)


def _dimensions(text: str, word: str) -> list[int]:
    found = re.search(_DIMENSION.format(word), text)
    return [int(each) for each in re.findall(r"\d+", found.group(1))] if found else []


SUITES: dict[str, Callable[[Path], Iterator[SuiteProgram]]] = {
    "indigo": indigo,
    "scor": scor,
    "gpuverify": gpuverify,
}
