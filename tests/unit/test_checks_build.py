"""What of a submission is compiled for everybody, and what is said of one that does not load."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.checks import build as building
from grader.checks.build import _common, load_failure
from grader.checks.outcome import Outcome
from grader.compilation import Artifact
from grader.course.catalog import BuildFacts
from grader.run.failures import LoadFailed
from grader.run.values import RemoteError
from grader.support.backends import Backend
from grader.verdict import Status
from tests.unit.fake_submission import fake_exercise

MISSING = "dynamic module does not define module export function (PyInit_muladd)"


def told(files: Path, kind: str, message: str, where: str = "op.py:7") -> Outcome:
    exercise = fake_exercise(build=BuildFacts("muladd", "pybind", ("binding.cpp",), ()))
    artifact = Artifact("muladd", "pybind", files / "muladd.so", "simt", True, 1.0, False, files / "log")
    return load_failure(LoadFailed(RemoteError(kind, message, where)), artifact, exercise, files)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("\nPYBIND11_MODULE(muladdd, m) {}", "binding.cpp:2 has PYBIND11_MODULE(muladdd, ...), and the name"),
        ("// PYBIND11_MODULE(muladd, m)", "no source has PYBIND11_MODULE(muladd, ...)."),
    ],
)
def test_a_module_of_another_name_is_told_by_both_names(tmp_path: Path, source: str, words: str) -> None:
    (tmp_path / "binding.cpp").write_text(source)
    outcome = told(tmp_path, "ImportError", MISSING)
    assert (outcome.status, outcome.topic) == (Status.BUILD_ERROR, "load")
    assert words in outcome.sentence and "PyInit" not in outcome.sentence


def test_a_syntax_error_is_told_as_python_tells_it(tmp_path: Path) -> None:
    outcome = told(tmp_path, "SyntaxError", "'(' was never closed", "op.py:26")
    assert outcome.sentence == "op.py, line 26: SyntaxError: '(' was never closed"
    assert (outcome.status, outcome.topic) == (Status.BUILD_ERROR, "")


def test_any_other_error_is_told_in_its_own_words(tmp_path: Path) -> None:
    outcome = told(tmp_path, "NameError", "name 'nump' is not defined")
    assert outcome.sentence.endswith("loading it raised NameError at op.py:7: name 'nump' is not defined")
    assert outcome.topic == "load"


@pytest.mark.parametrize(
    ("backend", "includes", "common"),
    [
        ("simt", "", {"binding.cpp"}),
        ("cuda", "", {"binding.cpp", "given.cu"}),
        ("simt", '#include "given.h"', {"binding.cpp"}),
        ("simt", '#include "edited.h"', set()),
    ],
)
def test_a_source_is_common_when_no_learner_has_a_part_in_it(
    tmp_path: Path, backend: Backend, includes: str, common: set[str]
) -> None:
    edited, given = ("kernel.cu", "edited.h"), ("binding.cpp", "given.cu", "given.h")
    files, root = tmp_path / "files", tmp_path / "exercise"
    for folder in (files, root):
        folder.mkdir()
        for name in (*edited, *given):
            (folder / name).touch()
        (folder / "binding.cpp").write_text(includes)
    facts = BuildFacts("muladd", "pybind", ("kernel.cu", "given.cu", "binding.cpp"), ())
    exercise = fake_exercise(root, build=facts, edit=edited, given=given)
    assert {path.name for path in _common(exercise, files, backend)} == common
    (files / "binding.cpp").write_text(f"{includes}\n// a stranger's")
    assert {path.name for path in _common(exercise, files, backend)} == common - {"binding.cpp"}


def test_a_wrong_name_is_reported_before_a_compiler_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "binding.cpp").write_text("// the module\nPYBIND11_MODULE(muladdd, m) {}\n")
    exercise = fake_exercise(
        build=BuildFacts("muladd", "torch_extension", ("binding.cpp",), ()), edit=("binding.cpp",), given=()
    )
    monkeypatch.setattr(building, "audit_sources", lambda *_: None)
    monkeypatch.setattr(building, "build", lambda *_, **__: pytest.fail("the compiler was started"))
    outcome = building.compile_submission(exercise, tmp_path, "simt", "", verbose=False)
    assert isinstance(outcome, Outcome)
    assert (outcome.status, outcome.topic) == (Status.BUILD_ERROR, "load")
    assert outcome.sentence.startswith(
        "binding.cpp:2: The module is called muladdd, and Python imports muladd. The names must be the same."
    )
    assert outcome.lines == ("    2 | PYBIND11_MODULE(muladdd, m) {}",)


def test_a_wrong_name_in_a_file_that_a_link_leads_to_is_reported_with_its_whole_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, elsewhere = tmp_path / "files", tmp_path / "shared.cpp"
    folder.mkdir()
    elsewhere.write_text("PYBIND11_MODULE(muladdd, m) {}\n")
    (folder / "binding.cpp").symlink_to(elsewhere)
    exercise = fake_exercise(
        build=BuildFacts("muladd", "torch_extension", ("binding.cpp",), ()), edit=("binding.cpp",), given=()
    )
    monkeypatch.setattr(building, "build", lambda *_, **__: pytest.fail("the compiler was started"))
    outcome = building.compile_submission(exercise, folder, "simt", "", verbose=False)
    assert isinstance(outcome, Outcome)
    assert outcome.sentence.startswith(f"{elsewhere}:1: The module is called muladdd, ")
