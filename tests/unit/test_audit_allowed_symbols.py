"""A library may ask for what symbols.toml lists; names that reach further are refused by not being there."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from cusimt.folders import INCLUDE
from cusimt.support.demangling import demangled, qualified
from grader.audit import python_binding
from grader.audit.allowed_symbols import (
    BACKENDS,
    Use,
    belonging_to_others,
    groups,
    not_allowed,
    refused,
    why_refused,
)
from grader.audit.cuda_source import tokens_of
from grader.audit.library import audit_objects
from grader.support.backends import Backend

REACHING = (
    "_r_debug", "_dl_find_object", "dl_iterate_phdr", "dlsym", "dlopen", "_Fork", "fork", "vfork",
    "clone", "execve", "posix_spawn", "system", "popen", "wordexp", "thrd_create", "pthread_create",
    "pthread_atfork", "at_quick_exit", "atexit", "on_exit", "environ", "__environ", "getenv",
    "secure_getenv", "setenv", "mmap", "mmap64", "mprotect", "mremap", "remap_file_pages", "memfd_create",
    "shm_open", "syscall", "ptrace", "process_vm_readv", "prctl", "open", "openat", "fopen", "fdopen",
    "read", "write", "pwrite", "readv", "ioctl", "kill", "raise", "sigaction", "signal", "sigaltstack",
    "setjmp", "_setjmp", "longjmp", "swapcontext", "socket", "connect", "backtrace", "getauxval",
    "__libc_start_main", "__register_frame", "_Unwind_Find_FDE", "_Unwind_Backtrace", "_dl_open",
    "__tunable_get_val", "__malloc_hook", "mallopt", "timer_create", "io_submit", "aio_read", "mq_open",
    "glob", "ftw", "scandir", "getcwd", "simt_raise_shield", "simt_open_shield", "simt_take_findings",
    "simt_reset", "simt_mark_written", "simt_copy_marks", "simt_writers", "simt_set_schedule",
    "simt_set_counting", "simt_watch_copies", "simt_allocate", "cudaLaunchHostFunc", "cudaStreamAddCallback",
    "cudaHostRegister", "cudaDeviceSetLimit", "cudaGraphLaunch", "cudaIpcOpenMemHandle",
    "cudaGetDriverEntryPoint", "cuLaunchKernel", "cublasSgemm_v2", "cblas_sgemm", "nvrtcCompileProgram",
    "PyRun_SimpleString", "PyRun_StringFlags", "PyEval_EvalCode", "Py_CompileString", "PyImport_Import",
    "PyImport_GetModuleDict", "PySys_GetObject", "PyMarshal_ReadObjectFromString", "PyEval_SetTrace",
    "PyGC_Collect",
    "_ZN2at6launchESt8functionIFvvEE",
    "_ZN2at17addGlobalCallbackENS_22RecordFunctionCallbackE",
    "_ZN2at21addThreadLocalCallbackENS_22RecordFunctionCallbackE",
    "_ZN3c104impl33_force_tls_local_dispatch_key_setENS0_19LocalDispatchKeySetE",
    "_ZN3c1010Dispatcher13realSingletonEv",
    "_ZN3c1012SetAllocatorENS_10DeviceTypeEPNS_9AllocatorEh",
    "_ZN2at7Context26setDeterministicAlgorithmsEbb",
    "_ZN3c104impl20TorchDispatchModeTLS9set_stateES1_",
    "_ZN5torch7Library9_fallbackEONS_11CppFunctionE",
    "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE",
    "_ZSt13set_terminatePFvvE",
    "_ZSt15set_new_handlerPFvvE",
    "_ZNSt13basic_filebufIcSt11char_traitsIcEE4openEPKcSt13_Ios_Openmode",
    "_ZNSt10filesystem6removeERKNS_7__cxx114pathE",
    "_ZN2at6native3addERKNS_6TensorES3_",
    "_ZN2at3cpu3addERKNS_6TensorES3_",
    "_ZN5torch3jit4loadERKSs",
    "_ZN5torch8autograd6Engine18get_default_engineEv",
)  # fmt: skip


# What only the headers of Thrust call: memory is asked of PyTorch.
OF_THRUST = {"simt_allocate", "simt_get_device", "simt_release"}
# What only textures and surfaces call. Arguments and results of exercises are tensors.
OF_TEXTURES = {
    "simt_allocation", "simt_surface_read", "simt_surface_write", "simt_texture_fetch", "simt_texture_sample",
}  # fmt: skip


def test_kernels_may_call_what_the_headers_of_the_simulated_gpu_call() -> None:
    """Else a kernel is refused because of an atomic or a loop that its author has every right to."""
    called = set()
    for header in INCLUDE.rglob("*"):
        if header.is_file() and header.name != "simt_api.h":
            called |= set(re.findall(r"\b(simt_\w+)\(", header.read_text(encoding="utf-8")))
    declared = set(re.findall(r"\b(simt_\w+)\(", (INCLUDE / "simt_api.h").read_text(encoding="utf-8")))
    assert len(called & declared) > 30
    use = Use("simt", kernels=True, python=False)
    assert set(not_allowed(sorted((called & declared) - OF_THRUST - OF_TEXTURES), use)) == set()


HOST = Use("simt", kernels=False, python=False)
# On a GPU these change what others measure, or do unseen what a kernel should.
UNSEEN_ON_CUDA = (
    "cudaDeviceSetLimit", "cudaDeviceSetCacheConfig", "cudaDeviceEnablePeerAccess",
    "cudaCtxResetPersistingL2Cache",
    "cudaStreamSetAttribute", "cudaStreamBeginCapture", "cudaHostAlloc", "cudaMallocHost",
    "cudaMallocManaged",
    "cudaHostRegister", "cudaMemAdvise", "cudaGraphInstantiate", "cudaGraphLaunch", "cudaMemPoolSetAttribute",
    "cudaGetDriverEntryPointByVersion", "cudaGetFuncBySymbol", "cudaLibraryLoadData",
    "cuModuleLoadData", "dlsym",
    "cublasSgemm_v2", "cublasLtMatmul", "cudaLaunchHostFunc", "cudaProfilerStop", "simt_access",
    "simt_launch_kernel",
    "_ZN2at4_ops11addcmul_out4callERKNS_6TensorES4_S4_RKN3c106ScalarERS2_",
    "_ZN2at4cuda24getCurrentCUDABlasHandleEv", "_ZN2at20enableRecordFunctionEb",
)  # fmt: skip


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("kernels", [False, True])
@pytest.mark.parametrize("python", [False, True])
def test_names_that_reach_out_are_on_no_list(backend: str, kernels: bool, python: bool) -> None:
    use = Use(backend, kernels=kernels, python=python, arrays=python)
    found = {name for name, _ in not_allowed(REACHING, use)}
    allowed = {"atexit"} if backend == "cuda" else set()  # which nvcc asks for, too
    assert set(REACHING) - found == allowed


@pytest.mark.parametrize("kernels", [False, True])
def test_on_cuda_what_no_record_shows_is_on_no_list(kernels: bool) -> None:
    use = Use("cuda", kernels=kernels, python=False)
    assert {name for name, _ in not_allowed(UNSEEN_ON_CUDA, use)} == set(UNSEEN_ON_CUDA)


TRIED = [name for name in UNSEEN_ON_CUDA if not name.startswith("simt_")]  # nobody tries those by accident


LOGGER = "_ZN3c1013MessageLoggerC1ENS_14SourceLocationEib"  # of TORCH_CHECK_EQ


@pytest.mark.parametrize("symbol", [*TRIED, "snprintf", "pthread_create", "fopen", "fork", LOGGER])
def test_what_people_may_try_is_refused_with_what_it_does(symbol: str) -> None:
    why = why_refused(demangled([symbol])[0])
    assert why is not None
    assert why.does and why.instead.endswith(".")


def test_arrays_are_staged_and_tensors_are_not() -> None:
    staging = ["cudaMallocHost", "cudaFreeHost", "cudaHostAlloc", "cudaMallocManaged"]
    assert not_allowed(staging, Use("cuda", kernels=True, python=True, arrays=True)) == []
    assert not_allowed(staging, Use("simt", kernels=True, python=False)) == []
    assert len(not_allowed(staging, Use("cuda", kernels=True, python=True))) == len(staging)


def test_nvccs_own_symbols_are_allowed_where_nvcc_compiles() -> None:
    own = ["__cudaRegisterFatBinary", "__cudaPushCallConfiguration", "__cudaLaunchKernel", "atexit"]
    assert not_allowed(own, Use("cuda", kernels=True, python=False)) == []
    assert len(not_allowed(own, Use("simt", kernels=True, python=False))) == len(own)


def test_a_refusal_says_what_the_function_does_and_what_to_use() -> None:
    (found,) = audit_objects({"kernel.cu": ["cudaDeviceSetLimit"]}, Use("cuda", kernels=False, python=False))
    assert found.sentence == (
        "kernel.cu uses `cudaDeviceSetLimit`, which changes the device for everything that runs "
        "after it, and with "
        "that what others measure: not allowed here in a file with kernels. Leave the device as it "
        "is. A kernel's "
        "own attributes are set with cudaFuncSetAttribute."
    )


def test_what_is_refused_with_a_reason_is_not_allowed_with_another() -> None:
    """A reason that could never be told would be a sign that a group is too wide."""
    everywhere = [Use(backend, kernels=False, python=True) for backend in BACKENDS]
    for symbol in UNSEEN_ON_CUDA:
        assert any(not_allowed([symbol], use) for use in everywhere)
    assert all(each.does and each.instead.endswith(".") for each in refused())


def test_what_kernels_may_use_is_less() -> None:
    host_only = ["snprintf", "qsort", "strncpy", "strtol", "_ZNSirsERi"]
    assert not_allowed(host_only, HOST) == []
    assert len(not_allowed(host_only, replace(HOST, kernels=True))) == len(host_only)
    only_host = {group.title for group in groups() if not group.kernels and not group.vendor}
    assert only_host == {"C on the host", "C++ standard library: text that is read"}


OF_CUBLAS = (
    "cublasGemmStridedBatchedEx", "cublasSgemm_v2", "cublasCreate_v2",
    "_ZN2at4cuda24getCurrentCUDABlasHandleEb", "_ZN2at4cuda4blas19_cublasGetErrorEnumE14cublasStatus_t",
)  # fmt: skip
OF_CUSPARSE = (
    "cusparseSpMM",
    "cusparseSpMM_bufferSize",
    "cusparseCsrSetStridedBatch",
    "cusparseDestroySpMat",
)


@pytest.mark.parametrize("backend", BACKENDS)
def test_libraries_are_for_exercises_about_calling_them_and_for_host_code(backend: Backend) -> None:
    use = Use(backend, kernels=False, python=False)
    granted = replace(use, vendor=frozenset({"cublas"}))
    assert not_allowed(OF_CUBLAS, granted) == []
    assert len(not_allowed(OF_CUBLAS, use)) == len(OF_CUBLAS)
    assert len(not_allowed(OF_CUSPARSE, granted)) == len(OF_CUSPARSE)
    assert not_allowed(OF_CUSPARSE, replace(use, vendor=frozenset({"cusparse"}))) == []
    assert len(not_allowed(OF_CUBLAS, replace(granted, kernels=True))) == len(OF_CUBLAS)


@pytest.mark.parametrize("name", ["cublasSetStream_v2", "cublasSetMathMode", "cusparseSetPointerMode"])
def test_settings_of_pytorchs_handle_are_refused_with_a_reason_of_their_own(name: str) -> None:
    use = Use("simt", kernels=False, python=False, vendor=frozenset({"cublas", "cusparse"}))
    (found,) = audit_objects({"binding.cpp": [name]}, use)
    assert "which changes a library's handle" in found.sentence


def test_a_library_without_pythons_face_has_no_use_for_python() -> None:
    assert not_allowed(["PyTuple_New"], replace(HOST, python=True)) == []
    assert not_allowed(["PyTuple_New"], HOST) == [("PyTuple_New", "PyTuple_New")]


def test_every_group_has_a_reason_and_its_names_are_whole() -> None:
    for group in groups():
        assert group.title and group.reason.endswith(".")
        assert not any(re.fullmatch(name, "dlsym") for name in group.names)


def test_others_names_are_not_defined() -> None:
    own = ["launch", "_Z6launchv", "cuda_launch", "simple", "Pyramid"]
    assert belonging_to_others([*own, "malloc", "cudaMalloc", "simt_reset", "PyTuple_New"]) == [
        "malloc", "cudaMalloc", "simt_reset", "PyTuple_New",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("_ZNK2at10TensorBase16mutable_data_ptrIfEEPT_v", "at::TensorBase::mutable_data_ptr"),
        ("_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc", "std::operator<<"),
        ("_ZNSolsEi", "std::basic_ostream::operator<<"),
        ("_ZTVSt9basic_iosIcSt11char_traitsIcEE", "std::basic_ios"),
        ("_ZTIPKc", "char const*"),
        ("_Znwm", "operator new"),
        ("_ZdaPv", "operator delete[]"),
        ("_ZNK5torch8autograd4Node4nameB5cxx11Ev", "torch::autograd::Node::name"),
        ("memcpy", "memcpy"),
    ],
)
def test_qualified_names(symbol: str, name: str) -> None:
    assert qualified(demangled([symbol])[0]) == name


def bound(text: str) -> list[str]:
    return [each.what for each in python_binding.audit(tokens_of(text), text, Path("binding.cpp"))]


MODULE = "namespace py = pybind11;\nPYBIND11_MODULE(mine, m) { %s }\n"


@pytest.mark.parametrize(
    "code",
    [
        'm.attr("threads") = 128;',
        'm.attr("__version__") = "1";',
        'm.def("f", [](py::array_t<float> x) { return x.size(); }, py::arg("x") = py::none());',
        'py::class_<Filler>(m, "Filler").def(py::init<int>());',
        'auto inner = m.def_submodule("inner"); inner.attr("one") = 1;',
        "using namespace py::literals;",
        "int raw_pointer = 0; evaluate(raw_pointer);",
    ],
)
def test_a_binding_may(code: str) -> None:
    assert bound(MODULE % code) == []


@pytest.mark.parametrize(
    "code",
    [
        'x.attr("data");',
        'm.attr("__builtins__") = 1;',
        'm.attr("f")(1);',
        'x.m.attr("f") = 1;',
        'py::module_::import("os");',
        'py::eval("1");',
        'eval(py::str("1"));',
        "py::globals();",
        'py::getattr(x, "y");',
        "py::detail::get_internals();",
        "using namespace pybind11;",
        "namespace other = pybind11;",
        "py::type::of(x);",
    ],
)
def test_a_binding_may_not(code: str) -> None:
    assert bound(MODULE % code)


def test_a_function_of_ones_own_that_was_not_linked_is_called_that() -> None:
    (own,) = audit_objects({"binding.cpp": ["_Z13launch_muladdIfEvPKT_"]}, HOST)
    assert own.sentence.startswith(
        "binding.cpp uses `void launch_muladd<float>(float const*)`, and nothing in"
    )
    assert own.topic == "load"
    (foreign,) = audit_objects({"binding.cpp": ["dlsym"]}, HOST)
    assert foreign.sentence.startswith("binding.cpp uses `dlsym`, which looks functions up")


def test_cubs_headers_format_the_text_of_an_error() -> None:
    """`make test` has no torch for CUDA: these are what nvcc 13.0 leaves undefined in 22's kernel.cu."""
    use = Use("cuda", kernels=True, python=False, vendor=frozenset({"cub"}))
    assert not_allowed(["__snprintf_chk", "snprintf"], use) == []
    assert len(not_allowed(["__snprintf_chk"], replace(use, vendor=frozenset()))) == 1
    assert len(not_allowed(["dlopen", "getenv"], use)) == 2
