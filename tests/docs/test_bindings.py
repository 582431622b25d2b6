"""docs/bindings.md: its seven programs run outside of this repository, and the page shows all of each."""

from __future__ import annotations

import importlib.util
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.docs.binding_samples import ROOT, SAMPLES, WAYS, Copy, expected

PAGE = (ROOT / "docs" / "bindings.md").read_text()
FILES = sorted(path for path in SAMPLES.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
KERNEL = (SAMPLES / "load" / "axpy.cu").read_text()
STABLE = re.compile(r" (?:aoti_)?torch_\w+$", re.MULTILINE)
UNSTABLE = re.compile(r"\b(?:at|c10|torch)::")


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Copy, str]]:
    """Each sample built and run at most once: its copy, and what it printed."""
    done: dict[str, tuple[Copy, str]] = {}

    def copy(way: str) -> tuple[Copy, str]:
        if way == "pybind11" and importlib.util.find_spec("pybind11") is None:
            pytest.skip("needs pybind11: pip install -e '.[test]'")
        if way not in done:
            sample = Copy(way, tmp_path_factory.mktemp(way), simulated=True)
            done[way] = sample, sample.prints()
        return done[way]

    return copy


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_a_copied_sample_prints_what_the_page_shows(
    way: str, copies: Callable[[str], tuple[Copy, str]]
) -> None:
    assert copies(way)[1] == expected(way)


@pytest.mark.release("about the symbols of torch's releases")
@pytest.mark.slow
def test_the_stable_library_needs_c_functions_alone(copies: Callable[[str], tuple[Copy, str]]) -> None:
    stable, _ = copies("stable_abi")
    done = subprocess.run(
        ["sh", "symbols.sh"], cwd=stable.folder, capture_output=True, text=True, check=False
    )
    assert done.stdout == expected("stable_abi", "symbols.txt"), done.stderr

    usual, _ = copies("torch_library")
    (library,) = usual.folder.parent.glob("extensions/**/axpy_library.so")
    assert UNSTABLE.search(_undefined(library)), "the same search finds what is not stable"
    assert not UNSTABLE.search(_undefined(stable.folder / "axpy" / "_C.abi3.so"))


def _undefined(library: Path) -> str:
    command = ["nm", "-D", "--undefined-only", "--demangle", str(library)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


# ---- what the samples are made of
# ----------------------------------------------------------------------


def test_there_is_a_sample_for_each_way() -> None:
    assert {path.relative_to(SAMPLES).parts[0] for path in FILES} == set(WAYS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SAMPLES)))
def test_no_sample_knows_of_the_grader(path: Path) -> None:
    assert not re.search(r"grader|cu2grad|simt|simulat", path.read_text(), re.IGNORECASE)


def test_the_kernel_is_the_same_everywhere() -> None:
    for way in WAYS:
        copies = [path for path in FILES if path.name == "axpy.cu" and way in path.parts]
        texts = [path.read_text() for path in copies or [SAMPLES / way / "run.py"]]
        assert all(KERNEL in text for text in texts), way


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SAMPLES)))
def test_the_page_shows_every_file(path: Path) -> None:
    """By a snippet of it, or of another sample's file with the same text."""
    shown = [
        ROOT / name for name in re.findall(r'^ *--8<-- "(docs/samples/bindings/[^"]+)"$', PAGE, re.MULTILINE)
    ]
    section = PAGE.partition(f"{{ #{path.relative_to(SAMPLES).parts[0].replace('_', '-')} }}")[2]
    assert section, "every way has a section"
    assert path.read_text() in [other.read_text() for other in shown]
    assert path in shown or path.name in section.partition("\n## ")[0], "and its own section names the file"
