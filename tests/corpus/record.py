"""Record what the objects of the right submissions ask for, with the compiler that CXX names.

Run by hand after a new torch or compiler: CXX=g++-12 .venv/bin/python -m tests.corpus.record
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from grader.elf import symbols_of
from grader.toolchain import host_compiler
from tests.corpus.reading import compiled
from tests.corpus.test_right_submissions import HERE, RIGHT


def main() -> None:
    record = HERE / "symbols" / f"{Path(host_compiler().command[0]).name}.txt"
    with tempfile.TemporaryDirectory() as scratch, record.open("w") as out:
        for file in RIGHT:
            undefined, _ = symbols_of(compiled(file, Path(scratch)))
            asked = sorted(name for name in undefined if not name.startswith("__tsan"))
            print(f"{file.name}: {' '.join(asked)}", file=out, flush=True)


if __name__ == "__main__":
    main()
