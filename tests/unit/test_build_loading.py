"""load(): what is asked of build(), what comes back, and how a worker replaces it."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest

import grader
from cusimt.compiler import nvcc
from grader import compilation as build_room
from grader.compilation import Artifact, BuildRequest, loading
from grader.support.errors import ExplainedError, InfrastructureError, UsageError


class Recorder:
    """Stands in for build(): keeps the request, and answers with a library that was built before."""

    def __init__(self, library: Path) -> None:
        self.library = library
        self.requests: list[BuildRequest] = []

    def __call__(self, request: BuildRequest, *, verbose: bool = False) -> Artifact:
        self.requests.append(request)
        return artifact(self.library, request)


def artifact(library: Path, request: BuildRequest) -> Artifact:
    facts = {"seconds": 0.0, "cached": False, "log": library.with_suffix(".log")}
    return Artifact(request.name, request.interface, library, request.backend, request.checked, **facts)


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A Python extension module named `answer` with one constant, ANSWER = 42."""
    source = tmp_path / "answer.c"
    source.write_text(
        "#define PY_SSIZE_T_CLEAN\n#include <Python.h>\n"
        'static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "answer", NULL, -1, NULL};\n'
        "PyMODINIT_FUNC PyInit_answer(void) {\n"
        "    PyObject* module = PyModule_Create(&definition);\n"
        '    PyModule_AddIntConstant(module, "ANSWER", 42);\n    return module;\n}\n'
    )
    path = tmp_path / "answer.so"
    include = sysconfig.get_path("include")
    subprocess.run(["gcc", "-shared", "-fPIC", f"-I{include}", source, "-o", path], check=True)
    return path


@pytest.fixture
def builds(library: Path, monkeypatch: pytest.MonkeyPatch) -> Recorder:
    recorder = Recorder(library)
    monkeypatch.setattr("grader.compilation.builder.build", recorder)
    monkeypatch.setattr("grader.compilation.devices.detect_backend", lambda: "cuda")
    monkeypatch.setattr(loading, "_preloaded", {})
    return recorder


def test_a_module_comes_back(builds: Recorder) -> None:
    module: Any = grader.load("answer", ["binding.cpp"])
    assert module.ANSWER == 42


def test_the_arguments_of_torch_become_a_request(builds: Recorder, tmp_path: Path) -> None:
    grader.load(
        "answer",
        ["kernel.cu", str(tmp_path / "binding.cpp")],
        extra_cflags=["-O2"],
        extra_cuda_cflags=["-lineinfo"],
        extra_ldflags=["-lm"],
        extra_include_paths=["include"],
        with_cuda=True,
    )
    here = Path(__file__).parent
    (request,) = builds.requests
    assert request == BuildRequest(
        name="answer",
        interface="torch_extension",
        sources=(here / "kernel.cu", tmp_path / "binding.cpp"),
        backend="cuda",
        checked=False,
        cuda_flags=("-lineinfo",),
        cxx_flags=("-O2",),
        ld_flags=("-lm",),
        include_dirs=(here / "include",),
    )


def test_one_source_needs_no_list(builds: Recorder) -> None:
    grader.load("answer", "kernel.cu")
    assert builds.requests[0].sources == (Path(__file__).parent / "kernel.cu",)


def test_a_build_directory_receives_the_library(builds: Recorder, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    module: Any = grader.load("answer", ["binding.cpp"], build_directory=tmp_path / "out")
    assert module.__file__ == str(tmp_path / "out/answer.so")


@pytest.mark.parametrize("argument", ["with_sycl", "is_standalone"])
def test_what_is_left_to_torch(builds: Recorder, argument: str) -> None:
    with pytest.raises(UsageError, match=r"Use torch\.utils\.cpp_extension\.load"):
        grader.load("answer", ["main.cpp"], **{argument: True})  # type: ignore[arg-type]
    assert builds.requests == []


@pytest.mark.parametrize(("checks", "expected"), [("1", True), ("0", False), (None, False)])
def test_checks_on_simt_follow_the_environment(
    builds: Recorder, monkeypatch: pytest.MonkeyPatch, checks: str | None, expected: bool
) -> None:
    monkeypatch.setattr("grader.compilation.devices.detect_backend", lambda: "simt")
    monkeypatch.setattr(loading, "_activate", lambda: None)
    monkeypatch.delenv(nvcc.CHECKS_VARIABLE, raising=False)
    if checks is not None:
        monkeypatch.setenv(nvcc.CHECKS_VARIABLE, checks)
    grader.load("answer", ["kernel.cu"])
    assert builds.requests[0].backend == "simt"
    assert builds.requests[0].checked is expected


def test_a_worker_loads_what_was_preloaded_and_builds_nothing(builds: Recorder, library: Path) -> None:
    request = BuildRequest("answer", "pybind", (), "simt")
    build_room.preload({"answer": artifact(library, request)})
    module: Any = grader.load("answer", ["whatever.cu"])
    assert module.ANSWER == 42
    assert builds.requests == []
    with pytest.raises(ImportError):
        grader.load("another", ["kernel.cu"])  # not preloaded: built, though this library has no such module
    assert [request.name for request in builds.requests] == ["another"]


def test_torch_without_the_device_gets_the_command_to_run(
    builds: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> None:
        raise InfrastructureError("torch is already imported")

    monkeypatch.setattr("grader.compilation.devices.detect_backend", lambda: "simt")
    monkeypatch.setattr("cusimt.activate.activate", refuse)
    monkeypatch.setattr(sys, "argv", ["/somewhere/train.py", "--fast"])
    with pytest.raises(ExplainedError, match=r"python -m cusimt train\.py"):
        grader.load("answer", ["kernel.cu"])


def test_the_public_face_imports_nothing_heavy() -> None:
    code = (
        "import sys, grader; assert grader.__version__;"
        "assert not {'torch', 'grader.compilation', 'grader.checks'} & set(sys.modules);"
        "grader.load; assert 'torch' not in sys.modules"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, timeout=600)


def test_there_is_no_other_name() -> None:
    with pytest.raises(AttributeError, match="no attribute 'laod'"):
        grader.laod  # noqa: B018
