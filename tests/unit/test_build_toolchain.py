"""What is missing is named with the package that has it; what is there is found without importing torch."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cusimt.support import toolchain
from grader.compilation import devices
from grader.support.errors import ToolchainError, UsageError


@pytest.fixture(autouse=True)
def forgetful(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Every test looks anew, and nothing remembers what it found."""
    monkeypatch.setenv("CUSIMT_CACHE", str(tmp_path / "cache"))
    found = [f for f in vars(toolchain).values() if hasattr(f, "cache_clear")]
    for function in found:
        function.cache_clear()
    yield
    for function in found:
        function.cache_clear()


def program(folder: Path, name: str, text: str) -> Path:
    """An executable shell script."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{text}\n")
    (folder / name).chmod(0o755)
    return folder / name


def test_cxx_chooses_the_compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    compiler = program(tmp_path, "my-clang", "echo 'Debian clang version 14.0.6'; echo more")
    monkeypatch.setenv("CXX", f"{compiler} -m64")
    found = toolchain.host_compiler()
    assert found.command == (str(compiler), "-m64")
    assert found.family == "clang"
    assert found.version == "Debian clang version 14.0.6"


def test_without_gcc_clang_is_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program(tmp_path, "clang++", "echo 'clang version 18'")
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert toolchain.host_compiler().command == ("clang++",)


def test_no_compiler_names_the_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolchainError, match=r"No C\+\+ compiler was found\..*sudo apt install g\+\+"):
        toolchain.host_compiler()


def test_a_cxx_that_cannot_be_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(ToolchainError, match="CXX names 'no-such-compiler', which cannot be run"):
        toolchain.host_compiler()


def test_a_compiler_that_fails_is_an_error_in_words(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CXX", str(program(tmp_path, "broken", "exit 3")))
    with pytest.raises(ToolchainError, match="--version failed"):
        toolchain.host_compiler()


def test_missing_python_headers_name_the_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(toolchain.sysconfig, "get_path", lambda _: str(tmp_path))
    with pytest.raises(ToolchainError, match="sudo apt install python3-dev"):
        toolchain.python_include()


def test_missing_ninja_names_the_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(toolchain.sysconfig, "get_path", lambda _: str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolchainError, match="pip install ninja"):
        toolchain.ninja()


def test_missing_torch_is_an_error_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolchain.importlib.util, "find_spec", lambda _: None)
    with pytest.raises(ToolchainError, match="PyTorch is not installed"):
        toolchain.torch_install()


def test_torch_is_found_without_importing_it() -> None:
    code = (
        "import sys; from cusimt.support import toolchain; found = toolchain.torch_install();"
        "assert 'torch' not in sys.modules; import torch;"
        "assert found.version == torch.__version__ and found.cuda == torch.version.cuda;"
        "assert (found.include_dirs[0] / 'ATen/core/Tensor.h').is_file()"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, timeout=600)


def toolkit(home: Path) -> Path:
    program(home / "bin", "nvcc", "exit 0")
    for name in ("include/cuda_runtime.h", "lib64/libcudart.so"):
        (home / name).parent.mkdir(exist_ok=True)
        (home / name).touch()
    return home


def test_cuda_home_comes_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    home = toolkit(tmp_path / "cuda")
    monkeypatch.setenv("CUDA_HOME", str(home))
    found = toolchain.cuda_toolkit()
    assert found.nvcc == home / "bin/nvcc"
    assert found.cudart == home / "lib64/libcudart.so"


def test_wheels_have_a_runtime_with_a_version(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    home = toolkit(tmp_path / "nvidia/cu13")
    (home / "lib").mkdir()
    (home / "lib64/libcudart.so").rename(home / "lib/libcudart.so.13")
    monkeypatch.setenv("CUDA_HOME", str(home))
    assert toolchain.cuda_toolkit().cudart == home / "lib/libcudart.so.13"


def test_an_incomplete_toolkit_is_passed_over(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = toolkit(tmp_path / "broken")
    (broken / "include/cuda_runtime.h").unlink()
    whole = toolkit(tmp_path / "whole")
    monkeypatch.setenv("CUDA_HOME", str(broken))
    monkeypatch.setenv("PATH", str(whole / "bin"))
    assert toolchain.cuda_toolkit().nvcc == whole / "bin/nvcc"


def test_the_simulated_toolkit_is_passed_over(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    simulated, real = toolkit(tmp_path / "simulated"), toolkit(tmp_path / "real")
    (simulated / "include/simt_api.h").touch()
    monkeypatch.setenv("CUDA_HOME", str(simulated))
    monkeypatch.setenv("PATH", str(real / "bin"))
    assert toolchain.cuda_toolkit().nvcc == real / "bin/nvcc"


def test_no_toolkit_lists_where_it_looked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(toolchain, "toolkit_homes", lambda: iter([tmp_path]))
    with pytest.raises(ToolchainError, match=f"looked in {tmp_path}"):
        toolchain.cuda_toolkit()


# ---- backends and GPUs ---------------------------------------------------------------------------------


def test_the_environment_chooses_the_backend(monkeypatch: pytest.MonkeyPatch) -> None:
    for chosen in ("cuda", "simt"):
        monkeypatch.setenv("CU2GRAD_BACKEND", chosen)
        assert devices.detect_backend() == chosen
    monkeypatch.setenv("CU2GRAD_BACKEND", "opencl")
    with pytest.raises(UsageError, match="CU2GRAD_BACKEND is 'opencl'"):
        devices.detect_backend()


@pytest.mark.parametrize(
    ("gpu", "cuda_torch", "expected"),
    [(True, True, "cuda"), (True, False, "simt"), (False, True, "simt")],
)
def test_cuda_needs_a_gpu_and_a_torch_for_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, gpu: bool, cuda_torch: bool, expected: str
) -> None:
    monkeypatch.delenv("CU2GRAD_BACKEND", raising=False)
    monkeypatch.setenv("CUDA_HOME", str(toolkit(tmp_path / "cuda")))
    monkeypatch.setattr(devices, "gpu_present", lambda: gpu)
    torch = toolchain.TorchInstall(tmp_path, "2.11", "13.0" if cuda_torch else None)
    monkeypatch.setattr(devices, "torch_install", lambda: torch)
    assert devices.detect_backend() == expected


def test_hidden_gpus_are_not_present(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "_query", lambda _: ["a GPU"])
    for hidden in ("", "-1"):
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", hidden)
        assert not devices.gpu_present()
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    assert devices.gpu_present()


@pytest.mark.parametrize(
    ("listed", "flags"),
    [
        ("9.0", ["-gencode=arch=compute_90,code=sm_90"]),
        (
            "8.0 9.0a+PTX",
            [
                "-gencode=arch=compute_80,code=sm_80",
                "-gencode=arch=compute_90a,code=sm_90a",
                "-gencode=arch=compute_90a,code=compute_90a",
            ],
        ),
        ("Hopper", ["-arch=native"]),
    ],
)
def test_architectures_from_the_environment(
    monkeypatch: pytest.MonkeyPatch, listed: str, flags: list[str]
) -> None:
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", listed)
    assert devices.architecture_flags() == flags


@pytest.mark.parametrize(
    ("capability", "flag"),
    [
        ("9.0", "-gencode=arch=compute_90,code=sm_90"),
        ("8.9", "-gencode=arch=compute_86,code=sm_86"),  # runs code of a lower minor version
        ("10.3", "-gencode=arch=compute_90,code=compute_90"),  # newer than nvcc: its driver compiles the PTX
    ],
)
def test_a_gpu_gets_the_best_code_that_nvcc_makes_for_it(
    monkeypatch: pytest.MonkeyPatch, capability: str, flag: str
) -> None:
    monkeypatch.delenv("TORCH_CUDA_ARCH_LIST", raising=False)
    monkeypatch.setattr(devices, "gpu_codes", lambda: [(7, 5), (8, 0), (8, 6), (9, 0)])
    monkeypatch.setattr(devices, "capabilities", lambda: [capability])
    assert devices.architecture_flags() == [flag]


def test_a_gpu_that_nvcc_does_not_serve_is_named_with_the_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TORCH_CUDA_ARCH_LIST", raising=False)
    monkeypatch.setattr(devices, "gpu_codes", lambda: [(7, 5), (8, 0), (12, 1)])
    monkeypatch.setattr(devices, "capabilities", lambda: ["6.1"])
    with pytest.raises(ToolchainError, match=r"6\.1, and nvcc compiles for 7\.5 and later") as caught:
        devices.architecture_flags()
    assert "--backend simt" in caught.value.next
    monkeypatch.setattr(devices, "gpu_codes", list)  # an nvcc that does not list them is asked as it was
    assert devices.architecture_flags() == ["-gencode=arch=compute_61,code=sm_61"]


def test_nvcc_says_what_it_makes_code_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    place = toolkit(tmp_path / "cuda")
    asked = tmp_path / "asked"
    nvcc = place / "bin/nvcc"
    nvcc.write_text(f'#!/bin/sh\necho "$@" >> {asked}\nprintf "sm_75\\nsm_90\\nsm_90a\\nsm_121\\n"\n')
    nvcc.chmod(0o755)
    monkeypatch.setenv("CUDA_HOME", str(place))
    assert devices.gpu_codes() == devices.gpu_codes() == [(7, 5), (9, 0), (12, 1)]
    assert asked.read_text().splitlines().count("--list-gpu-code") == 1


def test_architectures_of_the_gpus_are_asked_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("TORCH_CUDA_ARCH_LIST", raising=False)
    information = tmp_path / "driver/gpus/0000:01:00.0/information"
    information.parent.mkdir(parents=True)
    information.write_text("Model: one")
    (tmp_path / "driver/version").write_text("580")
    monkeypatch.setattr(devices, "_DRIVER", tmp_path / "driver")
    asked: list[str] = []
    monkeypatch.setattr(devices, "_query", lambda field: asked.append(field) or ["9.0", "9.0"])
    expected = ["-gencode=arch=compute_90,code=sm_90"]
    assert devices.architecture_flags() == devices.architecture_flags() == expected
    assert asked == ["compute_cap"]
    information.write_text("Model: another")  # a GPU was exchanged
    devices.architecture_flags()
    assert asked == ["compute_cap", "compute_cap"]
