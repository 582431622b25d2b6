"""The compiler flags of a setup.py, inspected when it passes them to the compilers.

The audit reads setup.py; flags that it puts together at run time are seen here. Both are for the verdict, see
docs/reference/trust.md: code that was compiled without the access checks would pass them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from grader.audit import why_not_compiled_with

# What a build may decide by the environment; other variables choose compilers, flags and folders.
_DECIDED = frozenset(("MAX_JOBS", "TORCH_CUDA_ARCH_LIST", "TORCH_NVCC_FLAGS"))
_STEERS = re.compile(
    r"CC|CXX|CPP|AR|LD\w*|\w*FLAGS|\w*PATH|\w*_OPTIONS|PYTHON\w*|CUDA\w*|CU2GRAD\w*|NVCC\w*|GCC\w*"
)


def watch(build_extension: Any) -> None:
    """From now on, torch's BuildExtension ends with a sentence before it compiles with a refused flag."""
    before, build = dict(os.environ), build_extension.build_extensions

    def looked_at(command: Any) -> None:
        objection = next(_objections(command.extensions, before, os.environ), "")
        if objection:
            raise SystemExit(f"{objection}. Every access is checked here: leave it out.")
        build(command)

    build_extension.build_extensions = looked_at


def _objections(
    extensions: Iterable[Any], before: Mapping[str, str], after: Mapping[str, str]
) -> Iterator[str]:
    for name in sorted(after):
        if after[name] != before.get(name) and name not in _DECIDED and _STEERS.fullmatch(name):
            yield f"setup.py sets {name}, which decides what is compiled and how"
    variables = [part for name in _DECIDED for part in after.get(name, "").split()]
    for flag in (*variables, *(flag for extension in extensions for flag in _flags(extension))):
        why = why_not_compiled_with(flag)
        if why:
            yield f"setup.py asks for {flag}, which {why}"


def _flags(extension: Any) -> Iterator[str]:
    """All flags of an extension, single words."""
    compiled: Mapping[str, Sequence[str]] | Sequence[str] = extension.extra_compile_args or ()
    lists = compiled.values() if isinstance(compiled, Mapping) else [compiled]
    for flags in (*lists, extension.extra_link_args or ()):
        yield from (word for flag in flags for word in str(flag).split())
    for macro in extension.define_macros or ():
        name, value = (*macro, None)[:2]
        yield f"-D{name}" if value is None else f"-D{name}={value}"
    yield from (f"-U{name}" for name in extension.undef_macros or ())
