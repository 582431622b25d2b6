"""Kernels in the styles found in the wild: right values, and no findings, whatever the schedule."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from grader.simt import findings
from tests.simt.collection_program import ON_GPU, collection, theme_program
from tests.simt.surface_program import runtime

SCHEDULES = {"forward": (0, 0), "reversed": (1, 0), "seeded": (2, 7)}


@pytest.fixture(params=SCHEDULES)
def schedule(request: pytest.FixtureRequest) -> Iterator[None]:
    """The order of blocks and threads, for the length of a test."""
    if ON_GPU:
        yield
        return
    order, seed = SCHEDULES[request.param]
    runtime().simt_set_schedule(order, seed)
    yield
    runtime().simt_set_schedule(0, 0)


@pytest.mark.usefixtures("schedule")
@pytest.mark.parametrize("checked", [False, True], ids=["fast", "checked"])
@pytest.mark.parametrize("name", collection())
def test_kernel(name: str, checked: bool) -> None:
    if checked and ON_GPU:
        pytest.skip("a GPU has no checked build")
    kernel = collection()[name]
    for size, call in kernel.calls().items():
        print("size", size)
        call.run(theme_program(kernel.theme, checked), kernel.name)
        if not ON_GPU:
            assert [finding.text() for finding in findings.take()] == []


def test_the_collection_is_large() -> None:
    assert len(collection()) >= 60
