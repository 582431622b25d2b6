"""Names that keep a library from loading are reported from its text; what is right, or uncertain, is not."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from grader.checks import build as building
from grader.checks.build import compile_submission
from grader.checks.outcome import Outcome
from grader.compilation import Artifact
from grader.compilation.artifact import Interface
from grader.compilation.registrations import Mistake, find_mistake
from grader.compilation.request import BuildRequest
from grader.course.catalog import Catalog, Exercise
from grader.course.mutants import load_mutants

ROOT = Path(__file__).resolve().parents[2]
COURSES = [ROOT, ROOT / "tests/toy_course", ROOT / "docs/samples/course"]
EXERCISES = [exercise for course in COURSES for exercise in Catalog.open(course).exercises]
RIGHT = "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {}\n"
WRONG = "PYBIND11_MODULE(wrong, m) {}\n"


def found(folder: Path, interface: Interface, **sources: str) -> Mistake | None:
    for name, text in sources.items():
        (folder / f"{name}.cpp").write_text(text)
    files = tuple(folder / f"{name}.cpp" for name in sources)
    return find_mistake(BuildRequest("own", interface, files, "simt"))


def in_exercise(exercise: Exercise, folder: Path) -> Mistake | None:
    sources = tuple(folder / name for name in exercise.build.sources)
    interface = cast("Interface", exercise.build.interface)
    return find_mistake(BuildRequest(exercise.build.name, interface, sources, "simt"))


def compiled(request: BuildRequest, **_: object) -> Artifact:
    nowhere = Path("/nowhere")
    return Artifact(request.name, request.interface, nowhere, "simt", True, 0.0, False, nowhere)


@pytest.mark.parametrize("interface", ["torch_extension", "pybind"])
def test_a_module_of_another_name(tmp_path: Path, interface: Interface) -> None:
    mistake = found(tmp_path, interface, a=f"// a comment\n{WRONG}")
    assert mistake is not None and mistake.file is not None
    assert (mistake.file.name, mistake.line) == ("a.cpp", 2)
    assert mistake.message == "The module is called wrong, and Python imports own."
    assert mistake.rule.endswith(
        "Write PYBIND11_MODULE(TORCH_EXTENSION_NAME, m): the build defines TORCH_EXTENSION_NAME as own."
    )


def test_two_modules_of_other_names_are_both_named(tmp_path: Path) -> None:
    mistake = found(tmp_path, "torch_extension", a=WRONG, b="\n\nPYBIND11_MODULE(settings, m) {}")
    assert mistake is not None
    assert mistake.message.endswith("Python imports own. Another module begins at b.cpp:3.")
    assert mistake.rule.startswith("A library is one module, under the library's name.")


def test_one_module_twice(tmp_path: Path) -> None:
    mistake = found(tmp_path, "torch_extension", a=RIGHT, b="PYBIND11_MODULE(own, m) {}\n")
    assert mistake is not None and mistake.file is not None
    assert (mistake.file.name, mistake.line) == ("b.cpp", 1)
    assert mistake.message == "PYBIND11_MODULE(own, ...) is there twice; the first is a.cpp:1."


def test_no_module(tmp_path: Path) -> None:
    mistake = found(tmp_path, "torch_extension", a=f"/* {RIGHT} */ // {RIGHT}")
    assert mistake is not None
    assert (mistake.file, mistake.line) == (None, 0)
    assert mistake.message == "No source has a PYBIND11_MODULE, and Python imports a module called own."


@pytest.mark.parametrize(
    "text",
    [
        RIGHT,
        RIGHT + WRONG,  # compiles, links and loads
        "PYBIND11_MODULE(own, m, py::mod_gil_not_used()) {}",
        f'const char* text = "{WRONG.strip()}";\n{RIGHT}',
        f"#if 0\n{WRONG}#endif\n{RIGHT}",
        f"#ifdef OTHER\n{WRONG}#else\n{RIGHT}#endif\n",
        "#define NAME own\nPYBIND11_MODULE(NAME, m) {}",
        "#define TORCH_EXTENSION_NAME own\n" + RIGHT,
        "#define BEGIN(m) PYBIND11_MODULE(own, m)\nBEGIN(m) {}",
        "#define PYBIND11_MODULE(name, m) void f()\n" + WRONG,
        "NB_MODULE(own, m) {}",
        'extern "C" void* PyInit_own() { return nullptr; }',
        "#define INIT(name) PyInit_##name\nvoid* INIT(own)();",
    ],
)
def test_what_is_right_or_uncertain_is_left_alone(tmp_path: Path, text: str) -> None:
    assert found(tmp_path, "torch_extension", a=text) is None


def test_a_header_of_ones_own_is_read(tmp_path: Path) -> None:
    (tmp_path / "module.h").write_text(RIGHT)
    assert found(tmp_path, "torch_extension", a='#include "module.h"\n') is None


@pytest.mark.parametrize(
    "include", ['#include "gone.h"', "#include <gone/module.h>", "#include NAME", "#include <module.h>"]
)
def test_a_module_may_be_in_a_header_that_is_not_found(tmp_path: Path, include: str) -> None:
    """The compiler names the header; for a kernel on simt it finds the last of these beside the source."""
    (tmp_path / "module.h").write_text(RIGHT)
    assert found(tmp_path, "torch_extension", a=f"{include}\nBEGIN(own) {{}}\n") is None


def test_a_librarys_header_hides_no_module(tmp_path: Path) -> None:
    text = '#include <vector>\n#include <torch/extension.h>\n#include "cuda_runtime.h"\n'
    mistake = found(tmp_path, "torch_extension", a=text)
    assert mistake is not None and mistake.message.startswith("No source has a PYBIND11_MODULE")


def test_a_namespace_has_one_library(tmp_path: Path) -> None:
    text = "TORCH_LIBRARY(own, m) {}\nTORCH_LIBRARY_FRAGMENT(own, m) {}\n"
    assert found(tmp_path, "torch_library", a=text) is None
    mistake = found(tmp_path, "torch_library", a=text, b="TORCH_LIBRARY(own, m) {}\n")
    assert mistake is not None
    assert mistake.message == "TORCH_LIBRARY(own, ...) is there twice; the first is a.cpp:1."
    assert mistake.rule.endswith("Make the other TORCH_LIBRARY_FRAGMENT.")


JUDGED = [
    exercise for exercise in EXERCISES
    if exercise.build.interface != "wheel" and not exercise.has_python_kernels
]  # fmt: skip


@pytest.mark.parametrize("exercise", JUDGED, ids=lambda exercise: exercise.slug)
def test_solutions_are_left_alone(exercise: Exercise) -> None:
    assert in_exercise(exercise, exercise.solution_dir) is None


@pytest.mark.slow("reads every mistake of the course")
def test_of_all_mutants_those_with_another_name_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And only such as the build check is expected to catch: before a compiler starts, at the name's line."""
    monkeypatch.setattr(building, "build", compiled)
    monkeypatch.setattr(building, "audit_python", lambda *_: None)
    monkeypatch.setattr(building, "audit_library", lambda *_: None)
    monkeypatch.setattr(building, "preprocess", lambda *_, **__: ([], []))
    refused = {}
    for exercise in JUDGED:
        for number, mutant in enumerate(load_mutants(exercise)):
            folder = tmp_path / exercise.slug / str(number)
            folder.mkdir(parents=True)
            mutant.write(folder)
            if mutant.caught_by != "build":
                assert in_exercise(exercise, folder) is None, mutant.name
                continue
            outcome = compile_submission(exercise, folder, "simt", "", verbose=False)
            if not isinstance(outcome, Outcome):
                continue
            assert outcome.topic == "load", mutant.name
            refused[exercise.slug, mutant.name] = outcome.sentence.partition(". ")[0].partition(" ")[2]
    assert refused == {
        ("02_elementwise_mult", "module under another name"):
            "The module is called elementwise_multiply, and Python imports elementwise_mult",
        ("02_elementwise_mult", "module defined twice"):
            "PYBIND11_MODULE(elementwise_mult, ...) is there twice; the first is kernel.cu:55",
        ("03_fused_muladd", "schema under another name"): "registers operators of `fused_mul_add`",
    }  # fmt: skip
