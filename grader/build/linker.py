"""Which linker this machine's compiler drives: a faster one than GNU ld only where it is seen to work.

Reading the symbols of libtorch_cpu is most of a link: 0.15 s for GNU ld, 0.06 s for gold. But a linker that
is installed may still not find the compiler's own libraries: on one Ubuntu machine every std:: symbol stayed
undefined. So each candidate links a small library once, and the answer is kept in the cache.
"""

from __future__ import annotations

import functools
import shutil
import subprocess
from pathlib import Path

from grader import cache
from grader.build.ninja import TIMEOUT_SECONDS
from grader.toolchain import HostCompiler, host_compiler

CANDIDATES = ("lld", "gold")
CHOICE = "choice"
# What learner libraries need of the C++ library: exceptions, streams, allocation.
PROBE = """
#include <sstream>
#include <stdexcept>
void probe(int value) {
    std::ostringstream text;
    text << value;
    throw std::runtime_error(text.str());
}
"""


@functools.cache
def linker_flags() -> tuple[str, ...]:
    """The flag that chooses the first candidate that links; none where only the default linker does."""
    compiler = host_compiler()
    found = [path for name in CANDIDATES if (path := shutil.which(f"ld.{name}"))]
    if not found:
        return ()
    with cache.entry(["linker", *compiler.command, compiler.version, *found], room="linkers") as slot:
        if slot.missing:
            choice = next((name for name in CANDIDATES if links(compiler, name, slot.folder)), "")
            (slot.folder / CHOICE).write_text(choice)
    name = (slot.path / CHOICE).read_text()
    return (f"-fuse-ld={name}",) if name else ()


def links(compiler: HostCompiler, name: str, folder: Path) -> bool:
    """Whether `compiler` with linker `name` makes a library of PROBE in which nothing is undefined."""
    source = folder / "probe.cpp"
    source.write_text(PROBE)
    flags = ["-shared", "-fPIC", "-Wl,--no-undefined", f"-fuse-ld={name}", "-o", str(folder / "probe.so")]
    command = [*compiler.command, str(source), *flags]
    return subprocess.run(command, capture_output=True, timeout=TIMEOUT_SECONDS).returncode == 0
