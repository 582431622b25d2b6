"""docs/bindings.md on a real GPU: the programs know nothing of the grader, and nothing is around them."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from tests.docs.binding_samples import WAYS, Copy, expected


@pytest.mark.parametrize("way", WAYS)
def test_a_copied_sample_prints_what_the_page_shows(way: str, tmp_path: Path) -> None:
    if way == "pybind11" and importlib.util.find_spec("pybind11") is None:
        pytest.skip("needs pybind11: pip install -e '.[test]'")
    assert Copy(way, tmp_path, simulated=False).prints() == expected(way)
