"""Cooperative groups of more than one warp: barriers, reductions, scans and exchanges."""

from __future__ import annotations

import numpy as np
import pytest

from cusimt.tests.surface_program import Program, findings, program


@pytest.fixture(scope="module", params=[False, True], ids=["fast", "checked"])
def tiles(request: pytest.FixtureRequest) -> Program:
    return program("wide_tiles", checked=request.param)


@pytest.mark.parametrize("size", [32, 64, 256])
def test_every_tile_computes_for_itself(tiles: Program, size: int) -> None:
    values = np.random.default_rng(size).integers(0, 120, 512).astype(np.int32)
    values[300] = 7
    groups = values.reshape(-1, size)
    sums = np.zeros((len(groups), 2), np.int32)
    before, upto, passed, votes = (np.zeros_like(values) for _ in range(4))
    tiles.call(f"tiles_{size}", values, sums, before, upto, passed, votes, 2)
    assert np.array_equal(sums, np.stack([groups.sum(1), groups.max(1)], 1))
    inclusive = groups.cumsum(1)
    assert np.array_equal(upto.reshape(-1, size), inclusive)
    assert np.array_equal(before.reshape(-1, size), inclusive - groups)
    assert np.array_equal(passed.reshape(-1, size), np.repeat(groups[:, -3:-2], size, 1))
    expected = 10 * (groups == 7).any(1) + (groups < 100).all(1)
    assert np.array_equal(votes.reshape(-1, size), np.repeat(expected[:, None], size, 1))
    assert findings() == ""


def test_tiles_of_two_sizes_in_one_block(tiles: Program) -> None:
    values, out = np.arange(256, dtype=np.int32), np.zeros(256, np.int32)
    tiles.nested(values, out)
    quarters = values.reshape(4, 64).sum(1)
    assert out.tolist() == [100000 + quarters[0]] * 128 + [100000 + quarters[2]] * 128
    assert findings() == ""
