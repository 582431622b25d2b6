"""The simulator's own libraries in the cache: there, gone, and made again."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from cusimt.compiler import libraries, library_build
from cusimt.compiler.library_build import Library
from cusimt.support import cache
from cusimt.support.errors import InfrastructureError
from cusimt.support.toolchain import host_compiler


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    monkeypatch.setenv("CUSIMT_CACHE", str(tmp_path / "cache"))
    source = tmp_path / "one.cpp"
    source.write_text('extern "C" int one() { return 1; }\n')
    return Library("libone.so", [source], ["-fPIC"], [])


def test_a_library_is_where_it_was_said_to_be(library: Library) -> None:
    said: list[str] = []
    assert not library.is_built()
    assert library.build(said.append) == library.path
    assert library.is_built()
    assert said == ["building libone.so of the simulated GPU, once: a minute or more"]


def test_one_that_is_in_use_is_not_evicted_and_one_that_is_gone_is_built(library: Library) -> None:
    manifest = library.build(None).with_name(cache.MANIFEST)
    os.utime(manifest, (0, 0))
    library.build(None)
    assert cache.trim(limit=0) == [], "its last use was a moment ago"
    shutil.rmtree(library.path.parent)
    assert library.build(None).is_file()


def test_a_library_waits_for_what_it_is_linked_with_only_once_it_is_compiled(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = []
    run = library_build.run

    def noted(command: Sequence[str]) -> None:
        order.append("link" if "-shared" in command else "compile")
        run(command)

    monkeypatch.setattr(library_build, "run", noted)
    replace(library, linked=lambda: order.append("other library")).build(None)
    assert order == ["compile", "other library", "link"]


def test_the_device_and_the_runtime_are_built_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    both = threading.Barrier(2)

    def runtime(progress: object) -> Path:
        both.wait(30)
        return Path("runtime")

    class Device:
        def build(self, progress: object) -> Path:
            both.wait(30)
            return Path("device")

    monkeypatch.setattr(libraries, "runtime_library", runtime)
    monkeypatch.setattr(libraries, "_device", Device)
    assert libraries.device_library() == Path("device")


@pytest.mark.parametrize(
    "made", [libraries.runtime_library, libraries.device_library, libraries.module_object]
)
def test_no_path_is_remembered(made: object) -> None:
    """A lane that runs for hours asks again, which is what keeps the entry, or makes it anew."""
    assert not hasattr(made, "cache_info")


def test_the_first_error_is_told_in_english(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    wrong = tmp_path / "wrong.cpp"
    wrong.write_text("int f() { return g(); }\n")
    with (
        pytest.raises(InfrastructureError, match=r"could not build the simulated GPU: .*error: .*g"),
        library_build.objects_of(host_compiler(), [wrong], []),
    ):
        pass


def test_a_compiler_is_the_same_by_each_of_its_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "real/compiler-12"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\necho "${0##*/} (Distribution) 12.2"\n')
    program.chmod(0o755)
    for name in ("c++", "g++"):
        (tmp_path / name).symlink_to(program)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    identities = set()
    for name in ("c++", "g++", f"{tmp_path}/g++", str(program)):
        monkeypatch.setenv("CXX", name)
        host_compiler.cache_clear()
        identities.add(host_compiler().identity)
    host_compiler.cache_clear()
    assert identities == {(str(program), "(Distribution) 12.2")}
