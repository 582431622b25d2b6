"""Which files an object depends on, and how a source is mirrored with what it includes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cusimt.compiler.sources import closure, content_key, translate_tree
from cusimt.tests.waiting import has_ended, wait_for
from grader.compilation import ninja
from grader.compilation.request import require_sources
from grader.support.errors import BuildFailed


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_closure_follows_includes_through_folders(tmp_path: Path) -> None:
    write(
        tmp_path,
        kernel_dot_cu='#include "tile.cuh"\n # include "lib/index.h"\n#include <cuda_runtime.h>\n',
        tile_dot_cuh='#include "tile.cuh"  // itself\n#include <extra.h>\n',
        lib__index_dot_h='#include "../shared.h"\n',
        shared_dot_h="",
        unused_dot_h="",
        include__extra_dot_h="",
    )
    names = [
        f.relative_to(tmp_path).as_posix() for f in closure(tmp_path / "kernel.cu", [tmp_path / "include"])
    ]
    assert names == ["kernel.cu", "tile.cuh", "lib/index.h", "include/extra.h", "shared.h"]


def test_a_computed_include_stands_for_every_header_beside_it(tmp_path: Path) -> None:
    write(tmp_path, kernel_dot_cu="#define H <a.h>\n#include H\n", a_dot_h="", b_dot_cuh="", c_dot_txt="")
    names = [f.name for f in closure(tmp_path / "kernel.cu", [])]
    assert names == ["kernel.cu", "a.h", "b.cuh"]


def test_the_key_changes_with_an_included_header_and_not_with_the_place(tmp_path: Path) -> None:
    for place in ("one", "two"):
        write(tmp_path / place, binding_dot_cpp='#include "check.h"\n', check_dot_h="1")
    one = content_key(tmp_path / "one/binding.cpp", [])
    assert one == content_key(tmp_path / "two/binding.cpp", [])
    (tmp_path / "two/check.h").write_text("2")
    assert one != content_key(tmp_path / "two/binding.cpp", [])


def test_translation_mirrors_the_tree(tmp_path: Path) -> None:
    course = tmp_path / "course"
    write(
        course,
        src__launch_dot_cuh="inline void g() { k<<<3, 4>>>(); }\n",
        include__outer_dot_cuh="",
    )
    (course / "src/kernel.cu").write_text('#include "launch.cuh"\n#include <outer.cuh>\nvoid f() {}\n')
    translated, folders = translate_tree(course / "src/kernel.cu", [course / "include"], tmp_path / "mirror")
    assert translated == tmp_path / "mirror/src/kernel.cu"
    assert "<<<" not in (tmp_path / "mirror/src/launch.cuh").read_text()
    assert f'#line 1 "{course}/src/launch.cuh"' in (tmp_path / "mirror/src/launch.cuh").read_text()
    assert folders == [tmp_path / "mirror/include", course / "include"]


def test_texts_of_every_encoding(tmp_path: Path) -> None:
    latin = "void f() { k<<<1, 2>>>(); }  // gr\xfcn\r\n".encode("latin-1")
    (tmp_path / "latin.cuh").write_bytes(latin)
    (tmp_path / "marked.cu").write_bytes(b'\xef\xbb\xbf#include "latin.cuh"\r\n')
    translated, _ = translate_tree(tmp_path / "marked.cu", [], tmp_path / "mirror")
    assert translated.read_bytes().splitlines()[1:] == [b'#include "latin.cuh"']
    header = (tmp_path / "mirror/latin.cuh").read_bytes()
    assert header.endswith("  // gr\xfcn\n".encode("latin-1")) and b"<<<" not in header


def test_an_include_of_a_whole_path_finds_the_translation(tmp_path: Path) -> None:
    write(tmp_path, other__kernel_dot_cu="void f() { k<<<1, 2>>>(); }\n")
    other = tmp_path / "other/kernel.cu"
    (tmp_path / "all.cu").write_text(f'#include "{other}"\n#include "/nowhere/x.h"\n')
    translated, _ = translate_tree(tmp_path / "all.cu", [], tmp_path / "mirror")
    lines = translated.read_text().splitlines()[1:]
    assert lines == [f'#include "{tmp_path}/mirror/other/kernel.cu"', '#include "/nowhere/x.h"']
    assert "<<<" not in (tmp_path / "mirror/other/kernel.cu").read_text()


def test_kernels_in_the_headers_of_libraries_are_translated_where_that_is_possible(tmp_path: Path) -> None:
    write(
        tmp_path / "library",
        plain_dot_h="inline void f() { k<<<1, 2>>>(); }\n",
        loops_dot_cuh="#include <mipmaps.cuh>\ninline void g() { k<<<3, 4>>>(); }\n",
        mipmaps_dot_cuh="extern cudaMipmappedArray_t t;\n",
    )
    (tmp_path / "kernel.cu").write_text("#include <loops.cuh>\n#include <plain.h>\n")
    library, mirror = tmp_path / "library", tmp_path / "mirror"
    _, folders = translate_tree(tmp_path / "kernel.cu", [], mirror, [library])
    assert "<<<" not in (mirror / "library/loops.cuh").read_text()
    assert (mirror / "library/mipmaps.cuh").read_text() == (library / "mipmaps.cuh").read_text()
    assert not (mirror / "library/plain.h").exists()
    assert folders == [mirror / "library"]


def test_a_source_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(BuildFailed, match=r"missing\.cu does not exist"):
        require_sources([tmp_path / "missing.cu"])


def test_a_source_of_unknown_kind(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").touch()
    with pytest.raises(BuildFailed, match=r"notes\.txt is neither a \.cu nor a \.cpp file"):
        require_sources([tmp_path / "notes.txt"])


def test_ninja_runs_edges_in_order_and_goes_on_after_a_failure(tmp_path: Path) -> None:
    strange = tmp_path / "a $strange: folder"
    strange.mkdir()
    (strange / "in").write_text("text")
    edges = [
        ninja.Edge(tmp_path / "never", (tmp_path / "broken",), ("cp", str(tmp_path / "broken"), "never")),
        ninja.Edge(tmp_path / "broken", (strange / "in",), ("sh", "-c", "echo '$HOME is wrong' >&2; exit 1")),
        ninja.Edge(tmp_path / "copy", (strange / "in",), ("cp", str(strange / "in"), str(tmp_path / "copy"))),
    ]
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    outcome = ninja.run(edges, scratch)
    assert not outcome.ok
    assert "$HOME is wrong" in outcome.log
    assert (tmp_path / "copy").read_text() == "text"
    assert not (tmp_path / "never").exists()


def test_a_compiler_that_never_ends_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ninja, "TIMEOUT_SECONDS", 0.3)
    (tmp_path / "in").touch()
    endless = ninja.Edge(tmp_path / "out", (tmp_path / "in",), ("sleep", "600"))
    outcome = ninja.run([endless], tmp_path)
    assert not outcome.ok
    assert "the compiler was stopped" in outcome.log


@pytest.mark.skipif(not shutil.which("setpriv"), reason="needs setpriv (util-linux)")
def test_ninja_ends_with_the_grader_that_started_it(tmp_path: Path) -> None:
    leader = tmp_path / "leader"  # of the session, which is ninja
    command = ("sh", "-c", "cut -d ' ' -f 6 /proc/self/stat > part && mv part leader && exec sleep 600")
    edge = f"ninja.Edge(Path({str(tmp_path / 'out')!r}), (), {command!r})"
    program = f"from pathlib import Path; from grader.compilation import ninja; ninja.run([{edge}], Path())"
    with subprocess.Popen([sys.executable, "-c", program], cwd=tmp_path) as running:
        wait_for(leader)
        running.kill()
    assert has_ended(int(leader.read_text()))
