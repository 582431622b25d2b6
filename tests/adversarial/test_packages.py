"""What a setup.py and an installed package may not do: refused by reading, or stopped while they run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from grader.audit import (
    audit_installed,
    audit_sources,
    python_source,
    setup_source,
    why_not_compiled_with,
)
from grader.checks import grade
from grader.course.catalog import Catalog
from grader.packages import PackageRequest, build_package
from grader.run import landlock
from grader.support.errors import BuildFailed
from grader.verdict import Status

ROOT = Path(__file__).resolve().parents[2]
EXERCISE = Catalog.open(ROOT).find("23")

TINY = {
    "pyproject.toml": '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n'
    '[project]\nname = "tiny"\nversion = "1.0"\n[tool.setuptools]\npackages = ["tiny"]\n',
    "setup.py": "from setuptools import setup\nimport os, pathlib, subprocess\nATTEMPT\nsetup()\n",
    "tiny/__init__.py": "",
}


def tiny(folder: Path, attempt: str, isolate: bool = False) -> PackageRequest:
    for name, text in TINY.items():
        path = folder / "tiny" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("ATTEMPT", attempt))
    return PackageRequest("tiny", folder / "tiny", tuple(TINY), "simt", owner=str(folder), isolate=isolate)


def test_the_audit_accepts_the_solution() -> None:
    text = (EXERCISE.solution_dir / "setup.py").read_text()
    assert list(setup_source.audit(text, "setup.py")) == []


@pytest.mark.parametrize(
    "line",
    [
        'HERE = Path(__file__).parent\nSOURCES = [str(path) for path in Path("csrc").glob("*.c*")]',
        'VERSION = torch.__version__.replace("+cpu", "")',
        'VERSION = "1.0"\nVERSION = VERSION.replace("1", "2")',
        'URL = "https://github.com/someone/cu2grad"',
        'DEBUG = os.getenv("DEBUG", "0") == "1"',
        'README = open("README.md", encoding="utf-8").read()',
        "ON = torch.cuda.is_available() and torch.version.cuda",
        'os.environ["TORCH_CUDA_ARCH_LIST"] = "8.0"',
        'FLAGS = {"cxx": ["-O3"], "nvcc": ["-O3", "--use_fast_math", "-lineinfo"]}',
        "from torch.utils import cpp_extension",
        "from setuptools import find_packages\nPACKAGES = find_packages(where='src', exclude=['tests*'])",
        "SOURCES = sorted(os.path.relpath(os.path.join('csrc', name)) for name in ('kernel.cu', 'b.cpp'))",
        "import sys\nNINJA = '--no-ninja' not in sys.argv\nWINDOWS = sys.platform == 'win32'",
        "import re\nVERSION = re.search(r'version = \"(.*)\"', Path('p.toml').read_text()).group(1)",
        "from torch.utils.cpp_extension import BuildExtension\nC = {'b': "
        "BuildExtension.with_options(use_ninja=True)}",
        "import glob\nFILES = [*glob.glob('csrc/*.cu'), *glob.glob('csrc/*.cpp')]",
        "def flags(debug: bool) -> list[str]:\n    return ['-O0', '-g'] if debug else ['-O3']",
        "if __name__ == '__main__':\n    print(os.environ.get('MAX_JOBS'))",
        "import tomllib\nNAME = tomllib.loads(Path('pyproject.toml').read_text())['project']['name']",
        "import shutil\nHAS_NINJA = shutil.which('ninja') is not None",
    ],
)
def test_the_audit_accepts_ordinary_setup_py(line: str) -> None:
    text = f"import os\nfrom pathlib import Path\nimport torch\n{line}\n"
    assert list(setup_source.audit(text, "setup.py")) == []


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("import subprocess", "imports `subprocess`"),
        ("from os import system", "imports `os.system`"),
        ("import grader", "imports `grader`"),
        ("from torch import _C", "imports `torch._C`"),
        ("import os\nos.system('ls')", "uses `os.system`"),
        ("import sys\nsys.modules['torch']", "uses `sys.modules`"),
        ("from pathlib import Path\nPath('csrc/kernel.cu').write_text('')", "write_text"),
        ("exec('1')", "uses `exec`"),
        ("import torch\ntorch.version = 1", "changes `torch.version`"),
        ("class Build:\n    pass", "defines the class Build"),
        ("import pathlib\npathlib.Path.replace('a.cu', 'b.cu')", "uses `pathlib.Path.replace`"),
        ("import pathlib\npathlib.Path('a.cu').replace('b.cu')", "replace`"),
        ("import pathlib\n('a' and pathlib.Path('a.cu')).replace('b.cu')", "replace`"),
        ("import pathlib\n[pathlib.Path][0].replace('a.cu', 'b.cu')", "hands on the class `pathlib.Path`"),
        ("import pathlib\npathlib.Path('a.cu').replace(*['b.cu'], *[])", "replace`"),
        ("FLAG = '-fsanitize=https://x'", "says `-fsanitize"),
        ("x = open('csrc/kernel.cu', 'w')", "opens a file for more than reading"),
        ("open('csrc/kernel.cu', mode='w')", "opens a file for more than reading"),
        ("from pathlib import Path\nPath('csrc/kernel.cu').open('w')", "reads the attribute `open`"),
        ("import torch\ntorch.os.system('ls')", "uses `torch.os`"),
        ("import torch\ntorch.save({}, 'csrc/kernel.cu')", "uses `torch.save`"),
        ("from pathlib import os", "imports `pathlib.os`"),
        ("import glob as g\ng.os.remove('setup.py')", "uses `glob.os`"),
        ("import setuptools\nsetuptools.distutils.spawn.spawn(['ls'])", "uses `setuptools.distutils"),
        (
            "from torch.utils.cpp_extension import load_inline",
            "imports `torch.utils.cpp_extension.load_inline`",
        ),
        ("import torch\nother = torch", "hands on the module `torch`"),
        ("import torch.utils\nother = torch.utils", "hands on the module `torch.utils`"),
        ("FLAGS = ['-fno-sanitize=thread']", "says `-fno-sanitize=thread`"),
        ("FLAGS = ['-Xcompiler=-fno-sanitize=all']", "says `-Xcompiler=-fno-sanitize=all`"),
        ("FLAGS = ['-include', 'x.h']", "says `-include`"),
        ("FLAGS = ['-Wl,--wrap=memcpy']", "says `-Wl,--wrap=memcpy`"),
        ("FLAGS = ['-fplugin=x.so']", "says `-fplugin=x.so`"),
        ("FLAGS = ['@flags']", "says `@flags`"),
        # What a list of bad names had left open.
        ("import os\nos.environ.data", "reads the attribute `data`"),
        ("import os\nos.environ.encodekey.__globals__", "reads the attribute `encodekey`"),
        ("from os import path\npath.genericpath.os.system('ls')", "uses `os.path.genericpath`"),
        ("from pathlib import Path\nPath('a').symlink_to('b')", "reads the attribute `symlink_to`"),
        ("from pathlib import Path\nPath('a').lchmod(0)", "reads the attribute `lchmod`"),
        ("import sys\nsys.argv.append('x')\nsys._getframe()", "uses `sys._getframe`"),
        ("import re\nre._compiler", "uses `re._compiler`"),
        ("from torch.utils.cpp_extension import BuildExtension\nBuildExtension.run = 1", "changes `Build"),
        ("from torch.utils.cpp_extension import BuildExtension\nb = [BuildExtension]", "hands on the class"),
        ("import importlib", "imports `importlib`"),
        ("vars()", "uses `vars`"),
        ("memoryview(b'')", "uses `memoryview`"),
        ("opened = open", "opens a file for more than reading"),
        ("open(*['a', 'w'])", "opens a file for more than reading"),
        ("'{0.__class__}'.format(1)", "reads the attribute `format`"),
    ],
)
def test_setup_py_that_does_more_than_declare_is_refused(line: str, words: str) -> None:
    objections = list(setup_source.audit(line, "setup.py"))
    assert words in objections[0].sentence
    assert objections[0].sentence.startswith(
        f"setup.py:{len(line.splitlines()) if 'class' not in line else 1} "
    )


@pytest.mark.parametrize(
    "flag",
    [
        "-O3", "--use_fast_math", "-lineinfo", "-DNDEBUG", "-DWIDTH=32", '-DNAME="a name"', "-std=c++20",
        "-Xcompiler=-Wall", "-I/usr/include", "-gencode=arch=compute_80,code=sm_80",
    ],
)  # fmt: skip
def test_ordinary_flags_are_compiled_with(flag: str) -> None:
    assert why_not_compiled_with(flag) == ""


@pytest.mark.parametrize(
    ("flag", "words"),
    [
        ("-fno-sanitize=thread", "touches the access checks"),
        ("-xc++", "touches the access checks or what is compiled"),
        ("-D__global__=", "gives `__global__` another meaning"),
        ("-Xcompiler=-Dif(x)=if(true)", "gives `if` another meaning"),
        ("-U__CUDA_ARCH__", "gives `__CUDA_ARCH__` another meaning"),
        ("-DMARK=__attribute__((cold))", "hides code in a macro"),
    ],
)
def test_flags_that_say_what_a_source_may_not_are_refused(flag: str, words: str) -> None:
    assert words in why_not_compiled_with(flag)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("FLAGS = {'cxx': ['-fno-' + 'sani' + 'tize=thread']}", "asks for -fno-sanitize=thread"),
        ("FLAGS = ['-Wall -fno-' + 'sani' + 'tize=thread']", "asks for -fno-sanitize=thread"),
        ("FLAGS = ['-D' + '__shared__=']", "asks for -D__shared__="),
        ("os.environ['CX' + 'X'] = 'g++ -w'", "sets CXX"),
    ],
)
def test_flags_in_pieces_are_seen_when_they_are_used(tmp_path: Path, line: str, words: str) -> None:
    extension = (
        "from torch.utils.cpp_extension import BuildExtension, CppExtension\n"
        "FLAGS = []\n"
        f"{line}\n"
        "made = [CppExtension('tiny._C', ['tiny/c.cpp'], extra_compile_args=FLAGS)]\n"
        "setup(ext_modules=made, cmdclass={'build_ext': BuildExtension})"
    )
    assert list(setup_source.audit(f"import os\n{extension}", "setup.py")) == []
    with pytest.raises(BuildFailed, match=re.escape(f"setup.py {words}")):
        build_package(tiny(tmp_path, extension))


def test_a_header_found_by_a_folder_that_setup_py_names_is_audited(tmp_path: Path) -> None:
    shutil.copytree(EXERCISE.solution_dir, tmp_path, dirs_exist_ok=True)
    kernel, header = tmp_path / "csrc/kernel.cu", tmp_path / "csrc/launchers.h"
    kernel.write_text(kernel.read_text().replace('"launchers.h"', "<launchers.h>"))
    header.write_text(header.read_text() + 'inline void f() { asm volatile(""); }\n')
    objection = audit_sources(EXERCISE, tmp_path, "simt")
    assert objection is not None
    assert objection.sentence.startswith(f"launchers.h:{len(header.read_text().splitlines())} uses `asm`")


@pytest.mark.parametrize("name", ["setup.py", "pyproject.toml", "../fused_muladd/__init__.py"])
def test_a_file_that_is_python_as_well_is_not_included(tmp_path: Path, name: str) -> None:
    shutil.copytree(EXERCISE.solution_dir, tmp_path, dirs_exist_ok=True)
    kernel = tmp_path / "csrc/kernel.cu"
    kernel.write_text(f"#include <{name}>\n{kernel.read_text()}")
    objection = audit_sources(EXERCISE, tmp_path, "simt")
    assert objection is not None
    assert objection.sentence.startswith(f"kernel.cu:1 has `#include <{name}>`")


def test_a_packaged_file_imports_its_neighbours_and_no_others() -> None:
    audit = python_source.audit
    assert list(audit("from . import _C\nfrom .ops import muladd\n", "p/__init__.py", packaged=True)) == []
    assert list(audit("from .. import grader\n", "p/__init__.py", packaged=True))
    assert list(audit("from . import _C\n", "op.py"))
    assert list(audit("import subprocess\n", "p/__init__.py", packaged=True))


@pytest.mark.parametrize(
    ("neighbour", "text", "refused"),
    [
        ("import torch\ndef f(x): return x\n", "from . import _C, ops\ny = _C.scale(ops.f(1), 2)\n", ""),
        ("import torch as t\n", "from .ops import t\n", "imports `t` from a neighbour"),
        ("from torch import nn\n", "from . import ops\nops.nn.x = 1\n", "reads the attribute `nn`, a module"),
        ("import numpy\n", "from . import ops\nm = ops.numpy\n", "reads the attribute `numpy`, a module"),
        ("", "from .ops import *\n", "imports `*` from a neighbour"),
    ],
)
def test_a_neighbour_hands_out_no_module(tmp_path: Path, neighbour: str, text: str, refused: str) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p/ops.py").write_text(neighbour)
    (tmp_path / "p/__init__.py").write_text(text)
    objection = audit_installed(EXERCISE, tmp_path, backend="cuda")
    assert (objection.what if objection else "") == refused


def test_everything_that_is_installed_is_audited(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p/__init__.py").write_text("import torch\n")
    assert audit_installed(EXERCISE, tmp_path, backend="simt") is None
    (tmp_path / "p/more.py").write_text("import ctypes\n")
    objection = audit_installed(EXERCISE, tmp_path, backend="simt")
    assert objection is not None
    assert objection.sentence.startswith("p/more.py:1 imports `ctypes`.")
    (tmp_path / "p/more.py").unlink()
    (tmp_path / "at_start.pth").write_text("import os\n")
    objection = audit_installed(EXERCISE, tmp_path, backend="simt")
    assert objection is not None
    assert "at_start.pth" in objection.sentence


@pytest.mark.skipif(landlock.version() == 0, reason="needs Landlock, Linux 5.13 or newer")
@pytest.mark.parametrize("attempt", ["open('SECRET').read()", "open('PLANTED', 'w')", "os.remove('SECRET')"])
def test_a_build_reads_and_writes_nothing_elsewhere(tmp_path: Path, attempt: str) -> None:
    secret = tmp_path / "secret"
    secret.write_text("of somebody else")
    attempt = attempt.replace("SECRET", str(secret)).replace("PLANTED", str(tmp_path / "planted"))
    with pytest.raises(BuildFailed) as caught:
        build_package(tiny(tmp_path, attempt))
    assert "setup.py:3: PermissionError" in caught.value.what
    assert secret.is_file()


def test_what_a_build_leaves_running_is_ended(tmp_path: Path) -> None:
    seconds = f"987.{os.getpid()}"  # nobody else's
    request = tiny(tmp_path, f"subprocess.Popen(['sleep', '{seconds}'], start_new_session=True)")
    build_package(request)
    running = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert f"sleep {seconds}" not in running


def test_a_build_that_ends_its_process_is_a_failed_build(tmp_path: Path) -> None:
    with pytest.raises(BuildFailed, match="it ended without a message"):
        build_package(tiny(tmp_path, "os._exit(0)"))


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap: apt install bubblewrap")
def test_an_isolated_build_sees_no_files_of_the_user(tmp_path: Path) -> None:
    attempt = (
        f"print('SEES', os.listdir({str(Path.home())!r}) if os.path.isdir({str(Path.home())!r}) else [])"
    )
    built = build_package(
        tiny(tmp_path, attempt + f"; print(os.path.exists({str(tmp_path)!r}))", isolate=True)
    )
    seen = next(line for line in built.log.read_text().splitlines() if line.startswith("SEES"))
    visible = set(map(str, Path.home().iterdir())) if Path.home().is_dir() else set()
    assert len(seen) < 4000
    assert not any(Path(name).name in seen for name in visible if Path(name).name.startswith(".bash"))
    assert "\nFalse\n" in built.log.read_text()


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap: apt install bubblewrap")
def test_a_package_is_judged_inside_the_sandbox_as_outside() -> None:
    verdict = grade(EXERCISE, EXERCISE.solution_dir, backend="simt", seed=1, isolate=True)
    assert [check.sentence for check in verdict.checks if check.status is not Status.PASS] == []
    assert verdict.earned == verdict.out_of == 100
