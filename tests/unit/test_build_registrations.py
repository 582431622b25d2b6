"""Names that keep a library from loading are reported from its text; what is right, or uncertain, is not."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from grader.build.registrations import Mistake, find_mistake
from grader.build.request import BuildRequest, Interface
from grader.catalog import Catalog, Exercise
from grader.mutants import load_mutants

ROOT = Path(__file__).resolve().parents[2]
COURSES = [ROOT, ROOT / "tests/toy_course", ROOT / "docs/samples/course"]
EXERCISES = [exercise for course in COURSES for exercise in Catalog.open(course).exercises]
RIGHT = "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {}\n"
WRONG = "PYBIND11_MODULE(wrong, m) {}\n"


def found(folder: Path, interface: Interface, python: str = "", **sources: str) -> Mistake | None:
    for name, text in sources.items():
        (folder / f"{name}.cpp").write_text(text)
    (folder / "op.py").write_text(python)
    files = tuple(folder / f"{name}.cpp" for name in sources)
    return find_mistake(BuildRequest("own", interface, files, "simt"), folder / "op.py")


def in_exercise(exercise: Exercise, folder: Path) -> Mistake | None:
    sources = tuple(folder / name for name in exercise.build.sources)
    interface = cast("Interface", exercise.build.interface)
    return find_mistake(BuildRequest(exercise.build.name, interface, sources, "simt"), folder / "op.py")


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


def test_a_namespace_that_op_py_does_not_ask_for(tmp_path: Path) -> None:
    python = "import torch\n\n\ndef f(x):\n    return torch.ops.own.f(x)\n"
    mistake = found(tmp_path, "torch_library", python, a="\nTORCH_LIBRARY(owm, m) {}\n")
    assert mistake is not None and mistake.file is not None
    assert (mistake.file.name, mistake.line) == ("a.cpp", 2)
    assert mistake.message == "TORCH_LIBRARY defines operators of owm, and op.py:5 calls torch.ops.own."


@pytest.mark.parametrize(
    ("python", "text"),
    [
        ("torch.ops.own.f", "TORCH_LIBRARY(own, m) {}"),
        ("torch.ops.own.f", "TORCH_LIBRARY(TORCH_EXTENSION_NAME, m) {}"),
        ("torch.ops.own.f", "TORCH_LIBRARY_FRAGMENT(own, m) {}\nTORCH_LIBRARY(other, m) {}"),
        ("torch.ops.other.f", "TORCH_LIBRARY(other, m) {}"),
        ("torch.ops.own.f", "TORCH_LIBRARY_IMPL(aten, CPU, m) {}"),
        ("torch.library.define('own::f', '() -> ()'); torch.ops.own.f", "TORCH_LIBRARY(other, m) {}"),
        ("torch.ops.own.f", "#define NS other\nTORCH_LIBRARY(NS, m) {}"),
        ("def broken(", "TORCH_LIBRARY(other, m) {}"),
    ],
)
def test_a_namespace_that_may_be_right(tmp_path: Path, python: str, text: str) -> None:
    assert found(tmp_path, "torch_library", python, a=text) is None


def test_a_namespace_has_one_library(tmp_path: Path) -> None:
    text = "TORCH_LIBRARY(own, m) {}\nTORCH_LIBRARY_FRAGMENT(own, m) {}\n"
    assert found(tmp_path, "torch_library", a=text) is None
    mistake = found(tmp_path, "torch_library", a=text, b="TORCH_LIBRARY(own, m) {}\n")
    assert mistake is not None
    assert mistake.message == "TORCH_LIBRARY(own, ...) is there twice; the first is a.cpp:1."
    assert mistake.rule.endswith("Make the other TORCH_LIBRARY_FRAGMENT.")


JUDGED = [exercise for exercise in EXERCISES if exercise.build.interface != "wheel"]


@pytest.mark.parametrize("exercise", JUDGED, ids=lambda exercise: exercise.slug)
def test_solutions_are_left_alone(exercise: Exercise) -> None:
    assert in_exercise(exercise, exercise.solution_dir) is None


def test_of_all_mutants_those_with_another_name_are_reported(tmp_path: Path) -> None:
    """And only such as the build check is expected to catch."""
    reported = set()
    for exercise in JUDGED:
        for number, mutant in enumerate(load_mutants(exercise)):
            folder = tmp_path / exercise.slug / str(number)
            folder.mkdir(parents=True)
            mutant.write(folder)
            if in_exercise(exercise, folder) is not None:
                assert mutant.caught_by == "build", mutant.name
                reported.add((exercise.slug, mutant.name))
    assert reported == {
        ("02_elementwise_mult", "module under another name"),
        ("03_fused_muladd", "schema under another name"),
    }
