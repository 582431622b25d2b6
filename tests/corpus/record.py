"""Record what the objects of the right submissions ask for, with the compiler that CXX names.

Run by hand after a new torch or compiler: CXX=g++-12 .venv/bin/python -m tests.corpus.record
With `--cuda`, what nvcc makes of the kernels that need no torch; TORCH_CUDA_ARCH_LIST says for which GPU.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from cusimt.support.toolchain import host_compiler
from grader.support.backends import Backend
from grader.support.elf import symbols_of
from tests.corpus.reading import compiled
from tests.corpus.test_right_submissions import HERE, QUICK, RIGHT


def main(backend: Backend, files: Sequence[Path], name: str) -> None:
    with tempfile.TemporaryDirectory() as scratch, (HERE / "symbols" / f"{name}.txt").open("w") as out:
        for file in files:
            try:
                undefined, _ = symbols_of(compiled(file, Path(scratch), backend))
            except AssertionError as error:  # a toolkit without some of CUDA's libraries
                print(f"{file.name} is left out: {str(error).splitlines()[0]}")
                continue
            asked = sorted(each for each in undefined if not each.startswith("__tsan"))
            print(f"{file.name}: {' '.join(asked)}", file=out, flush=True)


if __name__ == "__main__":
    if "--cuda" in sys.argv[1:]:
        main("cuda", QUICK, "nvcc")
    else:
        main("simt", RIGHT, Path(host_compiler().command[0]).name)
