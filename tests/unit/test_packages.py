"""Building packages: what a rebuild compiles, what a wheel cannot bring along, what is said when it fails."""

from __future__ import annotations

import dataclasses
import shutil
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from grader.packages import PackageRequest, build_package, building, requirements, wheel
from grader.packages.build_folder import build_folder
from grader.packages.building import facts_of
from grader.support.errors import BuildFailed, ToolchainError

pytestmark = pytest.mark.slow("builds wheels")

PROJECT = """
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
[project]
name = "tiny"
version = "1.0"
[tool.setuptools]
packages = ["tiny"]
"""
SETUP = """
from setuptools import Extension, setup
setup(ext_modules=[Extension("tiny._C", ["csrc/tiny.c"], depends=["csrc/tiny.h"])])
"""
SOURCE = """
#include "tiny.h"
#include <Python.h>
PyMODINIT_FUNC PyInit__C(void) {
    static PyModuleDef module = {PyModuleDef_HEAD_INIT, "_C", NULL, -1, NULL};
    return PyModule_Create(&module);
}
"""
NAMES = ("pyproject.toml", "setup.py", "tiny/__init__.py", "csrc/tiny.h", "csrc/tiny.c")


@pytest.fixture
def request_(tmp_path: Path) -> PackageRequest:
    """A package of one C file, which compiles in no time, and of an owner of its own."""
    files = tmp_path / "tiny"
    for name, text in zip(
        NAMES, (PROJECT, SETUP, "from . import _C\n", "#pragma once\n", SOURCE), strict=True
    ):
        (files / name).parent.mkdir(parents=True, exist_ok=True)
        (files / name).write_text(text)
    return PackageRequest("tiny", files, NAMES, "simt", owner=str(tmp_path))


def edit(request: PackageRequest, name: str, old: str, new: str) -> None:
    path = request.files / name
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


def test_a_wheel_is_built_installed_and_found_again(request_: PackageRequest) -> None:
    built = build_package(request_)
    assert built.path.name.startswith("tiny-1.0-cp")
    found = wheel.read(built.path)
    assert (found.name, found.version) == ("tiny", "1.0")
    assert sorted(found.files) == ["tiny/" + Path(found.libraries[0]).name, "tiny/__init__.py"]
    assert all((built.installed / name).is_file() for name in found.members)
    assert not built.cached
    again = build_package(request_)
    assert again.cached
    assert again.path == built.path
    assert facts_of(built).edited == "csrc/tiny.h"
    assert facts_of(built).rebuilt


def test_nothing_of_an_earlier_build_is_left_in_a_later_wheel(request_: PackageRequest) -> None:
    names = (*NAMES, "tiny/gone.py")
    (request_.files / "tiny/gone.py").write_text("")
    before = build_package(dataclasses.replace(request_, names=names))
    assert "tiny/gone.py" in wheel.read(before.path).files
    after = build_package(request_)
    assert "tiny/gone.py" not in wheel.read(after.path).files


def test_a_header_that_nobody_watches_is_told(request_: PackageRequest) -> None:
    edit(request_, "setup.py", ', depends=["csrc/tiny.h"]', "")
    facts = facts_of(build_package(request_))
    assert (facts.edited, facts.rebuilt) == ("csrc/tiny.h", False)


def test_a_probe_that_is_killed_says_nothing_about_rebuilding(request_: PackageRequest) -> None:
    killed = 'import os\nif not open("csrc/tiny.h").read().startswith("#pragma"):\n    os._exit(9)\n'
    edit(request_, "setup.py", "setup(ext", f"{killed}setup(ext")
    facts = facts_of(build_package(request_))
    assert (facts.edited, facts.rebuilt) == ("csrc/tiny.h", None)


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("setup.py", "setup(ext", "1 / 0\nsetup(ext", "setup.py:3: ZeroDivisionError: division by zero"),
        ("setup.py", "from setuptools", "from tortoise", "No module named 'tortoise'"),
        ("setup.py", "setup(ext", "setup(ext(", "setup.py:3: SyntaxError"),
        ("csrc/tiny.c", "static", "oops", "tiny does not compile."),
        ("pyproject.toml", "[project]", "[project", "pyproject.toml cannot be read"),
        ("pyproject.toml", ".build_meta", ".other", "names the build back end 'setuptools.other'"),
        ("pyproject.toml", "[tool.setuptools]", "[tool.other]", "Multiple top-level packages discovered"),
    ],
)
def test_what_stops_a_build_is_said(
    request_: PackageRequest, name: str, old: str, new: str, said: str
) -> None:
    edit(request_, name, old, new)
    with pytest.raises(BuildFailed) as caught:
        build_package(request_)
    assert said in caught.value.what
    assert str(request_.files) not in str(caught.value)
    assert "Traceback" not in caught.value.diagnostics
    if name == "csrc/tiny.c":
        assert caught.value.diagnostics.startswith("csrc/tiny.c:5:")


