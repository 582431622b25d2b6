"""A package with kernels on the simulated toolkit: what a change compiles, and what cuobjdump lists."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from cusimt.compiler.gpu_code import main, requested_code
from cusimt.compiler.nvcc_options import parse
from cusimt.compiler.toolkit import cuda_home
from grader.course.catalog import Catalog
from grader.course.workspace import without_markers
from grader.packages import PackageRequest, build_package
from grader.packages.gpu_code import gpu_code

ROOT = Path(__file__).resolve().parents[2]
EXERCISE = Catalog.open(ROOT).find("23")


@pytest.fixture(scope="module")
def request_(tmp_path_factory: pytest.TempPathFactory) -> PackageRequest:
    """The solution of 23, for an owner of its own: nothing of it is in the cache."""
    folder = tmp_path_factory.mktemp("package")
    names = (*EXERCISE.edit, *EXERCISE.given)
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(without_markers((EXERCISE.solution_dir / name).read_text()))
    return PackageRequest(EXERCISE.build.name, folder, names, "simt", owner=str(folder))


@pytest.mark.slow
def test_metadata_compile_nothing_and_another_list_of_architectures_the_kernel_alone(
    request_: PackageRequest,
) -> None:
    first = build_package(request_)
    assert "[2/2]" in first.log.read_text()
    (library,) = first.installed.glob("fused_muladd/*.so")
    assert gpu_code(library, "simt") == {"sm_75", "sm_80", "sm_90", "compute_90"}

    project, setup = (request_.files / name for name in ("pyproject.toml", "setup.py"))
    project.write_text(project.read_text().replace("0.1.0", "0.2.0"))
    assert "ninja: no work to do" in build_package(request_).log.read_text()

    setup.write_text(setup.read_text().replace("7.5;8.0;9.0+PTX", "8.0"))
    second = build_package(request_)
    log = second.log.read_text()
    assert "[1/1]" in log
    assert "csrc/kernel.cu" in log
    (library,) = second.installed.glob("fused_muladd/*.so")
    assert gpu_code(library, "simt") == {"sm_80"}
    program = cuda_home(checked=True) / "bin/cuobjdump"
    told = subprocess.run([program, "--list-elf", library], capture_output=True, text=True, check=True)
    assert told.stdout == "ELF file    1: kernel.1.sm_80.cubin\n"


@pytest.mark.parametrize(
    ("flags", "code"),
    [
        ("-gencode=arch=compute_75,code=sm_75", ["sm_75"]),
        ("-gencode arch=compute_90,code=[sm_90,compute_90]", ["sm_90", "compute_90"]),
        ("-arch=sm_80", ["sm_80", "compute_80"]),
        ("-arch=compute_80 -code=sm_80,sm_86", ["sm_80", "sm_86"]),
        ("-gencode=arch=compute_90a,code=sm_90a", ["sm_90a"]),
        ("", ["compute_75", "sm_75"]),
    ],
)
def test_what_nvcc_is_asked_to_generate(flags: str, code: list[str]) -> None:
    assert requested_code(parse([*flags.split(), "-c", "kernel.cu"])) == code


def test_cuobjdump_refuses_what_it_does_not_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--dump-sass", "library.so"]) == 1
    assert "usage: cuobjdump" in capsys.readouterr().err
    assert main(["--list-elf", str(tmp_path / "library.so")]) == 1
    assert "Could not open input file" in capsys.readouterr().err
    (tmp_path / "library.so").write_text("no library")
    assert main(["-lelf", "-lptx", str(tmp_path / "library.so")]) == 0
    assert capsys.readouterr().out == ""
