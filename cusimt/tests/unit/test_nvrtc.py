"""NVRTC's options, its log, and what becomes of a program's sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from cusimt.compiler.nvrtc_headers import missing_header
from cusimt.compiler.nvrtc_log import compiler_log
from cusimt.compiler.nvrtc_options import InvalidOption, parse
from cusimt.compiler.nvrtc_request import Request, Sources
from cusimt.folders import INCLUDE
from cusimt.support.errors import UsageError


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        (["-DA=1", "-D", "B", "--define-macro=C=2"], ["-D", "A=1", "-D", "B", "-D", "C=2"]),
        (
            ["-I/a", "-I /b", "--include-path=/c", "-I", "/d"],
            ["-I", "/a", "-I", "/b", "-I", "/c", "-I", "/d"],
        ),
        (["-std=c++17", "--std", "c++14"], ["-std=c++17", "-std=c++14"]),
        (["-UX", "--pre-include=a.h", "-w"], ["-U", "X", "--pre-include", "a.h", "-w"]),
        (["-lineinfo", "--fmad=false", "-default-device", "--use_fast_math", "-maxrregcount=32"], []),
    ],
)
def test_options_become_arguments_of_nvcc(options: list[str], arguments: list[str]) -> None:
    assert parse(options).arguments == arguments


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--bogus", "unrecognized option --bogus found"),
        ("-O3", "unrecognized option -O3 found"),
        ("file.cu", "unrecognized option file.cu found"),
        ("", "unrecognized option  found"),
        ("-arch=sm_10", "invalid value for --gpu-architecture (-arch)"),
        ("--std=c++99", "invalid value for --std(-std)"),
        ("-dlto", "asks for code of a GPU"),
        ("-arch", "missing value for option -arch"),
    ],
)
def test_an_option_that_nvrtc_does_not_take_is_named(option: str, message: str) -> None:
    with pytest.raises(InvalidOption, match=message.replace("(", r"\(").replace(")", r"\)")):
        parse([option])


def test_the_architecture_is_the_one_asked_for() -> None:
    assert parse(["--gpu-architecture=sm_90a"]).architecture == "sm_90a"
    assert parse([]).architecture == "compute_75"


def request(source: str, name: str = "k.cu", **headers: str) -> Request:
    names = tuple(name.replace("_", "/") for name in headers)
    return Request(source, name, tuple(headers.values()), names, ("k<int>", "&x"), ())


def test_a_source_becomes_a_file_of_its_name() -> None:
    sources = Sources.of(request("int x;\n", h_a="#define A\n"))
    assert (sources.source.name, sources.source.read_text()) == ("k.cu", "int x;\n")
    assert (sources.headers / "h/a").read_text() == "#define A\n"
    lines = sources.unit.read_text().splitlines()
    assert lines[1:] == [
        '#line 2 "__nv_name_map"',
        "SIMT_NAME_EXPRESSION(0, k<int>)",
        "SIMT_NAME_EXPRESSION(1, &x)",
    ]


def test_a_file_of_the_same_content_stays_where_it_is(tmp_path: Path) -> None:
    file = tmp_path / "k.cu"
    file.write_text("int y;\n")
    assert Sources.of(request("int y;\n", str(file))).source == file
    assert Sources.of(request("int z;\n", str(file))).source != file


def test_integers_of_the_program_get_another_name() -> None:
    source = "#include <cuda_fp16.h>\ntypedef unsigned long long uint64_t;\nusing int64_t = long long;\n"
    lines = Sources.of(request(source)).unit.read_text().splitlines()
    assert lines[:3] == [
        "#include <cuda_fp16.h>",
        "#define int64_t nvrtc_int64_t",
        "#define uint64_t nvrtc_uint64_t",
    ]


def test_a_header_outside_of_every_folder_is_refused() -> None:
    with pytest.raises(UsageError, match="has no place in a folder"):
        Sources.of(Request("", "k.cu", ("",), ("../../../../a.h",), (), ()))


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ('#include "named.h"\n', None),
        ('\n#include "beside.h"\n', None),
        ("#include <beside.h>\n", (1, "beside.h")),
        ("#include <given.h>\n", None),
        ("\n# include <stdio.h>\n", (2, "stdio.h")),
        ("#ifndef __CUDACC_RTC__\n#include <stdio.h>\n#endif\n", None),
        ("#include <cuda_fp16.h>\n", (1, "cuda_fp16.h")),
    ],
)
def test_an_include_that_nvrtc_does_not_find(
    tmp_path: Path, text: str, missing: tuple[int, str] | None
) -> None:
    (tmp_path / "given").mkdir()
    (tmp_path / "given/given.h").touch()
    (tmp_path / "beside.h").touch()
    file = tmp_path / "k.cu"
    file.write_text(text)
    found = missing_header([file], ["named.h"], [tmp_path / "given"])
    assert (found and (found.line, found.name)) == missing


def test_a_toolkits_folder_has_the_toolkits_headers(tmp_path: Path) -> None:
    file = tmp_path / "k.cu"
    file.write_text("#include <cuda_fp16.h>\n")
    assert missing_header([file], [], [INCLUDE]) is None


def test_a_log_has_the_names_that_the_program_gave(tmp_path: Path) -> None:
    asked = request("int x;\n")
    sources = Sources.of(asked)
    text = f"In file included from {sources.unit}:1:\n{sources.source}:4:7: error: no\n"
    text += "__nv_name_map:3:1: error: x\n"
    assert compiler_log(text, asked, sources).splitlines() == [
        "k.cu(4): error: no",
        "__nv_name_map(3): error: x",
        '  Input name expression was: "&x"',
        "",
        '2 errors detected in the compilation of "k.cu".',
    ]
    assert compiler_log("", asked, sources) == ""
