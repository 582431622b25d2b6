"""The reference solutions through build(), with torch's real headers: the precompiled header and what it
must not hide.

These build into the user's cache, like `grader check`: the header takes ten seconds, once.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from cusimt.compiler import libraries
from cusimt.support.toolchain import host_compiler
from grader.compilation import Artifact, BuildRequest, build, diagnostics, headers, steps
from grader.compilation.artifact import Interface

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
    flags = (*steps.HOST_FLAGS, *steps._isystem(steps.interface_dirs(request("any"))))
    forced = headers.forced_includes("torch_library", flags, tmp_path, precompile=True)
    backend = steps._isystem(libraries.include_dirs())
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


@pytest.mark.parametrize("interface", ["torch_library", "torch_extension"])
def test_torchs_headers_bring_pythons_where_a_module_is_built(interface: Interface, tmp_path: Path) -> None:
    """torch/torch.h includes torch/extension.h if the name is defined; a plain library has no Python.h."""
    text = steps._prelude(BuildRequest("any", interface, (), "simt"), tmp_path).read_text()
    assert ("TORCH_API_INCLUDE_EXTENSION_H" in text) == (interface == "torch_extension")


def includes(source: Path) -> set[str]:
    return set(re.findall(r"^#include (<.+>)", source.read_text(), re.MULTILINE))


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> list[str | Path]:
    """The command that reads a binding with no header but its own.

    What all bindings include is read once: to have it precompiled hides nothing.
    """
    folders = steps._isystem((*libraries.include_dirs(), *steps.interface_dirs(request("any"))))
    command = [*host_compiler().command, "-std=c++20", *folders, "-DTORCH_EXTENSION_NAME=any"]
    shared = tmp_path_factory.mktemp("shared") / "shared.h"
    shared.write_text("".join(f"#include {name}\n" for name in set.intersection(*map(includes, BINDINGS))))
    subprocess.run([*command, "-x", "c++-header", shared, "-o", f"{shared}.gch"], check=True)
    return [*command, "-fsyntax-only", "-include", shared]


@pytest.mark.slow
@pytest.mark.release("about what torch's headers include")
@pytest.mark.parametrize("binding", BINDINGS, ids=lambda path: path.parent.name)
def test_bindings_include_what_they_use(binding: Path, reading: list[str | Path]) -> None:
    """The forced headers must not hide a missing include: torch's own build tools do not force any."""
    done = subprocess.run([*reading, binding], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{shlex.join(map(str, reading))}\n{done.stderr}"


ELEMENTWISE = SOLUTIONS / "02_elementwise_mult" / "kernel.cu"


def diagnosed(source: Path, folder: Path, *more: str) -> str:
    """What g++ prints for a kernel's file compiled as `build` does, without its code generation."""
    folder.mkdir()
    asked = BuildRequest("elementwise_mult", "torch_extension", (source,), "simt")
    command = [*steps.step(asked, source).prepare(folder), "-fsyntax-only", *more]
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr


@pytest.mark.slow
@pytest.mark.skipif(host_compiler().family != "gcc", reason="only g++ precompiles (Debian package g++)")
def test_a_kernels_file_finds_torch_extension_read(tmp_path: Path) -> None:
    said = diagnosed(ELEMENTWISE, tmp_path / "object", "-H")
    used = [line for line in said.splitlines() if line.startswith("! ")]
    assert len(used) == 1
    text = Path(used[0].removeprefix("! ").removesuffix(".gch")).read_text()
    assert text == "#include <simt/prelude.h>\n#include <torch/extension.h>\n"
    assert "torch/all.h" not in said, "the file's own include reads it again"
    assert "warning" not in said, "-Winvalid-pch has nothing to say"


@pytest.mark.slow
@pytest.mark.release("about a compiler")
@pytest.mark.skipif(host_compiler().family != "gcc", reason="only g++ precompiles (Debian package g++)")
def test_what_the_compiler_says_does_not_depend_on_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mistake in the learner's lines has the same message at the same line and column either way."""
    source = tmp_path / "kernel.cu"
    wrong = ELEMENTWISE.read_text().replace("a[i] * b[i]", "a[i] * c[i]").replace("a.numel()", "a.numels()")
    source.write_text(wrong)
    with_it = diagnostics.trim(diagnosed(source, tmp_path / "with"), [source])
    monkeypatch.setenv("CU2GRAD_PCH", "0")
    assert with_it == diagnostics.trim(diagnosed(source, tmp_path / "without"), [source])
    assert f"{source}:" in with_it
    assert "‘c’ was not declared" in with_it
    assert "has no member named ‘numels’" in with_it
