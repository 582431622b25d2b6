"""How a package may load the library beside it: one form, and no other file."""

from __future__ import annotations

import pytest

from grader.audit import python_source
from grader.audit.own_names import modules_in
from grader.audit.setup_source import why_not_compiled_with

START = "from pathlib import Path\n\nimport torch\n\n"
LOAD = 'torch.ops.load_library(Path(__file__).parent / "_C.abi3.so")\n'


def objections(text: str, packaged: bool = True) -> list[str]:
    found = python_source.audit(text, "pack/__init__.py", "pack", packaged=packaged)
    return [f"{each.line}: {each.what}" for each in found]


@pytest.mark.parametrize(
    "path",
    [
        'Path(__file__).parent / "_C.abi3.so"',
        'Path(__file__).resolve().parent / "_C.so"',
        'Path(__file__).with_name("_C.abi3.so")',
        'str(Path(__file__).parent / "_C.abi3.so")',
    ],
)
def test_the_library_beside_the_file_is_loaded(path: str) -> None:
    assert objections(f"{START}torch.ops.load_library({path})\n") == []


@pytest.mark.parametrize(
    "path",
    [
        '"/tmp/other.so"',
        'Path(__file__).parent.parent / "other.so"',
        'Path(__file__).parent / "../other.so"',
        'Path(__file__).parent / "data.txt"',
        'Path("/tmp") / "_C.so"',
        'next(Path(__file__).parent.glob("*.so"))',
        "*paths",
        'str(Path(__file__).parent) / "_C.so"',
    ],
)
def test_no_other_library_is_loaded(path: str) -> None:
    found = objections(f"{START}torch.ops.load_library({path})\n")
    assert any("`torch.ops.load_library`" in each for each in found)


@pytest.mark.parametrize(
    "more",
    [
        'text = Path("/etc/passwd").read_text()\n',
        "here = Path(__file__)\n",
        "def Path(file):\n    return file\n",
        "Path = str\n",
        "loads = torch.ops.load_library\n",
        "for Path in ():\n    pass\n",
    ],
)
def test_a_path_serves_for_nothing_else(more: str) -> None:
    assert objections(START + LOAD) == []
    assert objections(START + LOAD + more) != []


def test_only_a_package_may() -> None:
    assert objections(START + LOAD, packaged=False) != []


def test_an_unused_import_of_pathlib_is_explained() -> None:
    (objection,) = python_source.audit(START, "pack/__init__.py", "pack", packaged=True)
    assert objection.what == "imports `pathlib`"
    assert 'torch.ops.load_library(Path(__file__).parent / "NAME.so")' in objection.rule


def test_a_relative_path_is_the_fault_and_not_the_import_of_pathlib() -> None:
    found = objections(f'{START}torch.ops.load_library("_C.abi3.so")\n')
    assert set(found) == {"5: uses `torch.ops.load_library`"}


@pytest.mark.parametrize(
    ("flag", "accepted"),
    [
        ("-DTORCH_TARGET_VERSION=0x020a000000000000", True),
        ("-DTORCH_TARGET_VERSION=0x020a000000000000ULL", True),
        ("-Xcompiler=-DUSE_CUDA", True),
        ("-DUSE_CUDA=1", True),
        ("-DPy_LIMITED_API=0x030A0000", True),
        ("-DTORCH_TARGET_VERSION=f()", False),
        ("-DUSE_CUDA=f()", False),
        ("-UTORCH_TARGET_VERSION", False),
        ("-DTORCH_CHECK=0", False),
    ],
)
def test_macros_of_the_stable_headers(flag: str, accepted: bool) -> None:
    assert (why_not_compiled_with(flag) == "") is accepted


@pytest.mark.parametrize(
    "text",
    [
        "import pack._C\nfrom pack.ops import muladd\n",
        "import pack._C as _C\n",
        "import torch, pack._C\n",
        "from pack import _C, ops\n\nmuladd = ops.muladd\n",
        "from . import _C, ops\n\nmuladd = ops.muladd\n",
    ],
)
def test_a_neighbour_is_imported_with_a_dot_or_by_the_name_of_the_package(text: str) -> None:
    assert objections(text) == []


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("from pack import os\n", "1: imports `os` from a neighbour"),
        ("from pack.ops import *\n", "1: imports `*` from a neighbour"),
        ("import pack.ops.os\n", "1: imports `pack.ops.os` from a neighbour"),
        ("import pack.ops\n\npack.os.system('true')\n", "3: reads the attribute `os`, a module"),
        ("import packs.ops\n", "1: imports `packs`"),
    ],
)
def test_no_module_of_others_is_taken_from_a_neighbour(text: str, what: str) -> None:
    found = python_source.audit(text, "pack/__init__.py", "pack", packaged=True, hidden={"os"})
    assert what in [f"{each.line}: {each.what}" for each in found]


def test_outside_of_a_package_its_name_leads_nowhere() -> None:
    assert objections("import pack._C\n", packaged=False) == ["1: imports `pack`"]


def test_the_package_is_no_module_of_others() -> None:
    source = b"import json\nimport pack._C as _C\nimport pack.ops\nfrom pack import ops\n"
    assert modules_in(source, lambda name: False, "pack") == {"json"}
