"""Inline PTX that macros put together, against numpy."""

from __future__ import annotations

import numpy as np
import pytest

from cusimt.tests.surface_program import findings, program


@pytest.mark.parametrize("checked", [False, True], ids=["fast", "checked"])
def test_texts_that_macros_put_together(checked: bool) -> None:
    n = 64
    numbers, result = (
        np.random.default_rng(6).integers(-99, 99, (n, 4)).astype(np.int32),
        np.zeros((6, n), np.int32),
    )
    program("assembled", checked=checked).assembled(numbers, result, n)
    a, b = numbers.ravel()[:n], numbers.ravel()[n : 2 * n]
    unsigned = np.stack([a, b]).view(np.uint32)
    expected = [
        a - b,
        unsigned.min(axis=0).view(np.int32),
        unsigned.max(axis=0).view(np.int32),
        np.minimum(a, b),
        np.maximum(a, b),
        np.where(np.arange(n) % 2, numbers[:, 3], 0),
    ]
    assert np.array_equal(result, np.stack(expected))
    assert findings() == ""
