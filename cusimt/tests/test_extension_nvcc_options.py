"""nvcc's command line as torch, setuptools, CMake and people write it."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from cusimt.compiler.nvcc_options import Options, UnknownOption, parse


def read(line: str) -> Options:
    return parse(shlex.split(line))


def test_what_torch_emits() -> None:
    options = read(
        "-MD -MF kernel.cuda.o.d -ccbin gcc -DTORCH_EXTENSION_NAME=scale -DTORCH_API_INCLUDE_EXTENSION_H "
        "-I'/home/a b/include' -isystem /torch/include -isystem /torch/include/torch/csrc/api/include "
        "-D__CUDA_NO_HALF_OPERATORS__ --expt-relaxed-constexpr -gencode=arch=compute_90,code=sm_90 "
        "-gencode=arch=compute_90,code=compute_90 --compiler-options '-fPIC' -O3 -std=c++20 -c k.cu -o k.o"
    )
    assert options.has("--compile")
    assert options.has("--generate-dependencies-with-compile")
    assert options.last("--dependency-output") == "kernel.cuda.o.d"
    assert options.last("--compiler-bindir") == "gcc"
    assert options.all("--define-macro") == [
        "TORCH_EXTENSION_NAME=scale",
        "TORCH_API_INCLUDE_EXTENSION_H",
        "__CUDA_NO_HALF_OPERATORS__",
    ]
    assert options.all("--include-path") == ["/home/a b/include"]
    assert options.all("--system-include") == ["/torch/include", "/torch/include/torch/csrc/api/include"]
    assert options.all("--generate-code") == [
        "arch=compute_90,code=sm_90",
        "arch=compute_90,code=compute_90",
    ]
    assert options.all("--compiler-options") == ["-fPIC"]
    assert options.last("--std") == "c++20"
    assert options.last("--optimize") == "3"
    assert options.last("--output-file") == "k.o"
    assert options.inputs == [Path("k.cu")]


def test_what_cmake_emits() -> None:
    options = read(
        "-forward-unknown-to-host-compiler -Dscale_EXPORTS -O3 -DNDEBUG "
        '"--generate-code=arch=compute_80,code=[compute_80,sm_80]" -Xcompiler=-fPIC -fvisibility=hidden '
        "-MD -MT CMakeFiles/k.cu.o -MF CMakeFiles/k.cu.o.d -x cu -c /src/k.cu -o CMakeFiles/k.cu.o"
    )
    assert options.forwarded == ["-fvisibility=hidden"]
    assert options.last("--x") == "cu"
    assert options.last("--dependency-target-name") == "CMakeFiles/k.cu.o"
    assert options.inputs == [Path("/src/k.cu")]


@pytest.mark.parametrize(
    ("spelling", "values"),
    [
        ("-Xcompiler -fPIC,-Wall", ["-fPIC", "-Wall"]),
        ("-Xcompiler=-fPIC -Xcompiler=-Wall", ["-fPIC", "-Wall"]),
        ("--compiler-options='-fPIC -Wall'", ["-fPIC", "-Wall"]),
        ("""-Xcompiler '"-fPIC","-DNAME=a b"'""", ["-fPIC", "-DNAME=a b"]),
        ("--compiler-options \"'-fPIC'\"", ["-fPIC"]),
    ],
)
def test_lists_for_the_host_compiler(spelling: str, values: list[str]) -> None:
    assert read(f"{spelling} -c k.cu").all("--compiler-options") == values


@pytest.mark.parametrize("spelling", ["-o x", "-o=x", "-ox", "--output-file x", "--output-file=x"])
def test_a_value_may_be_glued_or_not(spelling: str) -> None:
    assert read(f"{spelling} k.cu").last("--output-file") == "x"


def test_switches_take_no_value() -> None:
    options = read("-lineinfo -G -g --use_fast_math -shared -Wno-deprecated-gpu-targets k.cu -lcudart -l m")
    assert options.inputs == [Path("k.cu")]
    assert options.all("--library") == ["cudart", "m"]


def test_threads_in_both_spellings() -> None:
    assert read("-t 4 --threads 2 -t8 k.cu").all("--threads") == ["4", "2", "8"]


@pytest.mark.parametrize(
    "spelling",
    [
        "--options-file {0}/flags.rsp,{0}/more.rsp",
        "-optf={0}/flags.rsp -optf {0}/more.rsp",
        "@{0}/flags.rsp @{0}/more.rsp",
        "@{0}/all.rsp",
    ],
)
def test_response_files_are_read_in_place(tmp_path: Path, spelling: str) -> None:
    (tmp_path / "flags.rsp").write_text("-I/a -I '/b c'\n-DX=1")
    (tmp_path / "more.rsp").write_text("-o\nlibrary")
    (tmp_path / "all.rsp").write_text(f"@{tmp_path}/flags.rsp --options-file {tmp_path}/more.rsp")
    options = read(f"-o first {spelling.format(tmp_path)} -I/d -c k.cu")
    assert options.all("--include-path") == ["/a", "/b c", "/d"]
    assert options.all("--define-macro") == ["X=1"]
    assert options.last("--output-file") == "library"
    assert options.inputs == [Path("k.cu")]


def test_an_option_that_nvcc_does_not_know() -> None:
    with pytest.raises(UnknownOption, match="-fvisibility=hidden"):
        read("-fvisibility=hidden -c k.cu")
