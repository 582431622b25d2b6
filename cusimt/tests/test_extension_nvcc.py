"""The simulated nvcc: what it compiles and links, what it says about itself, and what it refuses."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cusimt.compiler import nvcc
from cusimt.compiler.include_paths import IncludePaths
from cusimt.compiler.toolkit import cuda_home, read_by_builds
from cusimt.findings import symbolise
from cusimt.programs.child_findings import FOLDER_VARIABLE

PROGRAM = """\
#include <cstdio>
#include "times.cuh"

__global__ void fill_kernel(int* x) { x[threadIdx.x] = TIMES * threadIdx.x; }

int fill() {
    int *device = nullptr, host[32];
    cudaMalloc(&device, sizeof(host));
    fill_kernel<<<1, 32>>>(device);
    cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost);
    cudaFree(device);
    return host[5];
}

#ifndef LIBRARY
int main() { std::printf("%d\\n", fill()); }
#else
extern "C" int library_fill() { return fill(); }
#endif
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder with a CUDA program of two files that prints 5 TIMES."""
    (tmp_path / "main.cu").write_text(PROGRAM)
    (tmp_path / "times.cuh").write_text("#pragma once\n#define TIMES 3\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(nvcc.CHECKS_VARIABLE, raising=False)
    return tmp_path


@pytest.mark.parametrize("checked", ["0", "1"])
def test_an_executable(folder: Path, monkeypatch: pytest.MonkeyPatch, checked: str) -> None:
    monkeypatch.setenv(nvcc.CHECKS_VARIABLE, checked)
    assert nvcc.main(["main.cu", "-o", "program", "-O3", "-lineinfo", "-arch=sm_90"]) == 0
    assert subprocess.run(["./program"], capture_output=True, text=True, check=True).stdout == "15\n"


def test_objects_then_a_shared_library(folder: Path) -> None:
    assert nvcc.main(["-DLIBRARY", "-DUNUSED", "-Xcompiler", "-fPIC", "-c", "main.cu", "-o", "main.o"]) == 0
    assert nvcc.main(["-shared", "main.o", "-o", "library.so", "-lcudart_is_implied"]) != 0
    assert nvcc.main(["-shared", "main.o", "-o", "library.so"]) == 0
    # In a process of its own: a CUDA build of torch, once imported, offers the real runtime's functions.
    call = "import ctypes; print(ctypes.CDLL('./library.so').library_fill())"
    assert subprocess.run([sys.executable, "-c", call], capture_output=True, check=True).stdout == b"15\n"


def test_objects_are_named_after_their_sources(folder: Path) -> None:
    shutil.copy("main.cu", "other.cu")
    (folder / "out").mkdir()
    assert nvcc.main(["-c", "main.cu", "other.cu", "-odir", "out"]) == 0
    assert sorted(path.name for path in (folder / "out").iterdir()) == ["main.o", "other.o"]


def test_dependencies_name_the_learners_files(folder: Path) -> None:
    assert nvcc.main(["-MMD", "-MF", "main.d", "-MT", "target.o", "-c", "main.cu", "-o", "main.o"]) == 0
    target, _, names = (folder / "main.d").read_text().replace("\\\n", " ").partition(":")
    assert target == "target.o"
    assert {f"{folder}/main.cu", f"{folder}/times.cuh"} <= set(names.split())
    assert "cusimt-nvcc-" not in names


def test_dependencies_alone_are_printed(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert nvcc.main(["-MM", "main.cu"]) == 0
    assert f"{folder}/times.cuh" in capfd.readouterr().out
    assert not Path("main.o").exists()


def test_dependencies_alone_go_where_o_says(folder: Path) -> None:
    assert nvcc.main(["-M", "main.cu", "-o", "main.d"]) == 0
    target, _, names = (folder / "main.d").read_text().partition(":")
    assert target == "main.o"
    assert f"{folder}/times.cuh" in names


def test_preprocessing(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert nvcc.main(["-E", "main.cu"]) == 0
    assert "x[threadIdx.x] = 3 * threadIdx.x" in capfd.readouterr().out


def test_the_version_is_the_one_that_torch_and_cmake_read(capfd: pytest.CaptureFixture[str]) -> None:
    assert nvcc.main(["--version"]) == nvcc.main(["-V"]) == 0
    printed = capfd.readouterr().out
    assert re.search(r"release (\d+[.]\d+)", printed)  # torch.utils.cpp_extension
    assert re.search(r"V([0-9]+\.[0-9]+\.[0-9]+)", printed)  # CMake
    assert printed.startswith("nvcc: NVIDIA (R) Cuda compiler driver")


def test_the_gpus_that_it_knows_are_listed(capfd: pytest.CaptureFixture[str]) -> None:
    assert nvcc.main(["--list-gpu-arch"]) == nvcc.main(["-code-ls"]) == 0
    printed = capfd.readouterr().out.split()
    assert {"compute_75", "compute_90", "sm_75", "sm_90"} <= set(printed)


def test_options_that_nvcc_accepts_and_does_not_list(folder: Path) -> None:
    unlisted = ["-Xfatbin", "-compress-all", "--fatbin-options=-compress-all", "-Xcicc", "-O1", "-nodinline"]
    assert nvcc.main([*unlisted, "-c", "main.cu", "-o", "main.o"]) == 0


def test_a_default_stream_of_each_thread_is_not_simulated(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert nvcc.main(["-default-stream", "per-thread", "--dryrun", "-c", "main.cu"]) == 0
    assert "nvcc warning : --default-stream=per-thread is not simulated" in capfd.readouterr().err


def test_a_dry_run_shows_commands_and_runs_none(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert nvcc.main(["--dryrun", "-c", "main.cu", "-o", "main.o"]) == 0
    assert re.search(r"^#\$ g\+\+ .* -c -o main\.o ", capfd.readouterr().err, re.MULTILINE)
    assert not Path("main.o").exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["-optix-ir", "main.cu"], "--optix-ir asks for OptiX code."),
        (["-no-such-option", "main.cu"], "Unknown option '-no-such-option'"),
        (["-run", "main.cu"], "--run asks for the program to be run at once."),
        (
            ["-O3"],
            "No input files were given. nvcc compiles sources and links objects. "
            "Name one: nvcc kernel.cu -o program\n",
        ),
        (
            ["-c", "main.cu", "second.cu", "-o", "x.o"],
            "-o was given with several inputs. With -c, each source has an object of its own. "
            "Leave out -o, or compile each source in a command of its own.\n",
        ),
    ],
)
def test_refusals(
    folder: Path, capfd: pytest.CaptureFixture[str], arguments: list[str], sentence: str
) -> None:
    assert nvcc.main(arguments) == 1
    assert f"nvcc fatal   : {sentence}" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "missing"),
    [
        (["missing.cu"], "missing.cu"),
        (["-c", "missing.cu", "-o", "x.o"], "missing.cu"),
        (["--options-file", "flags.txt", "main.cu"], "flags.txt"),
        (["@flags.txt", "main.cu"], "flags.txt"),
    ],
)
def test_a_file_that_is_not_there(
    folder: Path, capfd: pytest.CaptureFixture[str], arguments: list[str], missing: str
) -> None:
    assert nvcc.main(arguments) == 1
    printed = capfd.readouterr().err
    assert re.match(rf"nvcc fatal   : '(\S*/)?{missing}': No such file or directory\. ", printed)
    assert f"Paths count from {folder}: correct the one on the command line.\n" in printed
    assert len(printed.splitlines()) == 1


def test_a_static_library_replaces_an_older_one_and_can_be_linked(folder: Path) -> None:
    (folder / "user.cpp").write_text(
        'extern "C" int library_fill();\nint main() { return library_fill(); }\n'
    )
    assert nvcc.main(["-DLIBRARY", "-c", "main.cu", "-o", "main.o"]) == 0
    shutil.copy("main.o", "older.o")
    for name in ("older.o", "main.o"):
        assert nvcc.main(["-lib", name, "-o", "libmain.a"]) == 0
        members = subprocess.run(["ar", "t", "libmain.a"], capture_output=True, text=True, check=True)
        assert members.stdout.split() == [name]
    assert nvcc.main(["user.cpp", "libmain.a", "-o", "program"]) == 0
    assert subprocess.run(["./program"], check=False).returncode == 15


def test_whole_program_compilation_may_be_said_aloud(folder: Path) -> None:
    assert nvcc.main(["-rdc=false", "-c", "main.cu", "-o", "main.o"]) == 0


SHARED_CODE = """\
struct Pair { int value; __device__ int get() const; };
extern __device__ int table[4];
extern __constant__ int factor;
__device__ int twice(int x);
"""
DEFINITIONS = """\
#include "part.cuh"
__device__ int table[4] = {1, 2, 3, 4};
__constant__ int factor = 10;
static __device__ int local(int x) { return x; }
__device__ int Pair::get() const { return value; }
__device__ int twice(int x) { return 2 * local(x); }
"""
USER = """\
#include <cstdio>
#include "part.cuh"
static __device__ int local(int x) { return 3 * x; }
__global__ void kernel(int* x) {
    Pair pair{1};
    x[threadIdx.x] = twice(threadIdx.x) + table[threadIdx.x % 4] * factor + pair.get() + local(1);
}
int main() {
    int *device, host[32], hundred = 100;
    cudaMalloc(&device, sizeof host);
    cudaMemcpyToSymbol(factor, &hundred, sizeof hundred);
    kernel<<<1, 32>>>(device);
    cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    std::printf("%d\\n", host[5]);
}
"""


def write_shared_code(folder: Path) -> None:
    """user.cu and part.cu, whose kernel prints 2 * 5 + 2 * 100 + 1 + 3."""
    for name, text in {"part.cuh": SHARED_CODE, "part.cu": DEFINITIONS, "user.cu": USER}.items():
        (folder / name).write_text(text)


@pytest.mark.parametrize("checked", ["0", "1"])
@pytest.mark.parametrize(
    "commands",
    [
        ["-rdc=true user.cu part.cu -o program"],
        ["-dc user.cu part.cu", "user.o part.o -o program"],
        [
            "--relocatable-device-code true -c part.cu",
            "-lib part.o -o libpart.a",
            "-rdc=true user.cu -L. -lpart -o program",
        ],
        ["-dc user.cu part.cu", "-dlink user.o part.o -o linked.o", "user.o part.o linked.o -o program"],
    ],
)
def test_device_code_of_several_files(
    folder: Path, monkeypatch: pytest.MonkeyPatch, commands: list[str], checked: str
) -> None:
    monkeypatch.setenv(nvcc.CHECKS_VARIABLE, checked)
    write_shared_code(folder)
    for command in commands:
        assert nvcc.main(command.split()) == 0
    done = subprocess.run(["./program"], capture_output=True, text=True, check=True)
    assert done.stdout == "214\n"


def test_a_header_beside_the_source_hides_none_of_the_system(folder: Path) -> None:
    (folder / "semaphore.h").write_text("struct Semaphore {};\n")
    (folder / "beside.cu").write_text(
        '#include "semaphore.h"\n#include <semaphore>\nSemaphore s; sem_t* t;\n'
    )
    assert nvcc.main(["-c", "beside.cu", "-o", "beside.o"]) == 0


def test_a_header_named_as_one_of_the_simulator_is_the_programs(folder: Path) -> None:
    (folder / "include").mkdir()
    (folder / "include/warp.h").write_text("__device__ inline int seven() { return 7; }\n")
    (folder / "warp.cu").write_text('#include "warp.h"\n__global__ void k(int* x) { *x = seven(); }\n')
    assert nvcc.main(["-Iinclude", "-c", "warp.cu"]) == 0


def test_headers_above_the_sources_and_headers_of_include_are_translated(folder: Path) -> None:
    source = folder / "src/cuda/x.cu"
    source.parent.mkdir(parents=True)
    source.write_text('#include "cuda/x.cuh"\nvoid f() { launch(); forced(); }\n')
    kernel = "__global__ void k() { __shared__ int x[4]; x[threadIdx.x] = 0; }\n"
    source.with_suffix(".cuh").write_text(kernel + "inline void launch() { k<<<1, 4>>>(); }\n")
    (folder / "first.cuh").write_text("__global__ void e() {}\ninline void forced() { e<<<1, 4>>>(); }\n")
    flags = ["-Isrc", "-include", "first.cuh", "-MMD", "-MF", "x.d"]
    assert nvcc.main([*flags, "-c", "src/cuda/x.cu", "-o", "x.o"]) == 0
    named = (folder / "x.d").read_text().split()
    assert {str(source), str(source.with_suffix(".cuh")), str(folder / "first.cuh")} <= set(named)
    assert "cusimt-nvcc-" not in " ".join(named)


def test_a_header_that_only_the_preprocessor_finds_is_named(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "deep").mkdir()
    (folder / "deep/kernel.cuh").write_text("__global__ void hidden() {}\n")
    (folder / "deep/plain.h").write_text("inline int plain() { return 1; }\n")
    (folder / "macro.cu").write_text("#include KERNEL\n#include PLAIN\nvoid f() { hidden<<<1, 1>>>(); }\n")
    names = ["-DKERNEL=<kernel.cuh>", "-DPLAIN=<plain.h>", "-Ideep"]
    assert nvcc.main([*names, "-c", "macro.cu"]) == 0
    printed = capfd.readouterr().err
    assert printed.startswith(
        f"nvcc warning : {folder}/deep/kernel.cuh has device code and was compiled as host"
    )
    assert printed.count("warning") == 1
    assert nvcc.main(["-c", "main.cu"]) == 0
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("checked", ["0", "1"])
@pytest.mark.parametrize("chosen", ["clang++", "clang", "g++", "gcc", "/usr/bin"])
def test_the_host_compiler_may_be_chosen(
    folder: Path, monkeypatch: pytest.MonkeyPatch, chosen: str, checked: str
) -> None:
    if shutil.which("clang++" if "clang" in chosen else "g++", path="/usr/bin") is None:
        pytest.skip(f"needs {chosen} in /usr/bin")
    monkeypatch.setenv(nvcc.CHECKS_VARIABLE, checked)
    assert nvcc.main(["-ccbin", chosen, "main.cu", "-o", "program"]) == 0
    assert subprocess.run(["./program"], capture_output=True, text=True, check=True).stdout == "15\n"


def test_host_files_are_compiled_in_their_own_language(folder: Path) -> None:
    (folder / "in_c.c").write_text("int in_c(int new) { int class = new; return class; }\n")
    (folder / "in_cpp.cpp").write_text("long in_cpp() { return __cplusplus; }\n")
    (folder / "languages.cu").write_text(
        '#include <cstdio>\nextern "C" int in_c(int);\nlong in_cpp();\n'
        'int main() { std::printf("%d %ld %d", in_c(3), in_cpp(), __cplusplus >= 202002); }\n'
    )
    sources = ["languages.cu", "in_c.c", "in_cpp.cpp", "-o", "program"]
    for standard, number in {"": 201703, "-std=c++14": 201402, "-std=c++20": 202002}.items():
        assert nvcc.main([*filter(None, [standard]), *sources]) == 0
        done = subprocess.run(["./program"], capture_output=True, text=True, check=True)
        assert done.stdout == f"3 {number} 1"
    assert nvcc.main(["-Xcompiler", "-std=c11,-Werror", "-c", "in_c.c"]) == 0
    assert nvcc.main(["-Xcompiler", "-std=c++14", "-c", "in_cpp.cpp", "languages.cu"]) == 0
    assert nvcc.main(["languages.o", "in_c.o", "in_cpp.o", "-o", "program"]) == 0
    assert subprocess.run(["./program"], capture_output=True, text=True, check=True).stdout == "3 201402 1"


def test_a_host_compiler_that_is_not_there(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert nvcc.main(["-ccbin", "no-such-compiler", "main.cu"]) == 1
    assert "nvcc fatal   : no-such-compiler --version failed" in capfd.readouterr().err


def test_a_syntax_error_is_at_the_learners_line(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (folder / "main.cu").write_text(PROGRAM.replace("TIMES * threadIdx.x", "TIMES * threadIdxx.x"))
    assert nvcc.main(["-c", "main.cu"]) == 1
    assert f"{folder}/main.cu:4:" in capfd.readouterr().err


def test_what_cannot_be_translated_is_at_the_learners_line(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "times.cuh").write_text('__global__ void f() {\n    asm("wgmma.fence.sync.aligned;");\n}\n')
    assert nvcc.main(["-c", "main.cu"]) == 1
    assert f"{folder}/times.cuh:2: error:" in capfd.readouterr().err


@pytest.mark.parametrize("checked", [False, True])
def test_the_toolkits_libraries_may_be_named_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch, checked: bool
) -> None:
    monkeypatch.setenv(nvcc.CHECKS_VARIABLE, str(int(checked)))
    home = cuda_home(checked)
    libraries = [
        f"-L{home}/lib64",
        "-lcudart",
        "-lcublas",
        "-lcublasLt",
        "-lcudart_static",
        "-lcuda",
        "-lcudart",
    ]
    assert nvcc.main(["main.cu", "-o", "program", *libraries]) == 0
    assert nvcc.main(["-c", "main.cu", "-o", "main.o"]) == 0
    runtime = f"-Wl,-rpath,{nvcc.libraries.runtime_library().parent}"
    linked = [*nvcc.host_compiler().command, "main.o", "-o", "linked", *libraries, runtime]
    done = subprocess.run(linked, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    subprocess.run(["gcc", "main.o", "-o", "linked_as_c", *libraries, runtime], check=True)
    by_name = [home / "bin/nvcc", "main.cu", "-o", "by_name", "-lcublas", "-lcurand"]
    subprocess.run(by_name, check=True)
    for name in ("./program", "./linked", "./linked_as_c", "./by_name"):
        assert subprocess.run([name], capture_output=True, text=True, check=True).stdout == "15\n"


@pytest.mark.parametrize("checked", [False, True])
def test_builds_read_every_folder_that_the_toolkit_leads_to(checked: bool) -> None:
    home, folders = cuda_home(checked), read_by_builds(checked)
    scripts = [file.read_bytes() for file in (home / "lib64").iterdir()]
    named = {Path(name.decode()) for text in scripts for name in re.findall(rb'"(/[^"]+)"', text)}
    assert {path.name for path in named} >= {"libcusimt.so", "libcusimt_device.so", "libcusimt_solver.so"}
    assert home in folders
    assert not [path for path in named if not any(path.is_relative_to(folder) for folder in folders)]


OVERRUN = """\
#include <iostream>
#include <string>
#include <vector>
extern "C" const char* simt_take_findings(void);
__global__ void overrun(int* x) { x[threadIdx.x] = 1; }
int main(int count, char** words) {
    std::vector<std::string> names(words, words + count);
    std::string all;
    for (auto& name : names) all.append(name).replace(0, 1, "").insert(0, "a");
    int* x;
    cudaMalloc(&x, 31 * sizeof(int));
    overrun<<<1, 32>>>(x);
    cudaDeviceSynchronize();
    std::cout << all.substr(0, 1) << simt_take_findings();
}
"""


def test_a_program_whose_strings_have_hooks(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(nvcc.CHECKS_VARIABLE, "1")
    (folder / "overrun.cu").write_text(OVERRUN)
    assert nvcc.main(["overrun.cu", "-o", "overrun"]) == 0
    done = subprocess.run(["./overrun"], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.startswith('a{"kind":"out_of_bounds"') and done.stdout.count("kind") == 1


UNORDERED = """\
__global__ void reverse(int* x) {
    __shared__ int tile[64];
    tile[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = tile[63 - threadIdx.x];
}
int main() {
    int* x;
    cudaMalloc(&x, 64 * sizeof(int));
    cudaMemset(x, 0, 64 * sizeof(int));
    reverse<<<1, 64>>>(x);
    return cudaDeviceSynchronize();
}
"""


def test_what_a_program_leaves_when_it_ends(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(nvcc.CHECKS_VARIABLE, "1")
    (folder / "unordered.cu").write_text(UNORDERED)
    assert nvcc.main(["unordered.cu", "-o", "unordered"]) == 0
    (left := folder / "left").mkdir()
    monkeypatch.setenv(FOLDER_VARIABLE, str(left))
    subprocess.run(["./unordered"], check=True, timeout=60)
    (file,) = left.iterdir()
    assert file.suffix == ".jsonl"
    found = symbolise(map(json.loads, file.read_text().splitlines()))
    assert [(each.kind, each.frame.line) for each in found] == [("race_shared", 3), ("race_shared", 4)]
    subprocess.run(["./unordered"], check=True, env={**os.environ, FOLDER_VARIABLE: str(left / "gone")})
    assert list(left.iterdir()) == [file]


@pytest.mark.skipif(shutil.which("cmake") is None, reason="needs cmake (Debian package cmake)")
@pytest.mark.slow
def test_cmake_takes_it_for_a_cuda_compiler(folder: Path) -> None:
    (folder / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(program LANGUAGES CXX CUDA)\n"
        "add_executable(program main.cu)\n"
        "add_library(filling SHARED main.cu)\ntarget_compile_definitions(filling PRIVATE LIBRARY)\n"
        "add_library(part STATIC part.cu)\nadd_executable(user user.cu)\n"
        "target_link_libraries(user PRIVATE part)\n"
        "set_target_properties(part user PROPERTIES CUDA_SEPARABLE_COMPILATION ON)\n"
    )
    write_shared_code(folder)
    home = cuda_home(checked=True)
    libraries = nvcc.libraries.runtime_library().parent
    environment = {**os.environ, "CUDACXX": str(home / "bin/nvcc"), "LD_LIBRARY_PATH": str(libraries)}
    programs = {"build/program": "15\n", "build/user": "214\n"}
    for command in (["cmake", "-B", "build"], ["cmake", "--build", "build"], *([path] for path in programs)):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stdout == programs.get(command[0], done.stdout)
    assert (folder / "build/libfilling.so").is_file()


def test_headers_of_torch_and_of_toolkits_are_not_the_programs(folder: Path) -> None:
    real = folder / "cuda-13.0/include"
    real.mkdir(parents=True)
    for name in ("cuda_runtime_api.h", "driver_types.h", "texture_types.h"):
        (real / name).write_text("#error a real toolkit's header\n")
    torch = nvcc.libraries.torch_install().root / "include"
    paths = IncludePaths.of([str(folder), str(torch), str(real)], [str(real), "/usr/include"])
    assert paths.own == (folder,)
    assert paths.libraries == (torch,)
    assert paths.system == (Path("/usr/include"),)
    assert nvcc.main([f"-I{real}", "-isystem", str(real), "main.cu", "-o", "program"]) == 0


OF_LIBRARIES = """\
#include <cstdio>
#include <cufft.h>
#include <cusolverDn.h>
__global__ void fill(double* a, cufftDoubleComplex* z) {
    double* own = new double[2]{4, 9};
    a[3 * threadIdx.x] = own[threadIdx.x];
    a[3 * threadIdx.x - (threadIdx.x ? 1 : -1)] = 0;
    z[threadIdx.x] = {own[threadIdx.x], 0};
    delete[] own;
}
int main() {
    double *a, numbers[4];
    cufftDoubleComplex *z, spectrum[2];
    int *info, failed, count;
    cudaMalloc(&a, sizeof numbers), cudaMalloc(&z, sizeof spectrum), cudaMalloc(&info, sizeof failed);
    fill<<<1, 2>>>(a, z);
    cusolverDnHandle_t solver;
    cusolverDnCreate(&solver);
    cusolverDnDpotrf_bufferSize(solver, CUBLAS_FILL_MODE_LOWER, 2, a, 2, &count);
    double* work;
    cudaMalloc(&work, count * sizeof *work);
    cusolverDnDpotrf(solver, CUBLAS_FILL_MODE_LOWER, 2, a, 2, work, count, info);
    cufftHandle plan;
    cufftPlan1d(&plan, 2, CUFFT_Z2Z, 1);
    cufftExecZ2Z(plan, z, z, CUFFT_FORWARD);
    cudaMemcpy(numbers, a, sizeof numbers, cudaMemcpyDeviceToHost);
    cudaMemcpy(spectrum, z, sizeof spectrum, cudaMemcpyDeviceToHost);
    cudaMemcpy(&failed, info, sizeof failed, cudaMemcpyDeviceToHost);
    printf("%g %g, %g %g, %d\\n", numbers[0], numbers[3], spectrum[0].x, spectrum[1].x, failed);
}
"""


@pytest.mark.parametrize("checked", [False, True])
def test_a_program_of_libraries(folder: Path, checked: bool) -> None:
    """The Cholesky factor of diag(4, 9), and the spectrum of (4, 9); memory of the heap in between."""
    (folder / "libraries.cu").write_text(OF_LIBRARIES)
    compiler = cuda_home(checked) / "bin/nvcc"
    command = [compiler, "libraries.cu", "-o", "libraries", "-lcufft", "-lcusolver", "-lcublas"]
    subprocess.run(command, check=True)
    done = subprocess.run(["./libraries"], capture_output=True, text=True, check=True)
    assert done.stdout == "2 3, 13 -5, 0\n"
