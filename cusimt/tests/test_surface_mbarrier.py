"""Barrier objects by inline PTX: phases, bytes, tokens, and the loops with labels that wait for them."""

from __future__ import annotations

import numpy as np
import pytest

from cusimt.tests.surface_program import Program, no_findings, program


@pytest.fixture(scope="module", params=[False, True], ids=["fast", "checked"])
def mbarrier(request: pytest.FixtureRequest) -> Program:
    return program("mbarrier", checked=request.param)


def test_buffers_between_two_warps(mbarrier: Program) -> None:
    values = np.random.default_rng(0).integers(0, 1000, (7, 32)).astype(np.int32)
    result = np.zeros((7, 32), np.int32)
    mbarrier.ring(values, result, 7)
    assert np.array_equal(result, values[:, ::-1])
    assert no_findings()


def test_a_phase_ends_with_its_bytes(mbarrier: Program) -> None:
    ended = np.full(8, -1, np.int32)
    mbarrier.bytes(ended)
    assert ended.tolist() == [1, 0, 0, 0, 1, 0, 1, 0]
    assert no_findings()


def test_tokens_and_arrivals_in_advance(mbarrier: Program) -> None:
    result = np.zeros(66, np.int32)
    mbarrier.tokens(result)
    assert np.array_equal(result[:64], np.arange(64)[::-1] * 3)
    assert result[64:].tolist() == [65, 1]
    assert no_findings()


@pytest.mark.parametrize("counted", [0, 1])
def test_copies_arrive(mbarrier: Program, counted: int) -> None:
    values, result = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)
    mbarrier.copies(values, result, counted)
    assert np.array_equal(result, values[::-1])
    assert no_findings()
