"""Audit the built library as the dynamic loader sees it: its imports, and how it is loaded."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from grader.audit.allowed_symbols import Use, belonging_to_others, not_allowed, why_refused
from grader.audit.objection import Objection
from grader.support.elf import Library, Malformed, read_library

_SYMBOL_RULE = "It may use what docs/reference/allowed.md lists: C++, mathematics, the CUDA runtime, tensors."
# A C++ function in no namespace: those of PyTorch and the standard library have one, so it is your own.
_GLOBAL = re.compile(r"_Z\d")
_UNDEFINED_RULE = (
    "Compile and link the source that defines it. Of other libraries, it may use what "
    "docs/reference/allowed.md lists."
)
_LOAD_RULE = (
    "A library is loaded as the grader's compilers and linker make it. Build it without flags of your own."
)
_DEFINED_RULE = "Give it another name: the library would call yours instead."

_MOST_BYTES = 256 << 20  # some hundred times an exercise's; constant data belongs into a tensor
_SIZE_RULE = (
    f"{_MOST_BYTES >> 20} MiB is the limit. Allocate large arrays as tensors instead of static variables."
)
_NEEDED = (
    "libcusimt.so", "libcusimt_device.so", "libcudart.so", "libtorch.so", "libtorch_cpu.so",
    "libtorch_cuda.so", "libtorch_python.so", "libc10.so", "libc10_cuda.so", "libstdc++.so", "libm.so",
    "libgcc_s.so", "libc.so", "libpthread.so", "libdl.so", "librt.so", "libgomp.so", "libatomic.so",
    "ld-linux-x86-64.so", "ld-linux-aarch64.so",
)  # fmt: skip
# Entries of the dynamic table: PLTRELSZ, PLTGOT, HASH, STRTAB, SYMTAB, RELA, RELASZ, RELAENT, STRSZ, SYMENT,
# INIT, FINI, SONAME, PLTREL, JMPREL, INIT_ARRAY, FINI_ARRAY, their sizes, RUNPATH, FLAGS, RELRSZ, RELR,
# RELRENT, GNU_HASH, RELACOUNT, FLAGS_1, VERSYM, VERDEF, VERDEFNUM, VERNEED, VERNEEDNUM; of arm64, BTI_PLT and
# PAC_PLT.
_ENTRIES = frozenset((
    2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 20, 23, 25, 26, 27, 28, 29, 30, 35, 36, 37,
    0x6FFFFEF5, 0x6FFFFFF9, 0x6FFFFFFB, 0x6FFFFFF0, 0x6FFFFFFC, 0x6FFFFFFD, 0x6FFFFFFE, 0x6FFFFFFF,
    0x70000001, 0x70000003,
))  # fmt: skip
_FLAGS = {30: 0x02 | 0x08 | 0x10, 0x6FFFFFFB: 0x01 | 0x08}  # SYMBOLIC, BIND_NOW, STATIC_TLS; NOW, NODELETE
# LOAD, DYNAMIC, NOTE, PHDR, TLS; of GNU, EH_FRAME, STACK, RELRO, PROPERTY; of arm64, ATTRIBUTES.
_SEGMENTS = frozenset((1, 2, 4, 6, 7, 0x6474E550, 0x6474E551, 0x6474E552, 0x6474E553, 0x70000003))
_EXECUTABLE, _WRITABLE = 1, 2
# Relocations that write an address, or an offset of thread-local storage; none that calls a function for it.
_RELOCATIONS = {
    "x86_64": frozenset((0, 1, 6, 7, 8, 16, 17, 18, 36)),
    "aarch64": frozenset((0, 257, 1025, 1026, 1027, 1028, 1029, 1030, 1031)),
}


def audit(library: Path, use: Use, folders: Collection[str] | None = None) -> Iterator[Objection]:
    """Objections to a built library. `folders` are those that it may look for libraries in; None for any.

    `use` says on which backend it was built, and for what: a library without Python's face has no use for
    Python at all.
    """
    if library.stat().st_size > _MOST_BYTES:
        yield Objection(library.name, 0, f"has {library.stat().st_size >> 20} MiB", _SIZE_RULE)
        return
    try:
        found = read_library(library)
    except Malformed as why:
        yield Objection(library.name, 0, str(why), _LOAD_RULE)
        return
    yield from (Objection(library.name, 0, what, _LOAD_RULE) for what in _loading(found, folders))
    undefined = [symbol.name for symbol in found.symbols if not symbol.defined and symbol.name]
    yield from _refused(library.name, undefined, replace(use, kernels=False))
    for name in belonging_to_others([symbol.name for symbol in found.symbols if symbol.defined]):
        if not _is_of_the_grader(name):
            yield Objection(library.name, 0, f"defines `{name}`, which others define", _DEFINED_RULE)


def audit_objects(objects: Mapping[str, Sequence[str]], use: Use) -> Iterator[Objection]:
    """Objections to what each source's object asks for, by the source's name."""
    for source, undefined in sorted(objects.items()):
        yield from _refused(source, undefined, replace(use, kernels=source.endswith(".cu")))


def _refused(file: str, undefined: Sequence[str], use: Use) -> Iterator[Objection]:
    where = " in a file with kernels" if use.kernels else ""
    for symbol, name in not_allowed(undefined, use):
        uses = f"uses `{name[:200]}`"
        if _GLOBAL.match(symbol):
            what = f"{uses}, and nothing in the library defines it"
            yield Objection(file, 0, what, _UNDEFINED_RULE, topic="load")
        elif why := why_refused(name):
            what = f"{uses}, which {why.does}: not allowed here{where}"
            yield Objection(file, 0, what, why.instead)
        else:
            yield Objection(file, 0, f"{uses}, which is not allowed here{where}", _SYMBOL_RULE)


def _is_of_the_grader(name: str) -> bool:
    """What the grader's own part of a library offers, shared memory, and what Python looks for."""
    return name.startswith(("simt_dynamic_shared", "__start_simt_", "__stop_simt_", "PyInit_"))


def _loading(found: Library, folders: Collection[str] | None) -> Iterator[str]:
    """What is unusual about how the library is to be loaded."""
    for tag in sorted(set(found.entries) - _ENTRIES):
        yield f"has the entry {tag:#x} in its dynamic table"
    for tag, allowed in _FLAGS.items():
        if found.entries.get(tag, 0) & ~allowed:
            yield f"has the flags {found.entries[tag]:#x} in its dynamic table"
    for name in found.needed:
        if name.partition(".so")[0] + ".so" not in _NEEDED:
            yield f"needs the library `{name}`"
    for folder in found.paths:
        if folders is not None and folder not in folders:
            yield f"looks for libraries in `{folder}`"
    for segment in found.image.segments:
        if segment.kind not in _SEGMENTS:
            yield f"has a segment of kind {segment.kind:#x}"
        elif segment.kind == 1 and segment.flags & _EXECUTABLE and segment.flags & _WRITABLE:
            yield "has memory that is writable and executable"
    yield from (
        f"chooses `{each.name}` while it is loaded (IFUNC)" for each in found.symbols if each.indirect
    )
    yield from sorted(set(_relocating(found)))


def _relocating(found: Library) -> Iterator[str]:
    known = _RELOCATIONS[found.image.machine]
    for each in found.relocations:
        segment = found.image.segment_of(each.at)
        if each.kind not in known:
            yield f"has relocations of kind {each.kind}"
        elif segment is None or not segment.is_writable:
            yield "changes its code while it is loaded"
        elif found.dynamic.holds(each.at):
            yield "changes its dynamic table while it is loaded"
