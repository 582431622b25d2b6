"""The questions about a wheel, on handmade ones: what each accepts, what it refuses, and what it says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import pytest
import torch
from packaging.version import Version

from grader.checks import package_sources, packaging
from grader.checks.package_view import Package, Unknown
from grader.checks.packaging import QUESTIONS
from grader.packages import wheel
from grader.packages.building import Facts
from grader.specification import Packaging
from grader.specification.packaging import checked
from grader.support.errors import BuildFailed

RELEASE = torch.__version__.partition("+")[0]
MAJOR, MINOR = Version(RELEASE).release[:2]
LIBRARY = "pack/_C.cpython-311-x86_64-linux-gnu.so"
FILES = {"pack/__init__.py": "", LIBRARY: ""}
PROJECT = '[build-system]\nrequires = ["setuptools>=77", "torch"]\n'
WANTED = Packaging("0.1.0", "pack._C", ("pack/__init__.py",), ("8.0", "9.0+PTX"))


def package(
    folder: Path, files: dict[str, str] = FILES, metadata: str = f"Requires-Dist: torch=={RELEASE}",
    project: str = PROJECT, setup: str = "",
) -> Package:  # fmt: skip
    path = folder / "pack-0.1.0-cp311-cp311-linux_x86_64.whl"
    with ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
        archive.writestr("pack-0.1.0.dist-info/METADATA", f"Name: pack\nVersion: 0.1.0\n{metadata}\n")
    (folder / "pyproject.toml").write_text(project)
    (folder / "setup.py").write_text(setup)
    found = wheel.read(path)
    wheel.install(found, folder / "installed")
    facts = Facts("csrc/pack.h", rebuilt=True)
    return Package("pack", WANTED, found, folder / "installed", facts, folder, "simt")


@pytest.fixture(autouse=True)
def listed_code(monkeypatch: pytest.MonkeyPatch) -> None:
    every = frozenset({"sm_80", "sm_90", "compute_90"})
    monkeypatch.setattr(packaging, "gpu_code", lambda library, backend: every)


def test_a_wheel_as_wanted_has_no_problem(tmp_path: Path) -> None:
    asked = package(tmp_path)
    assert [question(asked) for question in QUESTIONS.values()] == [""] * len(QUESTIONS)


@pytest.mark.parametrize(
    ("topic", "changes", "said"),
    [
        ("wheel_complete", {"files": {LIBRARY: ""}}, "The wheel lacks pack/__init__.py."),
        ("wheel_library", {"files": {"pack/__init__.py": ""}}, "there is no library in it"),
        ("wheel_library", {"files": {"pack/C.so": ""}}, "its libraries are pack/C.so"),
        ("wheel_surplus", {"files": {**FILES, "csrc/x.cu": ""}}, "also installs csrc/x.cu."),
        ("build_requirements", {"project": '[build-system]\nrequires = ["torch"]'}, "name setuptools,"),
        ("build_requirements", {"project": "[project]"}, "name setuptools and torch,"),
        ("build_requirements", {"project": "[build-system]\nrequires = [1]"}, "name setuptools and torch,"),
        ("run_requirements", {"metadata": ""}, "does not require torch"),
        ("run_requirements", {"metadata": "Requires-Dist: torch"}, f"beside torch {MAJOR}.{MINOR + 1} too"),
        (
            "run_requirements",
            {"metadata": f"Requires-Dist: torch<={RELEASE}"},
            f"beside torch {MAJOR}.{MINOR - 1} too",
        ),
        ("run_requirements", {"metadata": "Requires-Dist: torch==1.0"}, "pip would refuse or replace"),
        (
            "run_requirements",
            {"metadata": f"Requires-Dist: torch=={RELEASE}+cpu"},
            f"The wheel requires torch=={RELEASE}+cpu, a local version:",
        ),
        (
            "build_requirements",
            {"project": '[build-system]\nrequires = ["setuptools", "torch==2.13.0+cpu"]'},
            "names torch==2.13.0+cpu, a local version:",
        ),
        ("overrides", {"setup": "import os\nos.environ['LIST'] = '8.0'"}, "setup.py:2 overrides 'LIST',"),
        ("processors", {"setup": "x = ['-O3', '-march=native']"}, "setup.py:1 says '-march=native'"),
        ("processors", {"setup": "\nx = '-O3 -mavx2'"}, "setup.py:2 says '-mavx2'"),
        ("processors", {"setup": "x = ['-Xcompiler=-march=x86-64-v3']"}, "says '-march=x86-64-v3'"),
        ("processors", {"setup": "x = ['-Xcompiler', '-O3,-mcpu=native']"}, "says '-mcpu=native'"),
        ("absolute_path", {"setup": "\nx = ['/usr/local/cuda/include']"}, "setup.py:2 names the path"),
        ("absolute_path", {"setup": "x = '-L/opt/lib'"}, "setup.py:1 names the path"),
        ("absolute_path", {"setup": "x = '-Wl,-rpath,/opt/lib'"}, "setup.py:1 names the path"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(tmp_path: Path, topic: str, changes: dict[str, str], said: str) -> None:
    assert said in QUESTIONS[topic](package(tmp_path, **changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text", ["-O3", "csrc/pack.cu", "a/b", "/dev/null", "-DX=1", "--use_fast_math", "/O2", "/std:c++17"]
)
def test_what_is_no_path_of_this_machine(tmp_path: Path, text: str) -> None:
    assert QUESTIONS["absolute_path"](package(tmp_path, setup=f"x = {text!r}")) == ""


@pytest.mark.parametrize("text", ["-march=x86-64", "-mtune=native", "-m64", "-msse2", "-mcmodel=medium"])
def test_what_runs_on_every_processor_of_the_tag(tmp_path: Path, text: str) -> None:
    assert QUESTIONS["processors"](package(tmp_path, setup=f"x = {text!r}")) == ""


@pytest.mark.parametrize(
    "text",
    [
        "os.environ.setdefault('LIST', '8.0')",
        "os.environ['LIST'] = os.environ.get('LIST', '8.0')",
        "if 'LIST' not in os.environ:\n    os.environ['LIST'] = '8.0'",
    ],
)
def test_what_leaves_the_environment_to_who_builds(tmp_path: Path, text: str) -> None:
    assert QUESTIONS["overrides"](package(tmp_path, setup=text)) == ""


@pytest.mark.parametrize(
    ("setup", "said"),
    [
        ("", "setup.py does not set TORCH_CUDA_ARCH_LIST"),
        ("x = 'TORCH_CUDA_ARCH_LIST', '9.0+PTX'", "8.0 is not in TORCH_CUDA_ARCH_LIST."),
        ("x = 'TORCH_CUDA_ARCH_LIST', '8.0;9.0'", "TORCH_CUDA_ARCH_LIST has 9.0 without +PTX."),
        (
            "x = 'TORCH_CUDA_ARCH_LIST', '8.0 9.0+PTX'",
            "TORCH_CUDA_ARCH_LIST has to be set before setup() runs",
        ),
        ("x = 'TORCH_CUDA_ARCH_LIST'\ny = ['-arch=sm_90']", "setup.py:2 says '-arch=sm_90': an architecture"),
        ("x = 'TORCH_CUDA_ARCH_LIST'\ny = '-gencode'", "setup.py:2 says '-gencode': an architecture"),
    ],
)
def test_why_code_is_missing(setup: str, said: str) -> None:
    assert said in package_sources.why_no_code(setup, WANTED.architectures)


def test_identity_and_rebuild(tmp_path: Path) -> None:
    asked = package(tmp_path)
    other = replace(asked, wanted=replace(WANTED, version="0.2.0"))
    assert "calls itself pack 0.1.0; it should be pack 0.2.0" in QUESTIONS["wheel_identity"](other)
    stale = replace(asked, facts=Facts("csrc/pack.h", rebuilt=False))
    assert "After an edit of csrc/pack.h" in QUESTIONS["rebuild"](stale)
    assert QUESTIONS["rebuild"](replace(asked, facts=Facts("", rebuilt=False))) == ""
    with pytest.raises(Unknown, match=r"after an edit of csrc/pack\.h compiles was not judged"):
        QUESTIONS["rebuild"](replace(asked, facts=Facts("csrc/pack.h", rebuilt=None)))


def test_missing_code_is_told_by_what_its_gpu_would_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = package(tmp_path)
    monkeypatch.setattr(packaging, "gpu_code", lambda library, backend: frozenset({"sm_90"}))
    said = QUESTIONS["architectures"](asked)
    assert "no code for sm_80 and compute_90" in said
    assert "A GPU of capability 8.0 would say" in said
    monkeypatch.setattr(packaging, "gpu_code", lambda library, backend: frozenset({"sm_80", "sm_90"}))
    assert "PTX" in QUESTIONS["architectures"](asked)
    monkeypatch.setattr(packaging, "gpu_code", lambda library, backend: None)
    with pytest.raises(Unknown, match="no cuobjdump"):
        QUESTIONS["architectures"](asked)


def test_a_wheel_that_would_write_elsewhere_is_not_installed(tmp_path: Path) -> None:
    found = package(tmp_path).wheel
    for name in ("../out.py", "/out.py", "pack/../../out.py"):
        with ZipFile(found.path, "a") as archive:
            archive.writestr(name, "")
        with pytest.raises(BuildFailed, match="is outside it"):
            wheel.install(found, tmp_path / "again")
        assert not (tmp_path / "again").exists()
        found.path.unlink()
        with ZipFile(found.path, "w") as archive:
            archive.writestr("pack/__init__.py", "")
    found.path.write_text("no archive")
    with pytest.raises(BuildFailed, match="cannot be installed"):
        wheel.read(found.path)


def test_architectures_in_nvccs_words() -> None:
    assert WANTED.gpu_code == ("sm_80", "sm_90", "compute_90")
    with pytest.raises(ValueError, match="the architecture 'Hopper'"):
        checked(replace(WANTED, architectures=["Hopper"]))
    with pytest.raises(TypeError, match="PACKAGING"):
        checked("0.1.0")
    assert checked(None) is None
