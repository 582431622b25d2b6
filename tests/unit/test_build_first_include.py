"""Which sources may find torch/extension.h already read: those that include it before code of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.compilation.first_include import leads_with

HEADER = "torch/extension.h"
ROOT = Path(__file__).resolve().parents[2]


def leads(tmp_path: Path, text: str, **headers: str) -> bool:
    source = tmp_path / "kernel.cu"
    source.write_text(text)
    for name, content in headers.items():
        (tmp_path / f"{name}.h").write_text(content)
    return leads_with(source, HEADER, [])


@pytest.mark.parametrize(
    "text",
    [
        "#include <torch/extension.h>\n",
        '#include "torch/extension.h"',
        "// a comment\n/* and\n another */\n#pragma once\n#  include <torch/extension.h> // why\nint a;\n",
        "\ufeff#include <cuda.h>\n#include <c10/cuda/CUDAGuard.h>\n#include \\\n <torch/extension.h>\n",
    ],
)
def test_comments_and_other_includes_may_come_first(tmp_path: Path, text: str) -> None:
    assert leads(tmp_path, text)


@pytest.mark.parametrize(
    "before",
    [
        "#define TORCH_STABLE_ONLY",
        "#undef __CUDACC__",
        "#if 1",
        "#ifndef GUARD_H",
        "#pragma GCC optimize(3)",
        "constexpr int kThreads = 256;",
        "using namespace std;",
        "#include HEADER",
    ],
)
def test_what_could_see_the_difference_comes_first(tmp_path: Path, before: str) -> None:
    assert not leads(tmp_path, f"{before}\n#include <torch/extension.h>\n")
    assert leads(tmp_path, f"#include <torch/extension.h>\n{before}\n")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "int a;",
        "// #include <torch/extension.h>\n",
        "#include <torch/torch.h>\n",
        'const char* text = R"(\n#include <torch/extension.h>\n)";\n',
    ],
)
def test_a_source_without_the_header_does_not_get_it(tmp_path: Path, text: str) -> None:
    assert not leads(tmp_path, text)


def test_a_header_of_ones_own_is_looked_into(tmp_path: Path) -> None:
    text = '#include "common.h"\n#include <torch/extension.h>\n'
    assert leads(tmp_path, text, common="#pragma once\n#include <torch/extension.h>\nint a;\n")
    assert leads(tmp_path, text, common="#pragma once\n#include <vector>\n")
    assert not leads(tmp_path, text, common="#pragma once\nvoid launch(torch::Tensor);\n")
    assert not leads(tmp_path, text, common='#include "common.h"\n')


def test_a_file_of_ones_own_with_the_headers_name_is_no_library(tmp_path: Path) -> None:
    (tmp_path / "torch").mkdir()
    (tmp_path / HEADER).write_text("int mine;\n")
    assert not leads(tmp_path, f'#include "{HEADER}"\n')
    assert leads(tmp_path, f"#include <{HEADER}>\n")
    assert not leads_with(tmp_path / "kernel.cu", HEADER, [tmp_path])


@pytest.mark.parametrize("include", ["<mine.h>", '"sub/nested.h"'])
def test_the_compiler_looks_beside_the_source_last(tmp_path: Path, include: str) -> None:
    text = f"#include {include}\n#include <torch/extension.h>\n"
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/nested.h").write_text('#include "mine.h"\n')  # which is not beside it
    assert not leads(tmp_path, text, mine="#define NDEBUG\n")
    assert leads(tmp_path, text, mine="#pragma once\n")


def test_a_file_that_a_library_may_have_as_well_does_not_count(tmp_path: Path) -> None:
    (tmp_path / "vector").write_text("#include <torch/extension.h>\n")
    assert not leads(tmp_path, "#include <vector>\n#define NDEBUG\n#include <torch/extension.h>\n")


def test_the_kernels_of_the_course_that_include_it_get_it() -> None:
    kernels = sorted((ROOT / "solutions").glob("*/*.cu"))
    includes = [file for file in kernels if f"#include <{HEADER}>" in file.read_text()]
    assert [file for file in kernels if leads_with(file, HEADER, [])] == includes != []
