"""Which instance of a template a launch ran: `muladd_kernel<float>` where the source says `<T>`.

Names are the compiler's, demangled, without what does not tell kernels apart: the result's type, anonymous
namespaces, the parameters. nvcc's and this backend's names agree in that form.
"""

from __future__ import annotations

import functools
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from cusimt.counters import LaunchCounts

__all__ = ["base_name", "instance_name", "template_name"]

_ADDRESS = re.compile(r"^0x(?=[0-9a-f]+$)", re.MULTILINE)  # a line of its own before each answer
_UNNAMED = re.compile(r"\((?:anonymous namespace|unnamed)\)::|<unnamed>::|_GLOBAL__N__\w+::")


def instance_of(counts: LaunchCounts) -> str:
    """The kernel's name with its template arguments, else the text of the launch.

    The first line may be in a device function that was not inlined; another one is in the kernel itself, or
    was called from there. The launch names the kernel in other words only if by a function pointer.
    """
    text = instance_name(counts.launch.kernel)
    places = _functions(counts.launch.module, tuple(line.pc for line in counts.lines))
    names = [kernel_among(functions, text) for functions in places]
    calls = [kernel_among(functions, text) for functions in _calls(counts)]
    named = next((name for name in (*names, *calls) if base_name(name) == base_name(text)), "")
    if named or not names or _defines(counts.launch.file, base_name(text)):
        return named or text
    return names[0]


def functions_of(counts: LaunchCounts) -> set[str]:
    """The instances of the functions in which memory was accessed, and of those that called them."""
    places = _functions(counts.launch.module, tuple(line.pc for line in counts.lines))
    return {instance_name(name) for functions in (*places, *_calls(counts)) for name in functions}


def kernel_among(functions: Sequence[str], text: str) -> str:
    """The kernel among the `functions` that a place belongs to, innermost first; `text` launched it.

    It has the name that the text has; where that is a function pointer's, it is the outermost function that
    is not this backend's.
    """
    names = [instance_name(name) for name in reversed(functions)]
    base = base_name(text)
    own = [name for name in names if not name.startswith("simt::")]
    same = [name for name in own if base_name(name) == base]
    return next(iter(same or own), text)


def instance_name(demangled: str) -> str:
    """`tiled<float, 16>` of `void (anonymous namespace)::tiled<float, 16>(float const*, int)`."""
    name = _UNNAMED.sub("", demangled).removeprefix("void ").strip()
    depth = 0
    for position, character in enumerate(name):
        depth += (character == "<") - (character == ">")
        if character == "(" and depth == 0 and position > 0:
            return name[:position].strip()
    return name


def base_name(instance: str) -> str:
    """`tiled` of `a::tiled<float, 16>`."""
    return template_name(instance).rpartition("::")[2].strip()


def template_name(instance: str) -> str:
    """`a::tiled` of `a::tiled<float, b::Plus<16> >`: the name without what it was instantiated with."""
    name, depth = "", 0
    for character in instance:
        depth += character == "<"
        name += character if depth == 0 else ""
        depth -= character == ">"
    return name


@functools.cache
def _defines(file: str, kernel: str) -> bool:
    """Whether the source declares `kernel` as a kernel."""
    try:
        text = Path(file).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return re.search(rf"__global__\b[^;{{}}]*\b{re.escape(kernel)}\s*\(", text) is not None


def _calls(counts: LaunchCounts) -> list[list[str]]:
    """The functions of each call that led to an access."""
    calls = dict.fromkeys(call for line in counts.lines for call in line.calls)
    return _functions(counts.launch.module, tuple(calls))


@functools.cache
def _functions(module: str, offsets: tuple[int, ...]) -> list[list[str]]:
    """For each of `offsets` the functions that it is in, innermost first: each inlined into the next."""
    program = shutil.which("addr2line")
    if program is None or not module or not offsets:
        return []
    command = [program, "-a", "-f", "-C", "-i", "-e", module, *map(hex, offsets)]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return [each.splitlines()[1::2] for each in _ADDRESS.split(said)[1:]]
