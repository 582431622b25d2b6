"""Thrust and libcu++ (NVIDIA's headers, where CCCL is installed) against NumPy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cusimt import findings
from cusimt.compiler import cccl
from cusimt.compiler.sources import translate_tree
from cusimt.tests.surface_program import Program, program
from cusimt.translate import TranslationError

N = 200
needs_cccl = pytest.mark.skipif(cccl.include_dir() is None, reason="needs CCCL: pip install nvidia-cuda-cccl")


@pytest.fixture(scope="module")
def thrust() -> Program:
    return program("thrust", checked=True)


@needs_cccl
def test_vectors_of_host_and_device(thrust: Program) -> None:
    values = np.random.default_rng(1).normal(size=N).astype(np.float32)
    result = np.zeros(N, np.float32)
    thrust.vectors(values, result, N)
    expected = np.sort(values) + np.arange(N, dtype=np.float32)
    expected[0] = 1000
    expected[1] = expected[0] + expected[-1]
    assert np.array_equal(result, expected)
    assert not findings.take()


@needs_cccl
def test_reductions(thrust: Program) -> None:
    values = np.random.default_rng(2).integers(-50, 50, N).astype(np.float32)
    result = np.zeros(5, np.float32)
    thrust.reductions(values, result, N)
    expected = [values.sum(), values.max(), (values**2).sum(), (values > 0).sum(), values.argmin()]
    assert result.tolist() == expected
    assert not findings.take()


@needs_cccl
def test_algorithms_by_key(thrust: Program) -> None:
    rng = np.random.default_rng(3)
    keys, values = rng.integers(0, 20, N, dtype=np.int32), rng.integers(0, 9, N, dtype=np.int32)
    order = np.argsort(-keys, kind="stable")
    sorted_keys, sorted_values = keys[order], values[order]
    unique, sums = np.zeros(N, np.int32), np.zeros(N, np.int32)
    runs, kept = np.zeros(1, np.int32), np.zeros(1, np.int32)
    thrust.by_key(keys, values, unique, sums, runs, kept, N)
    heads = np.flatnonzero(np.r_[True, np.diff(sorted_keys) != 0])
    assert runs[0] == len(heads)
    assert np.array_equal(unique[: len(heads)], sorted_keys[heads])
    assert np.array_equal(sums[: len(heads)], np.add.reduceat(sorted_values, heads))
    even = sorted_keys % 2 == 0
    assert kept[0] == even.sum()
    assert np.array_equal(keys[: kept[0]], sorted_keys[even])
    assert np.array_equal(values[: kept[0]], sorted_values.cumsum()[even])
    assert not findings.take()


@needs_cccl
def test_copies_of_lists(thrust: Program) -> None:
    result = np.zeros(3, np.float32)
    thrust.scattered(result)
    assert result.tolist() == [25, 9, 16]
    assert not findings.take()


@needs_cccl
def test_an_overrun_names_the_algorithm(thrust: Program) -> None:
    thrust.overrun(np.zeros(40, np.float32), np.zeros(41, np.float32), 40)
    [finding] = findings.take()
    assert (finding.kind, finding.access, finding.kernel) == ("out_of_bounds", "read", "thrust::copy")


@needs_cccl
def test_the_standard_library_in_a_kernel(thrust: Program) -> None:
    values, result = np.array([-3, -5, 2, 7], np.float32), np.zeros(3, np.float32)
    thrust.standard(values, result, 4)
    assert result.tolist() == [-5, 2, 7]
    assert not findings.take()


def test_without_cccl_the_include_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cccl, "include_dir", lambda: None)
    source = tmp_path / "kernel.cu"
    source.write_text("#if 0\n#include <thrust/scan.h>\n#endif\n#include <cuda/std/array>\n")
    with pytest.raises(TranslationError) as raised:
        translate_tree(source, [], tmp_path / "translated")
    assert raised.value.line == 4
    assert "<cuda/std/array> belongs to CCCL" in str(raised.value)
    assert "pip install" in raised.value.next


def test_an_old_cccl_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for version, major in (("200800", "old"), ("300001", "new")):
        header = tmp_path / major / "include/cccl/thrust/version.h"
        header.parent.mkdir(parents=True)
        header.write_text(f"#define THRUST_VERSION {version}\n")
    monkeypatch.setattr(cccl, "toolkit_homes", lambda: iter([tmp_path / "old", tmp_path / "new"]))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert cccl.include_dir.__wrapped__() == tmp_path / "new/include/cccl"
