"""A library registers operators of its own, in all spellings that PyTorch's headers offer."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.audit import Objection
from grader.audit.allowed_symbols import Use, not_allowed
from grader.audit.cuda_source import audit

MACROS = ("TORCH_LIBRARY", "TORCH_LIBRARY_FRAGMENT", "TORCH_LIBRARY_IMPL")
SPELLINGS = [prefix + macro for prefix in ("", "_", "STABLE_", "_STABLE_", "MAKE_") for macro in MACROS]
RULE = "This library registers operators of `own` only."


def objections(text: str) -> list[Objection]:
    return list(audit(text, Path("binding.cpp"), "own", assembly=False))


@pytest.mark.parametrize("macro", SPELLINGS)
def test_operators_of_others_are_refused(macro: str) -> None:
    (objection,) = objections(f"\n{macro}(aten, CUDA, m) {{}}\n")
    assert objection.sentence == f"binding.cpp:2 registers operators of `aten`. {RULE}"
    # A definition of another name is a slip. Code for somebody else's operator is none.
    assert objection.topic == ("audit" if macro.endswith("_IMPL") else "load")


@pytest.mark.parametrize("macro", SPELLINGS)
@pytest.mark.parametrize("name", ["own", "TORCH_EXTENSION_NAME", "\n  own /* this one */"])
def test_operators_of_ones_own_are_not(macro: str, name: str) -> None:
    assert objections(f"{macro}({name}, CUDA, m) {{}}\n") == []


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("STABLE_TORCH_LIBRARY_IMPL\n(aten, CUDA, m) {}", "registers operators of `aten`"),
        ("TORCH_LIBRARY_IMPL(\naten, CUDA, m) {}", "registers operators of `aten`"),
        (
            "#define REGISTER TORCH_LIBRARY_IMPL\nREGISTER(aten, CUDA, m) {}",
            "uses `TORCH_LIBRARY_IMPL` without a namespace in brackets",
        ),
        (
            "#define CALL(f) f(aten, CUDA, m)\nCALL(STABLE_TORCH_LIBRARY_IMPL) {}",
            "uses `STABLE_TORCH_LIBRARY_IMPL` without a namespace in brackets",
        ),
        ("#define own aten\nTORCH_LIBRARY_IMPL(own, CUDA, m) {}", "gives `own` another meaning"),
        ("#define STABLE_TORCH_LIBRARY(n, m) void f()", "gives `STABLE_TORCH_LIBRARY` another meaning"),
        (
            'torch::stable::detail::StableTorchLibraryInit init(kind, &f, "aten", "CUDA");',
            "uses `StableTorchLibraryInit`, which changes PyTorch's own operators",
        ),
        (
            'auto error = aoti_torch_library_init_impl("aten", "CUDA", __FILE__, 1, &handle);',
            "uses `aoti_torch_library_init_impl`, which changes PyTorch's own operators",
        ),
    ],
)
def test_no_detour_leads_to_operators_of_others(text: str, what: str) -> None:
    first, *_ = objections(text)
    assert (first.what, first.topic) == (what, "audit")


def test_whether_32_bits_suffice_may_be_asked() -> None:
    """`packed_accessor32` needs the answer; every other header there is for PyTorch's own kernels."""
    assert objections("#include <ATen/native/CanUse32BitIndexMath.h>\n") == []
    for other in ("CanUse32BitIndexMath.h.inc", "TensorIterator.h", "cuda/Loops.cuh"):
        (objection,) = objections(f"#include <ATen/native/{other}>\n")
        assert objection.sentence.startswith(f"binding.cpp:1 includes `ATen/native/{other}`.")


@pytest.mark.parametrize(
    ("symbol", "refused"),
    [
        ("_ZN2at6native20canUse32BitIndexMathERKNS_10TensorBaseEl", False),
        ("_ZN2at6native3addERKNS_6TensorES3_", True),
        ("_ZN2at3cpu3addERKNS_6TensorES3_", True),
    ],
)
def test_the_same_holds_for_the_built_library(symbol: str, refused: bool) -> None:
    assert bool(not_allowed([symbol], Use("simt", kernels=True, python=False))) is refused


@pytest.mark.parametrize("header", ["Python.h", "torch/extension.h", "pybind11/pybind11.h"])
def test_headers_of_python_are_for_modules_of_python(header: str) -> None:
    """Elsewhere Python.h is on no search path, and the compiler's message would not say why."""
    text = f"#include <{header}>\n"
    assert objections(text) == []
    (found,) = audit(text, Path("binding.cpp"), "own", assembly=False, python=False)
    assert found.sentence.startswith(f"binding.cpp:1 includes `{header}`. This library registers operators")


def test_libraries_that_the_exercise_is_about_may_be_named_and_included() -> None:
    text = "#include <cublas_v2.h>\n#include <cub/device/device_scan.cuh>\nauto* call = &cublasGemmEx;\n"
    file = Path("binding.cpp")
    assert list(audit(text, file, "own", assembly=False, vendor={"cublas", "cub"})) == []
    assert len(list(audit(text, file, "own", assembly=False, vendor={"cub"}))) == 2
    assert len(objections(text)) == 3
    other = "#include <cusparse.h>\nauto* call = &cusparseSpMM;\n"
    assert len(list(audit(other, file, "own", assembly=False, vendor={"cublas", "cub"}))) == 2


@pytest.mark.parametrize("header", ["cub/cub.cuh", "thrust/pair.h", "cub/device/device_reduce.cuh"])
def test_a_library_with_kernels_is_refused_with_what_there_is_instead(header: str) -> None:
    (found,) = objections(f"#include <{header}>\n")
    assert "cub/block and cub/warp have parts of kernels, cuda/std has pair" in found.sentence


@pytest.mark.parametrize("text", ["struct Dispatcher {};", "struct Library { int rows; };"])
def test_a_class_of_ones_own_with_a_name_of_pytorchs_is_to_be_renamed(text: str) -> None:
    (found,) = objections(text)
    assert found.sentence.endswith("A class of your own needs another name.")


def test_pythons_size_is_a_number() -> None:
    assert objections("const Py_ssize_t rows = 3;") == []


def test_an_empty_module_may_be_written_as_in_pytorchs_tutorial() -> None:
    text = 'PyObject* PyInit__C(void) {\n    static PyModuleDef module = {PyModuleDef_HEAD_INIT, "_C"};\n}\n'
    assert objections(text) == []
    assert objections("PyObject* list = PyList_New(0);") != []
