"""The faster linker is one that was seen to link C++, not one that merely has the right name."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from grader.build import linker
from grader.toolchain import host_compiler


@pytest.fixture(autouse=True)
def forget(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CU2GRAD_CACHE", str(tmp_path / "cache"))
    linker.linker_flags.cache_clear()


@pytest.mark.skipif(shutil.which("ld.gold") is None, reason="needs ld.gold (Debian package binutils)")
def test_a_linker_that_links_is_chosen() -> None:
    assert linker.links(host_compiler(), "gold", Path(linker.cache.cache_root().parent))
    assert linker.linker_flags()[0] in ("-fuse-ld=gold", "-fuse-ld=lld")


def test_a_linker_that_cannot_link_is_not(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "ld.lld").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "ld.lld").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(linker, "CANDIDATES", ("lld",))

    assert linker.linker_flags() == ()


def test_the_answer_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    first = linker.linker_flags()
    linker.linker_flags.cache_clear()
    monkeypatch.setattr(linker, "links", lambda *_: pytest.fail("asked again"))

    assert linker.linker_flags() == first
