"""`grader doctor`: every line that is wrong comes with its fix, and what is merely optional does not fail."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cusimt.doctor import Line
from cusimt.support import toolchain
from cusimt.support.toolchain import CudaToolkit, HostCompiler, TorchInstall
from grader.cli import extension_probes, probes
from grader.cli.doctor import examine
from grader.support.errors import ToolchainError

EXTENSION_PROBES = extension_probes.PROBES


@pytest.fixture(autouse=True)
def healthy_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, toy_course: Path) -> None:
    """A machine without a GPU, with its own cache, inside the toy course."""
    monkeypatch.setenv("CUSIMT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("CU2GRAD_BACKEND", "simt")
    monkeypatch.setattr(probes, "gpu_present", lambda: False)
    monkeypatch.setattr(extension_probes, "PROBES", {})
    monkeypatch.chdir(toy_course)


def report(capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    code = examine()
    return code, capsys.readouterr().out


def missing() -> None:
    raise ToolchainError("It is not here.", "It is needed.", "Run: sudo apt install it")


def test_what_another_grading_takes_out_of_the_cache_is_no_problem(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "there").write_bytes(bytes(3 << 20))
    monkeypatch.setattr(probes.os, "walk", lambda folder: [(str(tmp_path), [], ["there", "gone"])])
    code, said = report(capsys)
    assert (code, "3 MiB used" in said) == (0, True)


def test_a_machine_that_can_grade_passes(capsys: pytest.CaptureFixture[str], toy_course: Path) -> None:
    code, said = report(capsys)
    assert code == 0
    assert "PROBLEM" not in said
    assert "optional  GPU           none found" in said
    assert f"course        {toy_course}, 2 exercises" in said
    assert said.splitlines()[-1] == "This machine can grade. Next: grader list"


@pytest.mark.parametrize(
    ("tool", "name"),
    [
        ("python_include", "Python.h"),
        ("host_compiler", "C++ compiler"),
        ("ninja", "ninja"),
        ("torch_install", "torch"),
    ],
)
def test_what_is_missing_is_a_problem_with_its_fix(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tool: str, name: str
) -> None:
    monkeypatch.setattr(toolchain, tool, missing)
    code, said = report(capsys)
    assert code == 3
    lines = said.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith(f"PROBLEM   {name}"))
    assert lines[at].endswith("It is not here.")
    assert lines[at + 1].strip() == "-> Run: sudo apt install it"
    assert lines[-1].startswith("Fix first: ") and name in lines[-1]


def test_a_missing_toolkit_is_optional(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(toolchain, "cuda_toolkit", missing)
    code, said = report(capsys)
    assert code == 0
    assert "optional  nvcc          no complete CUDA toolkit" in said


@pytest.mark.parametrize(
    ("limit", "version", "words"),
    [
        ("RLIMIT_NPROC", 7, "bwrap at /bin/true, processes are limited by RLIMIT_NPROC, Landlock 7"),
        ("", 7, "do not grade as root"),
        ("a control group", 0, "every submission waits for a fresh start of torch"),
    ],
)
def test_the_line_of_the_sandbox_says_how_far_it_goes(
    limit: str, version: int, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(probes.shutil, "which", lambda name: "/bin/true")
    monkeypatch.setattr(probes.groups, "process_limit", lambda: limit)
    monkeypatch.setattr(probes.landlock, "version", lambda: version)
    code, said = report(capsys)
    assert code == 0
    assert words in " ".join(said.split())
    assert ("optional sandbox" in " ".join(said.split())) == (not limit or not version)


@pytest.mark.parametrize(
    ("version", "cuda", "word"),
    [("2.10.1", None, "2.10.1 is older than 2.11"), ("2.13.0+cu130", "13.0", "built for CUDA 13.0")],
)
def test_torchs_version_and_build_are_printed(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    version: str,
    cuda: str | None,
    word: str,
) -> None:
    monkeypatch.setattr(toolchain, "torch_install", lambda: TorchInstall(Path("/torch"), version, cuda))
    monkeypatch.setattr(toolchain, "cuda_toolkit", missing)
    _, said = report(capsys)
    assert word in said


def test_a_cache_that_cannot_be_written_names_the_setting(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("CUSIMT_CACHE", str(tmp_path / "file" / "cache"))
    code, said = report(capsys)
    assert code == 3
    assert "cannot be written" in said
    assert "export CUSIMT_CACHE=DIR" in said


def test_a_probe_that_fails_itself_does_not_end_the_report(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken() -> None:
        raise RuntimeError("this was not expected")

    monkeypatch.setattr(toolchain, "ninja", broken)
    code, said = report(capsys)
    assert code == 3
    assert "could not be examined: RuntimeError: this was not expected" in said
    assert "course        " in said


# What torch.utils.cpp_extension runs into. Each probe is asked alone, on an imagined machine.


@pytest.fixture
def torch_with_cuda(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """torch 2.13 for CUDA 13.0, no toolkit, no GPU, an empty PATH and none of the variables."""
    for name in ("CUDA_HOME", "CUDA_PATH", "TORCH_CUDA_ARCH_LIST", "MAX_JOBS", "TORCH_EXTENSIONS_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setattr(
        toolchain, "torch_install", lambda: TorchInstall(tmp_path / "torch", "2.13.0+cu130", "13.0")
    )
    monkeypatch.setattr(toolchain, "cuda_toolkit", missing)
    monkeypatch.setattr(extension_probes, "gpu_present", lambda: False)
    monkeypatch.setattr(extension_probes, "_USUAL_HOME", tmp_path / "nowhere")
    monkeypatch.setattr(extension_probes.shutil, "which", lambda name: None)


def toolkit(folder: Path, release: str = "13.0", newest_gcc: int = 15) -> CudaToolkit:
    """The files of a toolkit that the probes look at; its nvcc prints its release."""
    (folder / "bin").mkdir(parents=True)
    (folder / "include/crt").mkdir(parents=True)
    nvcc = folder / "bin/nvcc"
    nvcc.write_text(f"#!/bin/sh\necho 'Cuda compilation tools, release {release}, V{release}.88'\n")
    nvcc.chmod(0o755)
    (folder / "include/cuda_runtime.h").write_text("")
    rule = f"#error -- unsupported GNU version! gcc versions later than {newest_gcc} are not supported!\n"
    (folder / "include/crt/host_config.h").write_text(rule)
    return CudaToolkit(nvcc, (folder / "include",), folder / "lib64/libcudart.so", "1")


def asked(probe: str) -> Line:
    line = EXTENSION_PROBES[probe]()
    assert line is not None
    return line


def test_a_cpu_build_of_torch_never_finds_a_toolkit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolchain, "torch_install", lambda: TorchInstall(Path("/torch"), "2.13.0+cpu", None))
    monkeypatch.setenv("CUDA_HOME", "/usr/local/cuda")
    line = asked("CUDA_HOME")
    assert (line.state, line.read) == ("optional", "docs/reference/errors.md#cuda-home")
    assert "CPU build" in line.found
    assert extension_probes.architectures() is None


@pytest.mark.usefixtures("torch_with_cuda")
def test_a_toolkit_that_only_the_grader_finds_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert asked("CUDA_HOME").state == "optional"
    found = toolkit(tmp_path / "wheels/cu13")
    monkeypatch.setattr(toolchain, "cuda_toolkit", lambda: found)
    line = asked("CUDA_HOME")
    assert (line.state, line.fix) == ("warning", f"Run: export CUDA_HOME={tmp_path / 'wheels/cu13'}")


@pytest.mark.usefixtures("torch_with_cuda")
def test_cuda_home_is_checked_as_torch_will_use_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    assert asked("CUDA_HOME").found == f"{tmp_path} (CUDA_HOME) has no bin/nvcc"
    for name, release in (("new", "13.1"), ("old", "12.4")):
        toolkit(tmp_path / name, release)
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "new"))
    assert asked("CUDA_HOME") == Line("ok", "CUDA_HOME", f"{tmp_path / 'new'} (CUDA_HOME)")
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "old"))
    line = asked("CUDA_HOME")
    assert (line.state, line.error) == ("warning", "toolkit-version")
    assert line.found.endswith("is CUDA 12.4, but torch was built for CUDA 13.0")


@pytest.mark.usefixtures("torch_with_cuda")
def test_a_wrapper_of_nvcc_misleads_torch(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    toolkit(tmp_path)
    (tmp_path / "include/cuda_runtime.h").unlink()
    monkeypatch.setattr(extension_probes.shutil, "which", lambda name: str(tmp_path / "bin/nvcc"))
    assert asked("CUDA_HOME").found == f"{tmp_path} (nvcc on PATH) has no include/cuda_runtime.h"


@pytest.mark.usefixtures("torch_with_cuda")
@pytest.mark.parametrize(("newest", "state"), [(99, "ok"), (2, "warning")])
def test_a_compiler_newer_than_nvcc_knows_is_reported(
    newest: int, state: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert extension_probes.host_compiler() is None
    found = toolkit(tmp_path / "cuda", newest_gcc=newest)
    monkeypatch.setattr(toolchain, "cuda_toolkit", lambda: found)
    monkeypatch.setattr(toolchain, "host_compiler", lambda: HostCompiler(("g++",), "gcc", "g++ 12"))
    line = asked("nvcc's compiler")
    assert (line.state, bool(line.fix)) == (state, state == "warning")
    assert f"gcc up to {newest}" in line.found
    assert state == "ok" or "CC=gcc-2 CXX=g++-2" in line.fix


@pytest.mark.usefixtures("torch_with_cuda")
def test_without_a_gpu_the_list_of_architectures_has_to_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    line = asked("architectures")
    assert (line.state, line.error) == ("optional", "arch-list-index")
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "8.0")
    assert asked("architectures").state == "ok"


@pytest.mark.usefixtures("torch_with_cuda")
@pytest.mark.parametrize(
    ("listed", "state"),
    [
        ("", "ok"),
        ("native", "ok"),
        ("8.0", "warning"),
        ("8.0 8.6", "warning"),
        ("8.0+PTX", "ok"),
        ("7.5;9.0", "ok"),
        ("10.0+PTX", "warning"),
        ("Hopper", "ok"),
    ],
)
def test_architectures_are_compared_with_the_gpu(
    listed: str, state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extension_probes, "gpu_present", lambda: True)
    monkeypatch.setattr(extension_probes, "capabilities", lambda: ["9.0"])
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", listed)
    line = asked("architectures")
    assert line.state == state
    if state == "warning":
        assert line.error == "no-kernel-image"
        assert line.fix.endswith(';9.0+PTX", and build again.')


@pytest.mark.parametrize(
    ("jobs", "gib", "state", "fix"),
    [
        ("4", 16, "ok", ""),
        ("4", 8, "warning", "Run: export MAX_JOBS=2"),
        ("1", 2, "warning", "Free memory, or add swap."),
        ("", 1000, "ok", ""),
        ("", 3.5, "warning", "Run: export MAX_JOBS=1"),
    ],
)
def test_compilers_have_to_fit_into_memory(
    jobs: str, gib: float, state: str, fix: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "meminfo").write_text(f"MemTotal: 99999999 kB\nMemAvailable: {int(gib * 2**20)} kB\n")
    monkeypatch.setattr(extension_probes, "_PROC", tmp_path)
    monkeypatch.setattr(extension_probes, "processors", lambda: 4)
    monkeypatch.setattr(extension_probes.os, "cpu_count", lambda: 4)
    monkeypatch.setenv("MAX_JOBS", jobs)
    line = asked("compiler jobs")
    assert (line.state, line.fix) == (state, fix)
    assert f"up to {jobs or 6} compilers" in line.found


def test_a_ninja_that_is_not_on_path_is_not_torchs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolchain, "ninja", lambda: Path("/venv/bin/ninja"))
    monkeypatch.setattr(extension_probes.shutil, "which", lambda name: None)
    line = asked("ninja on PATH")
    assert line.state == "warning"
    assert line.fix.startswith('Run: export PATH="/venv/bin:$PATH"')
    monkeypatch.setattr(toolchain, "ninja", missing)
    assert extension_probes.ninja_on_path() is None


@pytest.mark.usefixtures("torch_with_cuda")
def test_a_lock_is_stale_when_it_is_old_and_no_process_holds_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    root, source = tmp_path / "extensions", tmp_path / "torch/utils/cpp_extension.py"
    source.parent.mkdir(parents=True)
    source.write_text("baton = FileBaton(lock)\n")
    monkeypatch.setenv("TORCH_EXTENSIONS_DIR", str(root))
    assert extension_probes.locks() is None
    locks = [root / "py311_cpu" / name / "lock" for name in ("dead", "alive", "young")]
    for lock in locks:
        lock.parent.mkdir(parents=True)
        lock.touch()
    for lock in locks[:2]:
        os.utime(lock, (1e9, 1e9))
    with locks[1].open():
        line = asked("build locks")
    assert (line.state, line.fix) == ("warning", f"Run: rm {locks[0]}")
    locks[0].unlink()
    os.utime(locks[1])
    assert asked("build locks").state == "ok"
    source.write_text("with FileLock(lock):\n")  # these stay, and nothing waits for them
    assert extension_probes.locks() is None


@pytest.mark.usefixtures("torch_with_cuda")
def test_a_torch_of_another_environment_is_noticed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert asked("torch's place").error == "undefined-symbol"
    monkeypatch.setattr(extension_probes.sys, "prefix", str(tmp_path))
    assert asked("torch's place").state == "ok"


def test_what_fails_outside_the_grader_does_not_fail_the_machine(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    line = Line("warning", "build locks", "no process holds /x/lock", "Run: rm /x/lock", "stale-lock")
    monkeypatch.setattr(extension_probes, "PROBES", {"build locks": lambda: line, "torch": missing})
    code, said = report(capsys)
    assert code == 0
    assert "WARNING   build locks" in said
    assert "-> Run: rm /x/lock" in said
    assert "read docs/reference/errors.md#stale-lock" in said
    assert "WARNING   torch" in said
