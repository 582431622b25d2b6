"""The script that runs NVIDIA's samples: what it leaves out, with which arguments, and what CMake refuses."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from benchmarks import cuda_samples
from benchmarks.checkouts import Ended
from benchmarks.cuda_samples import RULES, Tree, reason_to_exclude, runs_of, samples

RULE = tomllib.loads(Path(cuda_samples.__file__).with_suffix(".toml").read_text())["excluded"]


def sample(checkout: Path, folder: str, text: str) -> Path:
    (place := checkout / "Samples" / folder).mkdir(parents=True)
    (place / "CMakeLists.txt").write_text(text)
    return place


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("find_package(OpenGL)", "draws with OpenGL"),
        ("target_link_libraries(a CUDA::nppc)", "needs NPP"),
        ("target_link_libraries(a d3d12)", "draws with Direct3D, on Windows"),
        ("add_executable(FDTD3d a.cu)", ""),
        ("find_package(CUDAToolkit REQUIRED)\ntarget_link_libraries(a CUDA::cublas)", ""),
    ],
)
def test_a_sample_is_left_out_for_what_it_needs(tmp_path: Path, text: str, reason: str) -> None:
    assert reason_to_exclude(sample(tmp_path, "0_Introduction/a", text), RULE) == reason


def test_samples_are_those_of_the_folders(tmp_path: Path) -> None:
    sample(tmp_path, "0_Introduction/b", "")
    sample(tmp_path, "6_Performance/a", "")
    sample(tmp_path, "8_Platform_Specific/c", "")
    assert list(samples(tmp_path)) == ["b", "a"]


def test_arguments_are_ours_or_the_checkouts() -> None:
    own = {"a": {"args": ["-x=1", "two words"]}, "b": {"runs": [{"args": ["1"]}, {"args": ["2"]}]}}
    assert runs_of("a", own, {}) == ("-x=1 'two words'",)
    assert runs_of("b", own, {}) == ("1", "2")
    assert runs_of("b", own, {"b": {"runs": ["-n 3"]}}) == ("-n 3",)
    assert runs_of("c", own, {"c": {"remark": "slow"}}) == ("",)


def ended(output: str, status: int = 0) -> Ended:
    return Ended(status, output, 1.0, frozenset())


ERROR = """-- Configuring
CMake Error at Samples/a/CMakeLists.txt:3 (target_link_libraries):
  Target "a" links to CUDA::nothing,
  which was not found.

-- Done
"""


def test_what_cmake_refuses_is_unsupported_and_the_others_are_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter([ended(ERROR, 1), ended("-- Done"), ended(f"{tmp_path}/Samples/b/b.cu:1: error: x", 2)])
    commands: list[list[str]] = []

    def answer(command: list[str], folder: Path, limit: float) -> Ended:
        commands.append(command)
        return next(answers)

    monkeypatch.setattr(cuda_samples, "run_limited", answer)
    sources = {name: sample(tmp_path, name, f"add_executable({name} {name}.cu)\n") for name in "ab"}
    tree = Tree(tmp_path / "tree", sources, ("within",))
    assert (tmp_path / "tree/CMakeLists.txt").read_text().splitlines()[2:] == [
        f"add_subdirectory({sources['b']} b)"
    ]
    refused, built = tree.build(sources["a"], ("",)), tree.build(sources["b"], ("1", "2"))
    assert RULES.verdict([refused.ended]) == (
        "unsupported",
        'CMake error: Target "a" links to CUDA::nothing, which was not found.',
    )
    assert RULES.verdict([built.ended]) == ("unsupported", "b.cu:1: error: x")
    assert built.lines == ("./b 1", "./b 2")
    assert commands[-1] == ["within", "cmake", "--build", ".", "--target", "b"]


@pytest.mark.parametrize(
    ("output", "status", "verdict"),
    [
        ("done", 0, ("passed", "")),
        ("Result = FAIL", 0, ("failed", "Result = FAIL")),
        ("assertion failed, as it should", 0, ("passed", "")),
        ("begun\nno such GPU", 2, ("unsupported", "waived: no such GPU")),
        ("error 7", 1, ("failed", "error 7")),
    ],
)
def test_a_sample_judges_itself(output: str, status: int, verdict: tuple[str, str]) -> None:
    assert RULES.verdict([ended(""), ended(output, status)]) == verdict
