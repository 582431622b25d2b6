"""The headers that every source gets without including them, precompiled once per compiler and torch.

A `binding.cpp` of interface torch_library sees exactly HEADERS["torch_library"] before its first line,
whether they are precompiled or not, so precompiling never changes what compiles. Anything else it includes
itself.

Measured on 2 cores (g++ 12, torch 2.13, -O1): such a binding takes 3.9 s without and 1.2 s with the
precompiled header, which costs 11 s and 302 MB once. At -O2 the same binding takes 2.0 s instead of 1.2 s,
and it holds no arithmetic worth optimising. pybind11 alone (interface pybind) would go from 3.5 s to 2.8 s
for 153 MB: not worth it. Adding c10/cuda's own headers on the cuda backend gained nothing. A binding.cpp of
interface torch_extension gets nothing either: no exercise has one.

A kernel on the simt backend gets `simt/prelude.h`, as the translator expects. Precompiled (0.6 s and 25 MB
for each set of flags, once) it takes 0.09 s instead of 0.22 s to compile the kernels of 03_fused_muladd.

A kernel's file that begins with torch/extension.h, as that of 02_elementwise_mult does, gets that header
precompiled as well, built when the first such file is compiled: 791 MB for each set of flags. It takes away
half of the processor time. What is left is not the file's own either: g++ writes the templates that the
header's inline functions need into the precompiled form as a list, and instantiates them at the end of every
compilation. An empty file with this header takes as long as 02's.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

from cusimt.compiler import libraries
from cusimt.support import cache
from cusimt.support.scratch import scratch
from cusimt.support.toolchain import HostCompiler, host_compiler, torch_install
from grader.compilation import ninja
from grader.support.errors import InfrastructureError

_NAME = "forced.h"
_left: dict[str, Callable[[], object]] = {}  # what makes the headers that builds did without, by their keys
RETRY_SECONDS = 600.0  # after a failure, as on a full disk, sources are compiled without for that long
_PRELUDE = "simt/prelude.h"
EXTENSION = "torch/extension.h"
_WITH_EXTENSION = (_PRELUDE, EXTENSION)
HEADERS: dict[str, tuple[str, ...]] = {
    "torch_library": (
        "ATen/core/Tensor.h",
        "ATen/Dispatch.h",
        "ATen/ops/empty.h",
        "ATen/ops/empty_like.h",
        "ATen/ops/zeros.h",
        "ATen/ops/zeros_like.h",
        "torch/library.h",
    ),
    "torch_extension": (),
    "pybind": (),
}


def forced_includes(
    interface: str, flags: tuple[str, ...], scratch: Path, *, precompile: bool, later: bool = False
) -> list[str]:
    """The -include flags that give a binding its headers.

    `flags` must be the binding's own, since a precompiled header serves no other. `scratch` receives the
    plain header when no precompiled one can be had. With `later`, a missing one is left to
    `precompile_what_is_left`.
    """
    names = HEADERS[interface]
    if not names:
        return []
    if precompile:
        folder = _ready(names, flags, torch_install().root, torch_install().version, later=later)
        if folder is not None:
            return _forced(folder)
    plain = scratch / _NAME
    plain.write_text(_text(names))
    return ["-include", str(plain)]


def simt_prelude(flags: tuple[str, ...], *, extension: bool = False, later: bool = False) -> list[str]:
    """The -include flags that put the prelude in front of a translated kernel, compiled with `flags`.

    `extension`: the kernel's file includes torch/extension.h before any code of its own, so that header is
    precompiled with the prelude, and the file's own `#include` of it finds it read. With `later`, a missing
    one is left to `precompile_what_is_left`.
    """
    if extension:
        folder = _ready(_WITH_EXTENSION, flags, *_torch_and_device(), later=later)
        if folder is not None:
            return _forced(folder)
    folder = _precompiled(host_compiler(), (_PRELUDE,), flags, libraries.sources_digest())
    return ["-include", _PRELUDE] if folder is None else _forced(folder)


def extension_is_missing(flags: tuple[str, ...]) -> bool:
    """Whether `simt_prelude` would precompile torch/extension.h for these flags, which takes a minute."""
    compiler = host_compiler()
    parts = _key(compiler, _WITH_EXTENSION, flags, *_torch_and_device())
    return _can_precompile(compiler) and not cache.holds(parts, room="headers")


def is_left() -> bool:
    """Whether builds of this process did without a precompiled header that later ones are to have."""
    return bool(_left)


def precompile_what_is_left() -> None:
    """Make the precompiled headers that builds did without, where that is still of use.

    Reading PyTorch's headers once takes less time than precompiling them, so the first verdict on a machine
    does not wait for it.
    """
    while _left:
        _, make = _left.popitem()
        make()


def _ready(names: tuple[str, ...], flags: tuple[str, ...], *parts: object, later: bool) -> Path | None:
    """What `_precompiled` answers; None, and a note of what is left, where making it is for later."""
    compiler = host_compiler()
    make = partial(_precompiled, compiler, names, flags, *parts)
    key = _key(compiler, names, flags, *parts)
    if not later or not _can_precompile(compiler) or cache.holds(key, room="headers"):
        return make()
    _left[cache.digest(key)] = make
    return None


def _torch_and_device() -> tuple[object, ...]:
    return libraries.sources_digest(), torch_install().root, torch_install().version


def key(interface: str) -> tuple[str, ...]:
    """This module's part of an object's cache key."""
    return HEADERS[interface]


def _forced(folder: Path) -> list[str]:
    return ["-Winvalid-pch", "-include", str(folder / _NAME)]


def _precompiled(
    compiler: HostCompiler, names: tuple[str, ...], flags: tuple[str, ...], *parts: object
) -> Path | None:
    """The cache folder with a header and its precompiled form; None when the compiler could not make one.

    A failure is remembered for RETRY_SECONDS: an attempt takes as long as a success.

    `parts` go into the key with the rest: what tells one version of the headers from another.

    Only g++: clang's form records the folder it was made in, which an entry leaves when it is published.
    """
    if not _can_precompile(compiler):
        return None
    with cache.entry(_key(compiler, names, flags, *parts), room="headers") as slot:
        failure = slot.path.with_suffix(".failed")  # empty: its time says when
        if slot.missing and (_is_recent(failure) or not _made(compiler, names, flags, slot.folder)):
            slot.discard()
            if not _is_recent(failure):
                with contextlib.suppress(OSError):
                    failure.touch()
            return None
    return slot.path


def _can_precompile(compiler: HostCompiler) -> bool:
    return compiler.family == "gcc" and os.environ.get("CU2GRAD_PCH", "1") != "0"


def _key(
    compiler: HostCompiler, names: tuple[str, ...], flags: tuple[str, ...], *parts: object
) -> list[object]:
    return ["pch", _NAME, compiler.version, *compiler.command, *parts, *names, *flags]


def _made(compiler: HostCompiler, names: tuple[str, ...], flags: tuple[str, ...], folder: Path) -> bool:
    """Whether the compiler could make the header and its precompiled form in `folder`."""
    header, precompiled = folder / _NAME, folder / f"{_NAME}.gch"
    header.write_text(_text(names))
    command = [*compiler.command, *flags, "-x", "c++-header", str(header), "-o", str(precompiled)]
    edge = ninja.Edge(precompiled, (header,), tuple(command))
    with scratch("build") as place:
        try:
            if not ninja.run([edge], place).ok:
                return False
        except InfrastructureError:  # a full disk: sources take less room than this
            return False
    header.chmod(0o444)
    precompiled.chmod(0o444)
    return True


def _is_recent(failure: Path) -> bool:
    try:
        return cache.is_recent(failure, RETRY_SECONDS)
    except OSError:
        return False


def _text(names: tuple[str, ...]) -> str:
    return "".join(f"#include <{name}>\n" for name in names)
