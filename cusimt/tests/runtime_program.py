"""Compiles the CUDA programs of cusimt/tests/runtime for the simulated GPU, and runs them."""

from __future__ import annotations

import functools
import subprocess
from collections.abc import Sequence
from pathlib import Path

from cusimt.compiler import libraries
from cusimt.support import cache
from cusimt.support.toolchain import host_compiler
from cusimt.translate import translate

SOURCES = Path(__file__).parent / "runtime"
LIMIT = 600  # seconds


@functools.cache
def program(name: str, checked: bool = True, flags: tuple[str, ...] = ()) -> Path:
    """The executable of runtime/NAME.cu, from the cache if nothing has changed that it is made of."""
    source = SOURCES / f"{name}.cu"
    translated = translate(source.read_text(), str(source))
    compiler = host_compiler()
    compile_ = [*compiler.command, *libraries.compile_flags(checked), "-include", "simt/prelude.h", *flags]
    compile_ += [f"-I{folder}" for folder in libraries.include_dirs()]
    link = [libraries.module_object(checked), *libraries.link_flags(checked)]
    key = ["runtime", compiler.version, libraries.sources_digest(), translated, *compile_, *link]
    with cache.entry(key, room="tests") as slot:
        if slot.missing:
            text, object_ = slot.folder / f"{name}.cpp", slot.folder / "program.o"
            text.write_text(translated)
            build(*compile_, "-c", text, "-o", object_)
            build(*compiler.command, object_, *link, "-o", slot.folder / name)
    return slot.path / name


def build(*command: object) -> None:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def run(executable: Path, *arguments: str, prefix: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
    """Run to the end; a program that hangs fails the test."""
    command = [*prefix, str(executable), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=LIMIT)


def source_line(name: str, mark: str) -> int:
    """The number of the line of runtime/NAME.cu that carries the comment `// <- MARK`."""
    lines = (SOURCES / f"{name}.cu").read_text().splitlines()
    (number,) = (index for index, line in enumerate(lines, 1) if line.rstrip().endswith(f"// <- {mark}"))
    return number