def test_setup_py_writes_reads_and_leaves_running_nothing_elsewhere(
    request_: PackageRequest, tmp_path: Path
) -> None:
    from grader.run import landlock

    if landlock.version() == 0:
        pytest.skip("needs Landlock, Linux 5.13 or newer")
    secret = tmp_path / "secret"
    secret.write_text("of somebody else")
    for number, attempt in enumerate(
        (f"open({str(secret)!r}).read()", f"open({str(tmp_path / 'planted')!r}, 'w')")
    ):
        text = SETUP.replace("setup(ext", f"# {number}\n{attempt}\nsetup(ext")
        (request_.files / "setup.py").write_text(text)
        with pytest.raises(BuildFailed) as caught:
            build_package(request_)
        assert "PermissionError" in caught.value.what
    late = SETUP.replace(
        "setup(ext", "import subprocess\nsubprocess.Popen('sleep 3; touch late', shell=True)\nsetup(ext"
    )
    (request_.files / "setup.py").write_text(late)
    log = build_package(request_).log.read_text()
    assert "error:" not in log  # a flag may be called -Werror


def test_two_builds_of_the_same_sources_share_a_folder_and_others_do_not(request_: PackageRequest) -> None:
    with build_folder(request_.files, NAMES, ["one", request_.owner]) as first:
        (first.tree / "build" / "temp.x").mkdir(parents=True)
        (first.tree / "build" / "temp.x" / "kept.o").write_text("")
        (first.tree / "build" / "lib").mkdir()
        (first.tree / "left").symlink_to(request_.files)
    shutil.copy(request_.files / "setup.py", request_.files / "tiny" / "more.py")
    with build_folder(request_.files, (*NAMES, "tiny/more.py"), ["one", request_.owner]) as second:
        assert second == first
        assert (second.tree / "build/temp.x/kept.o").is_file()
        assert not (second.tree / "build/lib").exists()
        assert not (second.tree / "left").exists()
        assert (request_.files / "setup.py").is_file()
    with build_folder(request_.files, NAMES, ["two", request_.owner]) as other:
        assert other != first


@pytest.mark.parametrize(
    ("texts", "version", "allowed"),
    [
        (["torch"], "2.13.0", True),
        (["torch==2.13"], "2.13.0", True),
        (["Torch~=2.13.0"], "2.13.9", True),
        (["torch~=2.13.0"], "2.14.0", False),
        (["torch (>=2.13)"], "2.12.0", False),
        (["torch>=2.13", "numpy", "torch<2.14"], "2.14.0", False),
        (["torch[extra]!=2.13.0; python_version>'3'"], "2.13.0", False),
        (["torch<2; python_version<'3'", "torch>=2"], "2.13.0", True),
        (["torch<2; extra == 'old'", "torch>=2"], "2.13.0", True),
    ],
)
def test_requirements_leave_versions(texts: list[str], version: str, allowed: bool) -> None:
    needed = requirements.required("torch", texts)
    assert needed is not None
    assert needed.contains(version) is allowed


@pytest.mark.parametrize("text", ["torchvision", "!", "torch; python_version < '3'", "torch; extra == 'gpu'"])
def test_what_requires_no_torch_here(text: str) -> None:
    assert requirements.required("torch", [text]) is None


def test_what_a_build_left_in_its_folder_is_put_right_and_no_link_is_followed(
    request_: PackageRequest, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "tiny.c").write_text("of the user")
    native = next(name for name in NAMES if name.endswith(".c"))
    text = (request_.files / native).read_text()
    with build_folder(request_.files, NAMES, ["three"]) as place:
        before = (place.tree / native).stat().st_mtime_ns
    with build_folder(request_.files, NAMES, ["three"]) as place:
        assert (place.tree / native).stat().st_mtime_ns == before
        (place.tree / native).write_text("changed by the build")
    with build_folder(request_.files, NAMES, ["three"]) as place:
        assert (place.tree / native).read_text() == text
        folder = (place.tree / native).parent
        shutil.rmtree(folder)
        folder.symlink_to(outside)
        shutil.rmtree(place.out)
        place.out.symlink_to(outside)
    with build_folder(request_.files, NAMES, ["three"]) as place:
        assert (place.tree / native).read_text() == text
        assert not list(place.out.iterdir())
    assert [(path.name, path.read_text()) for path in outside.iterdir()] == [("tiny.c", "of the user")]


def test_a_missing_setuptools_is_this_machines_fault(
    request_: PackageRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr("grader.packages.building.version", missing)
    with pytest.raises(ToolchainError, match="setuptools is not installed"):
        build_package(request_)


@pytest.mark.parametrize(
    ("error", "told"),
    [
        ("a.h:5:10: fatal error: cuda_runtime_api.h: No such file or directory", True),
        ("a.h:5:10: fatal error: cuda/std/atomic: No such file or directory", True),
        ("a.h:5:10: fatal error: my_cuda.h: No such file or directory", False),
        ("a.h:5:10: error: cuda_runtime_api.h has no such thing", False),
    ],
)
def test_a_header_of_cuda_that_is_missing_speaks_of_the_extension(error: str, told: bool) -> None:
    assert ("is it a CUDAExtension?" in building._without_cuda(error)) is told


@pytest.mark.parametrize(
    ("log", "said"),
    [
        (
            "ninja: error: 'csrc/kernels.cu', needed by 'kernels.o', missing and no known rule to make it",
            "There is no csrc/kernels.cu:",
        ),
        ("ninja: error: loading 'build.ninja': No such file or directory", ""),
    ],
)
def test_a_source_that_does_not_exist_is_named(log: str, said: str) -> None:
    assert building._missing(log).startswith(said)
    assert bool(building._missing(log)) is bool(said)
