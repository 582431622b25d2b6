"""The reference solutions through build(), with torch's real headers: the precompiled header and what it
must not hide.

These build into the user's cache, like `grader check`: the header takes ten seconds, once.
"""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import pytest

from grader.build import Artifact, BuildRequest, build, headers, steps
from grader.simt import native
from grader.toolchain import host_compiler

SOLUTIONS = Path(__file__).resolve().parents[2] / "solutions"
BINDINGS = sorted(path for path in SOLUTIONS.glob("*/binding.cpp") if "torch/library.h" in path.read_text())


@pytest.fixture(scope="module")
def muladd() -> Artifact:
    folder = SOLUTIONS / "03_fused_muladd"
    sources = (folder / "kernel.cu", folder / "binding.cpp")
    return build(BuildRequest("fused_muladd", "torch_library", sources, "simt"))


def test_a_build_without_changes_compiles_nothing(muladd: Artifact) -> None:
    folder = SOLUTIONS / "03_fused_muladd"
    sources = (folder / "kernel.cu", folder / "binding.cpp")
    again = build(BuildRequest("fused_muladd", "torch_library", sources, "simt"))
    assert again.cached
    assert again.path == muladd.path


@pytest.mark.skipif(host_compiler().family != "gcc", reason="only g++ precompiles (Debian package g++)")
def test_the_real_header_set_is_precompiled_and_used(tmp_path: Path) -> None:
    flags = (*steps.HOST_FLAGS, *steps._isystem(steps._interface_dirs(request("any"))))
    forced = headers.forced_includes("torch_library", flags, tmp_path, precompile=True)
    backend = steps._isystem(native.include_dirs())
    prelude = steps._prelude(request("fused_muladd"), tmp_path)
    command = [*host_compiler().command, *backend, *flags, *forced, "-include", prelude, "-H"]
    source = SOLUTIONS / "03_fused_muladd/binding.cpp"
    done = subprocess.run(
        [*command, "-c", source, "-o", os.devnull], capture_output=True, text=True, check=True
    )
    assert f"! {forced[-1]}.gch" in done.stderr, "g++ -H marks a precompiled header that it uses"
    assert "warning" not in done.stderr, "-Winvalid-pch has nothing to say"


def request(name: str) -> BuildRequest:
    return BuildRequest(name, "torch_library", (), "simt")


@pytest.mark.slow
@pytest.mark.parametrize("binding", BINDINGS, ids=lambda path: path.parent.name)
def test_bindings_include_what_they_use(binding: Path) -> None:
    """The forced headers must not hide a missing include: torch's own build tools do not force any."""
    folders = steps._isystem((*native.include_dirs(), *steps._interface_dirs(request("any"))))
    command = [
        *host_compiler().command,
        "-std=c++20",
        "-fsyntax-only",
        *folders,
        "-DTORCH_EXTENSION_NAME=any",
    ]
    done = subprocess.run([*command, binding], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{shlex.join(map(str, command))}\n{done.stderr}"
