"""A library is read as the loader reads it; a file that is anything else is refused with a sentence."""

from __future__ import annotations

import contextlib
import struct
import subprocess
from pathlib import Path

import pytest

from cusimt.support.toolchain import host_compiler
from grader.audit.allowed_symbols import Use
from grader.audit.library import audit
from grader.support.elf import Malformed, read_library, symbols_of

SOURCE = """
extern "C" double sqrt(double);
extern "C" __attribute__((visibility("default"))) double root(double x) { return sqrt(x); }
static double (*const table[])(double) = {sqrt, root};
extern "C" double pick(int i, double x) { return table[i](x); }
"""

IFUNC = """
extern "C" {
static double one(double x) { return x; }
static double (*choose())(double) { return one; }
double chosen(double) __attribute__((ifunc("choose")));
}
"""
MALLOC = 'extern "C" void* malloc(unsigned long) { return nullptr; }'


def linked(folder: Path, source: str, *flags: str) -> Path:
    (folder / "mine.cpp").write_text(source)
    library = folder / "mine.so"
    command = [
        *host_compiler().command,
        "-shared",
        "-fPIC",
        str(folder / "mine.cpp"),
        "-o",
        str(library),
        *flags,
    ]
    subprocess.run(command, check=True)
    return library


def said(library: Path) -> list[str]:
    return [
        objection.what for objection in audit(library, Use("simt", kernels=False, python=False), folders=())
    ]


@pytest.mark.parametrize("style", ["gnu", "sysv", "both"])
def test_symbols_are_those_of_the_dynamic_table(tmp_path: Path, style: str) -> None:
    library = read_library(linked(tmp_path, SOURCE, f"-Wl,--hash-style={style}", "-lm"))
    assert {"root", "pick"} <= {symbol.name for symbol in library.symbols if symbol.defined}
    assert "sqrt" in {symbol.name for symbol in library.symbols if not symbol.defined}
    assert "libm.so.6" in library.needed


def test_section_headers_change_nothing(tmp_path: Path) -> None:
    """A linker's view that was cut off or forged is not the loader's."""
    path = linked(tmp_path, SOURCE.replace("sqrt", "dlsym"))
    before = said(path)
    content = bytearray(path.read_bytes())
    struct.pack_into("<Q", content, 40, 0)  # where section headers begin
    struct.pack_into("<HHH", content, 58, 64, 0, 0)
    path.write_bytes(content)
    (sentence,) = before
    assert sentence.startswith("uses `dlsym`, which looks functions up by a name that nobody can read")
    assert said(path) == before


def test_an_ordinary_library_has_no_objections(tmp_path: Path) -> None:
    assert said(linked(tmp_path, SOURCE)) == []


@pytest.mark.parametrize(
    ("source", "flags", "what"),
    [
        (
            IFUNC,
            (),
            "chooses `chosen` while it is loaded (IFUNC)",
        ),
        (SOURCE, ("-Wl,-rpath,/tmp/mine",), "looks for libraries in `/tmp/mine`"),
        (SOURCE, ("-Wl,-rpath,$ORIGIN",), "looks for libraries in `$ORIGIN`"),
        (SOURCE, ("-Wl,--disable-new-dtags,-rpath,/tmp/mine",), "has the entry 0xf in its dynamic table"),
        (SOURCE, ("-Wl,--auxiliary=other.so",), "has the entry 0x7ffffffd in its dynamic table"),
        (SOURCE, ("-Wl,--audit=other.so",), "has the entry 0x6ffffefc in its dynamic table"),
        (SOURCE, ("-Wl,-z,interpose",), "has the flags 0x400 in its dynamic table"),
        (SOURCE, ("-Wl,-z,initfirst",), "has the flags 0x20 in its dynamic table"),
        (SOURCE + MALLOC, (), "defines `malloc`, which others define"),
    ],
)  # fmt: skip
def test_what_an_ordinary_build_has_not_is_refused(
    tmp_path: Path, source: str, flags: tuple[str, ...], what: str
) -> None:
    assert what in said(linked(tmp_path, source, "-fuse-ld=bfd", *flags))


def test_a_library_of_another_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = linked(tmp_path / "other", "int other() { return 1; }", "-Wl,-soname,libother.so")
    assert "needs the library `libother.so`" in said(
        linked(tmp_path, SOURCE, "-Wl,--no-as-needed", str(other))
    )


@pytest.mark.parametrize("kept", [0, 3, 60, 200, 1000, -1000])
def test_a_file_that_is_cut_off_is_refused(tmp_path: Path, kept: int) -> None:
    path = linked(tmp_path, SOURCE)
    path.write_bytes(path.read_bytes()[: kept if kept >= 0 else 3 * path.stat().st_size // 10])
    (what,) = said(path)
    assert what.startswith(("is not ", "ends before ", "has a ", "is cut off", "lacks "))


def test_every_single_damaged_byte_of_the_headers_is_read_or_refused(tmp_path: Path) -> None:
    """No damage makes the reader fail in another way, or take long."""
    path = linked(tmp_path, SOURCE)
    whole = path.read_bytes()
    dynamic = read_library(path).dynamic
    places = [*range(64 + 56 * 12), *range(dynamic.offset, dynamic.offset + dynamic.file_size)]
    for at in places:
        damaged = bytearray(whole)
        damaged[at] ^= 0xFF
        path.write_bytes(damaged)
        with contextlib.suppress(Malformed):
            read_library(path)


def test_an_object_that_is_none_is_malformed(tmp_path: Path) -> None:
    path = tmp_path / "object.o"
    path.write_bytes(b"\x7fELF\x02\x01" + b"\0" * 100)
    with pytest.raises(Malformed):
        symbols_of(path)
