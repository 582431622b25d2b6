"""How this machine's compiler links a library that Python will load, found out once and kept in the cache.

Two things are tried rather than assumed. A linker that is faster than GNU ld: reading the symbols of
libtorch_cpu is most of a link, 0.15 s for GNU ld, 0.06 s for gold; but an installed one may not work with
this compiler. And the shared C++ library: a compiler that has only the archive links a second copy of it
into every library, and an exception that leaves such a library for torch's copy ends the process with
SIGSEGV.
"""

from __future__ import annotations

import functools
import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from cusimt.support import cache
from cusimt.support.toolchain import HostCompiler, host_compiler

__all__ = ["environment_flags", "linker_flags"]

LINKERS = ("lld", "gold")
FLAGS = "flags.json"
_SECONDS = 60.0
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
    """The flags of the first way to link that works; none where only the compiler's default does."""
    compiler = host_compiler()
    installed = [name for name in LINKERS if shutil.which(f"ld.{name}")]
    with cache.entry(["linker", *compiler.identity, *installed], room="linkers") as slot:
        if slot.missing:
            working = (
                flags for flags in candidates(compiler, installed) if links(compiler, flags, slot.folder)
            )
            (slot.folder / FLAGS).write_text(json.dumps(next(working, ())))
    return tuple(json.loads((slot.path / FLAGS).read_text()))


def candidates(compiler: HostCompiler, installed: list[str]) -> Iterator[tuple[str, ...]]:
    """Ways to link, the best first: the shared C++ library before the archive, fast linkers before slow."""
    shared = shared_library_flags(compiler)
    for library in dict.fromkeys((shared, ())):
        yield from ((f"-fuse-ld={name}", *library) for name in installed)
        yield library


@functools.cache
def shared_library_flags(compiler: HostCompiler) -> tuple[str, ...]:
    """The system's libstdc++.so.6 where the compiler itself brings no shared one. It stands before the
    compiler's own -lstdc++ and after the objects, so that nothing is left for the archive to define.
    """
    asked = [*compiler.command, "-print-file-name=libstdc++.so"]
    answer = subprocess.run(asked, capture_output=True, text=True, timeout=_SECONDS).stdout.strip()
    if Path(answer).is_absolute():
        return ()
    loader = shutil.which("ldconfig", path="/usr/sbin:/sbin:/usr/bin:/bin")
    listed = subprocess.run([loader, "-p"], capture_output=True, text=True).stdout if loader else ""
    system = re.search(r"libstdc\+\+\.so\.6 .*=> (\S+)", listed)
    return (system[1],) if system else ()


def environment_flags() -> str:
    """The same for link commands that others write: what LDFLAGS has to hold, which stands before objects."""
    shared = shared_library_flags(host_compiler())
    return f"-Wl,--no-as-needed {shlex.join(shared)}" if shared else ""


def links(compiler: HostCompiler, flags: tuple[str, ...], folder: Path) -> bool:
    """Whether `compiler` with `flags` makes a library of PROBE in which nothing is undefined."""
    source = folder / "probe.cpp"
    source.write_text(PROBE)
    fixed = ["-shared", "-fPIC", "-Wl,--no-undefined", "-o", str(folder / "probe.so")]
    command = [*compiler.command, str(source), *fixed, *flags]
    return subprocess.run(command, capture_output=True, timeout=_SECONDS).returncode == 0
