"""`nbgrader validate`, which learners run before they submit: a real kernel, and the real grader in it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.nbgrader.school import NOTEBOOK, SLUG, Class


@pytest.fixture
def handed_out(toys: Class, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What a learner has fetched, on a machine where CU2GRAD_COURSE names the exercises."""
    pytest.importorskip("ipykernel", reason="ipykernel is not installed: pip install ipykernel")
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    monkeypatch.setenv("CU2GRAD_COURSE", str(toys.top / "course"))
    monkeypatch.setenv("CU2GRAD_BACKEND", "simt")
    folder = toys.home / SLUG
    shutil.copytree(toys.folder / "release" / SLUG, folder)
    return folder


def failed_cells(folder: Path) -> list[str]:
    from nbgrader.validator import Validator

    results = Validator().validate(str(folder / NOTEBOOK))
    assert set(results) <= {"failed"}, results
    return [each["source"] for each in results.get("failed", [])]


def test_what_is_not_begun_fails_every_check(handed_out: Path) -> None:
    failed = failed_cells(handed_out)
    assert failed == [f'report.points("{name}")' for name in ("correctness", "safety", "device_work")]


def test_what_is_right_passes_and_what_is_not_is_named(handed_out: Path, toys: Class) -> None:
    (handed_out / "kernel.cu").write_text(toys.solution())
    assert failed_cells(handed_out) == []
    unguarded = toys.solution().replace("if (i >= n) return;", "")
    (handed_out / "kernel.cu").write_text(unguarded)
    assert failed_cells(handed_out) == ['report.points("safety")']
