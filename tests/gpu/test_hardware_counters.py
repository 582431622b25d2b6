"""Counters of the measured kernels: the simulated GPU's are those that Nsight Compute reads here."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

import hardware_counters  # noqa: E402
import hardware_subjects  # noqa: E402
import hardware_tools  # noqa: E402


def test_the_measured_kernels_have_the_counters_of_this_gpu(tmp_path: Path) -> None:
    ncu = hardware_tools.find_tool("ncu")
    if ncu is None:
        pytest.skip("needs Nsight Compute (ncu)")
    subject = hardware_subjects.Subject("measured kernels", ROOT, "patterns", tmp_path, tmp_path / "out")
    subject.out.mkdir()

    hardware_subjects.simulate(subject)
    hardware_subjects.run_on_gpu(subject)
    rows, fine = hardware_counters.counter_rows(subject, ncu)

    if any("ERR_NVGPUCTRPERM" in cell for row in rows for cell in row):
        pytest.skip("this user may not read the GPU's counters: ERR_NVGPUCTRPERM")
    assert fine, rows
