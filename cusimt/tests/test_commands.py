"""`python -m cusimt -- command` and `python -m cusimt doctor`."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from cusimt.folders import PACKAGE
from cusimt.tests.scaling_project import KERNEL, PLAIN_ENTRY, PLAIN_PROGRAM, run, script, write_project

MAKEFILE = """\
test: kernel.o
\tpython3 script.py

kernel.o: kernel.cu
\tnvcc -std=c++20 -Xcompiler -fPIC -c kernel.cu -o kernel.o
"""

SAMPLED_PROGRAM = """\
#include <cuda_runtime.h>
__global__ void mark(int* x) { x[blockIdx.x] = 1; if (blockIdx.x == 99) x[100] = 1; }
int main() {
    int* x;
    cudaMalloc(&x, 100 * sizeof(int));
    for (int i = 0; i < 2; ++i)
        mark<<<100, 1>>>(x);
    cudaDeviceSynchronize();
}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_project(tmp_path)
    (tmp_path / "kernel.cu").write_text(KERNEL + PLAIN_ENTRY)
    script(tmp_path, PLAIN_PROGRAM)
    (tmp_path / "Makefile").write_text(MAKEFILE)
    return tmp_path


def test_make_finds_the_simulated_nvcc_and_python_the_device(project: Path) -> None:
    done = run(project, "--", "make", "test")
    assert done.returncode == 0, done.stderr
    assert "[3.0, 3.0, 3.0, 3.0]" in done.stdout
    assert (project / "kernel.o").exists()


def test_findings_of_a_command_fail_it(project: Path) -> None:
    (project / "kernel.cu").write_text(KERNEL.replace("if (i < n) ", "") + PLAIN_ENTRY)
    done = run(project, "--", "make", "test")
    assert done.returncode == 1
    assert "[3.0, 3.0, 3.0, 3.0]" in done.stdout, "the answers are right"
    assert "kernel.cu:6" in done.stderr
    unchecked = run(project, "--no-checks", "--", "make", "test")
    assert (unchecked.returncode, unchecked.stderr) == (0, "")


def test_a_sampled_run_says_what_it_skipped(tmp_path: Path) -> None:
    (tmp_path / "program.cu").write_text(SAMPLED_PROGRAM)
    assert run(tmp_path, "--", "nvcc", "-o", "program", "program.cu").returncode == 0
    done = run(tmp_path, "--sample-blocks=4", "--", "./program")
    assert done.returncode == 1, "there is a finding in the last block"
    assert "A sampled run. Its values mean nothing" in done.stderr
    assert "    mark (program.cu:7): 4 of 100 blocks, in the first of 2 launches" in done.stderr
    whole = run(tmp_path, "--", "./program")
    assert whole.returncode == 1 and "ampled" not in whole.stderr


@pytest.mark.parametrize(
    "words, status", [(["true"], 0), (["sh", "-c", "exit 7"], 7), (["sh", "-c", "kill -9 $$"], 128 + 9)]
)
def test_the_status_is_the_commands(words: list[str], status: int, tmp_path: Path) -> None:
    assert run(tmp_path, "--", *words).returncode == status


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (["--"], "No command was named."),
        (["--", "no-such-command"], "There is no command no-such-command."),
        (["--", "./Makefile"], "./Makefile cannot be run."),
        (["--sample-blocks=0", "--", "make"], "--sample-blocks=0 is not possible."),
        (["doctor", "--json"], "doctor takes nothing behind it: --json."),
        (["--sample-blocks=4", "--no-checks", "--", "make"], "--sample-blocks and --no-checks exclude"),
        (["--profile", "--", "make"], "--profile does not work with a command."),
    ],
)
def test_a_command_that_cannot_run(arguments: list[str], sentence: str, project: Path) -> None:
    done = run(project, *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith(sentence)


def test_the_version_is_that_of_the_package(tmp_path: Path) -> None:
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())
    done = run(tmp_path, "--version")
    assert (done.returncode, done.stdout) == (0, f"cusimt {project['project']['version']}\n")


def test_the_doctor_looks_at_this_machine(tmp_path: Path) -> None:
    done = run(tmp_path, "doctor")
    assert done.returncode == 0, done.stdout
    assert [line.split()[1] for line in done.stdout.splitlines() if line.startswith("ok")] == [
        "python", "Python.h", "C++", "ninja", "torch", "simulator", "cache",
    ]  # fmt: skip


UNCHECKED = """\
__global__ void kernel(int* x) { x[threadIdx.x] = 1; }
void launch(int* x) { kernel<<<1, 32>>>(x); }
"""
MAIN = """\
#include <cuda_runtime.h>
void launch(int*);
int main() {
    int* x;
    cudaMalloc(&x, 4);
    launch(x);
    return cudaDeviceSynchronize();
}
"""


def test_a_kernel_without_access_checks_is_named(tmp_path: Path) -> None:
    """An object of an earlier run without checks, that is linked into a program with them, and without."""
    (tmp_path / "kernel.cu").write_text(UNCHECKED)
    (tmp_path / "main.cu").write_text(MAIN)
    assert run(tmp_path, "--no-checks", "--", "nvcc", "-c", "kernel.cu").returncode == 0
    for options in ([], ["--no-checks"]):
        link = ["nvcc", "main.cu", "kernel.o", "-o", "program"]
        assert run(tmp_path, *options, "--", *link).returncode == 0
        done = run(tmp_path, "--", "./program")
        assert done.returncode == 0
        assert "kernel (kernel.cu:2) ran without access checks" in done.stderr
    assert run(tmp_path, "--no-checks", "--", "./program").stderr == ""
