"""What `make test` builds before the workers start is what the tests look for."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from cusimt.compiler import libraries
from cusimt.tests.collection_program import collection, theme_library
from grader.compilation import BuildRequest
from grader.compilation.steps import step
from tests import prebuild

SOLUTIONS = Path(__file__).resolve().parents[2] / "solutions"


@pytest.mark.slow("builds what is not in the cache yet")
def test_nothing_of_it_is_built_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    prebuild.main()

    def compiled(command: list[str], **options: object) -> None:
        raise AssertionError(f"compiles again: {command}")

    monkeypatch.setattr(subprocess, "run", compiled)
    monkeypatch.setattr(subprocess, "Popen", compiled)
    assert libraries.is_built()
    for theme in {kernel.theme for kernel in collection().values()}:
        assert theme_library(theme, True).is_file() and theme_library(theme, False).is_file()
    for source in (
        "02_elementwise_mult/kernel.cu",
        "03_fused_muladd/kernel.cu",
        "03_fused_muladd/binding.cpp",
    ):
        interface = "torch_extension" if source.startswith("02") else "torch_library"
        path = SOLUTIONS / source
        step(BuildRequest("any", interface, (path,), "simt"), path).prepare(tmp_path)
