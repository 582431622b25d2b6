"""What a library asks of torch and Python, by its symbols, and the lines that brought them in."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from packaging.version import Version

from cusimt.support.toolchain import host_compiler
from grader.packages import origins, stable_abi, stable_errors
from grader.packages.stable_abi import FIRST, introduced, needs, sort_out

SHIM = """
int32_t aoti_torch_device_type_cpu();
#if TORCH_FEATURE_VERSION >= TORCH_VERSION_2_10_0
AOTI_TORCH_EXPORT AOTITorchError torch_call_dispatcher(
    const char* opName);
#ifdef USE_CUDA
AOTI_TORCH_EXPORT AOTITorchError torch_get_current_cuda_blas_handle(void** ret_handle);
#endif // USE_CUDA
// torch_in_a_comment(1)
#endif
#if TORCH_FEATURE_VERSION >= TORCH_VERSION_2_13_1
const char* torch_exception_get_what();
#else
int32_t torch_older();
#endif
"""


def test_a_function_is_as_old_as_the_conditions_around_it() -> None:
    found = dict(stable_abi._declarations(SHIM.splitlines()))
    assert found == {
        "aoti_torch_device_type_cpu": FIRST,
        "torch_call_dispatcher": Version("2.10"),
        "torch_get_current_cuda_blas_handle": Version("2.10"),
        "torch_exception_get_what": Version("2.13.1"),
        "torch_older": FIRST,
    }


def test_the_installed_headers_say_since_when() -> None:
    found = introduced()
    assert found["aoti_torch_get_sizes"] == FIRST
    assert found["torch_call_dispatcher"] == Version("2.10")
    assert str(found["torch_call_dispatcher"]) == "2.10"
    assert "torch_nothing_of_the_kind" not in found


@pytest.mark.parametrize(
    ("symbol", "kind"),
    [
        ("_ZN3c104cuda20getCurrentCUDAStreamEa", "unstable"),
        ("_ZN5torch7Library4_defEOSt", "unstable"),
        ("_ZTIN3c105ErrorE", "unstable"),
        ("THPVariableClass", "unstable"),
        ("torch_nothing_of_the_kind", "unstable"),
        ("PyErr_SetString", "python"),
        ("_Py_Dealloc", "python"),
        ("torch_call_dispatcher", "stable"),
        ("aoti_torch_get_sizes", "stable"),
        ("PyModule_Create2", ""),  # of the limited API
        ("_ZNSt13runtime_errorD1Ev", ""),
        ("cudaGetLastError", ""),
        ("memcpy", ""),
        ("simt_access", ""),
        ("_ZSt4cout", ""),
    ],
)
def test_symbols_are_sorted_out(symbol: str, kind: str) -> None:
    found = sort_out([symbol])
    kinds = {
        "unstable": [each.name for each in found.unstable],
        "python": [each.name for each in found.python],
        "stable": list(found.stable),
    }
    assert [name for name, names in kinds.items() if names] == ([kind] if kind else [])


def test_the_oldest_release_and_why() -> None:
    found = sort_out(["aoti_torch_get_sizes", "torch_call_dispatcher", "torch_library_impl"])
    assert (str(found.oldest), found.newest) == ("2.10", ("torch_call_dispatcher", "torch_library_impl"))
    assert sort_out(["memcpy"]).oldest == FIRST


SOURCE = """#include "inner.h"
void learner() {
    int here = 0;
    reads(here);
}
void direct() { at::own(); }
"""
INNER = """namespace at { void own(); }
namespace c10 { void of_a_header(int); }
extern "C" int PyErr_Print();
inline __attribute__((always_inline)) void reads(int value) {
    c10::of_a_header(value + PyErr_Print());
}
"""


@pytest.fixture
def compiled(tmp_path: Path) -> Path:
    """A folder with a source, its header and the object of both."""
    (tmp_path / "own.cpp").write_text(SOURCE)
    (tmp_path / "inner.h").write_text(INNER)
    command = [*host_compiler().command, "-O2", "-g", "-fPIC", "-c", "own.cpp", "-o", "own.o"]
    subprocess.run(command, cwd=tmp_path, check=True)
    return tmp_path


def test_a_symbol_is_traced_to_the_learners_line_through_the_header(compiled: Path) -> None:
    found = origins.origins(compiled / "own.o")
    lines = {name: [place.rpartition("/")[2] for place in places] for name, places in found.items()}
    assert lines == {
        "_ZN2at3ownEv": ["own.cpp:6"],
        "_ZN3c1011of_a_headerEi": ["inner.h:5", "own.cpp:4"],
        "PyErr_Print": ["inner.h:5", "own.cpp:4"],
    }


def test_origins_are_written_for_packages_on_the_stable_headers_alone(compiled: Path) -> None:
    out = compiled / "origins.json"
    origins.write([compiled / "own.cpp"], compiled, out)
    assert not out.exists()
    stable = compiled / "stable.cpp"
    stable.write_text("#include <torch/csrc/stable/library.h>\n")
    origins.write([stable], compiled, out)
    assert "own.cpp:6" in out.read_text()


def test_what_is_no_object_has_no_origins(tmp_path: Path) -> None:
    for content in (b"", b"\x7fELF", b"\x7fELF\x02\x01" + bytes(58), b"text" * 100):
        (tmp_path / "x.o").write_bytes(content)
        assert origins.origins(tmp_path / "x.o") == {}


def test_a_library_is_read(compiled: Path) -> None:
    command = [*host_compiler().command, "-shared", "own.o", "-o", "own.so"]
    subprocess.run(command, cwd=compiled, check=True)
    found = needs(compiled / "own.so")
    assert [each.text for each in found.unstable] == ["at::own()", "c10::of_a_header(int)"]
    assert [each.name for each in found.python] == ["PyErr_Print"]


@pytest.mark.parametrize(
    ("errors", "said"),
    [
        (
            'csrc/b.cpp:9: error: #error "This file should not be included when either TORCH_STABLE_ONLY or '
            'TORCH_TARGET_VERSION is defined."\n    9 | #include <ATen/Tensor.h>',
            "ATen/Tensor.h is a header of torch's own C++",
        ),
        ("b.cpp:3: error: ‘aoti_torch_get_current_cuda_stream’ was not declared in this scope", "-DUSE_CUDA"),
        ("error: ‘const class torch::stable::Tensor’ has no member named ‘const_data_ptr’", ""),
        ("error: invalid conversion from ‘X (*)(int)’ to ‘void (*)(StableIValue*, long)’", "TORCH_BOX"),
        ("error: ‘STD_CUDA_KERNEL_LAUNCH_CHECK’ was not declared in this scope", "newer than TORCH_TARGET"),
        ("error: expected ‘;’ before ‘}’ token", ""),
    ],
)
def test_the_mistake_behind_a_compilers_error(errors: str, said: str) -> None:
    found = stable_errors.why(errors)
    assert (said in found) if said else True
    assert found or not said
