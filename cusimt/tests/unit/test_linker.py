"""How to link is found out by linking: a linker or a library is used because it worked."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from cusimt.support import linker
from cusimt.support.toolchain import HostCompiler, host_compiler


@pytest.fixture(autouse=True)
def forget(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CUSIMT_CACHE", str(tmp_path / "cache"))
    linker.linker_flags.cache_clear()


def test_what_is_chosen_links_against_the_shared_library(tmp_path: Path) -> None:
    flags = linker.linker_flags()

    assert linker.links(host_compiler(), flags, tmp_path)
    needed = subprocess.run(["readelf", "-d", tmp_path / "probe.so"], capture_output=True, text=True).stdout
    assert "libstdc++.so.6" in needed


def test_a_linker_that_cannot_link_is_left_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "ld.lld").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "ld.lld").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(linker, "LINKERS", ("lld",))

    assert linker.linker_flags() == ()


def test_the_answer_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    first = linker.linker_flags()
    linker.linker_flags.cache_clear()
    monkeypatch.setattr(linker, "links", lambda *_: pytest.fail("asked again"))

    assert linker.linker_flags() == first


@pytest.fixture
def archive_only(tmp_path: Path) -> HostCompiler:
    """A g++ that, like some toolchains outside /usr, says that it has no shared C++ library."""
    real = shutil.which(host_compiler().command[0])
    script = tmp_path / "g++"
    script.write_text(
        f'#!/bin/sh\ncase "$1" in -print-file-name=*) echo "${{1#*=}}";; *) exec {real} "$@";; esac\n'
    )
    script.chmod(0o755)
    return HostCompiler((str(script),), "gcc", "g++ without libstdc++.so")


def test_a_compiler_without_the_shared_library_gets_the_systems(
    archive_only: HostCompiler, tmp_path: Path
) -> None:
    flags = linker.shared_library_flags(archive_only)

    assert [Path(flag).name for flag in flags] == ["libstdc++.so.6"]
    assert linker.links(archive_only, flags, tmp_path)
    assert next(linker.candidates(archive_only, ["gold"])) == ("-fuse-ld=gold", *flags)
