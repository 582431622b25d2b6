"""Which tests `make test` leaves to `make test-all`.

A suite for a person, or for CI, has to end while somebody still waits for it. Most of the time goes into
tests that differ only in a parameter: hundreds of planted mistakes, attacks and programs, each compiled and
graded. Of those one in so many is taken, some of every group and of every variety: each exercise's mistakes,
and each check that catches any. Other tests are about what changes with a compiler, a processor, a model of
GPU or somebody else's release, and seldom with a commit; they are marked ``release`` and wait for
`make test-all`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import pytest

from cusimt.tests.scheduling import named_group


def every(step: int, items: list[pytest.Item]) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """The tests to run and those to leave, both in the given order.

    Tests are alike if they have one function and, where there are such, one group of `xdist_group`: the
    mistakes of one exercise. Of `n` slow tests that are alike, one in `step` is run, rounded up. Where they
    are marked with a ``variety``, the rarest of a function's are taken first, and none is left out: a
    variety that no group had room for gets a test more. Tests marked ``release`` are run if `step` is 1.
    """
    if step == 1:
        return list(items), []
    functions: dict[str, dict[str, list[pytest.Item]]] = defaultdict(lambda: defaultdict(list))
    for item in items:
        if item.get_closest_marker("slow") is not None and hasattr(item, "callspec"):
            functions[item.nodeid.partition("[")[0]][named_group(item)].append(item)
    alike = {item for groups in functions.values() for group in groups.values() for item in group}
    sample = {item for groups in functions.values() for item in _sample(step, list(groups.values()))}

    def runs(item: pytest.Item) -> bool:
        return item.get_closest_marker("release") is None and (item not in alike or item in sample)

    return [item for item in items if runs(item)], [item for item in items if not runs(item)]


def _sample(step: int, groups: Sequence[Sequence[pytest.Item]]) -> Iterable[pytest.Item]:
    """One in `step` of each group, and at least one of each variety."""
    varieties = {item: _variety(item) for group in groups for item in group}
    there, taken = Counter(varieties.values()), Counter[str]()
    chosen: dict[pytest.Item, None] = {}

    def take(item: pytest.Item) -> None:
        chosen[item] = None
        taken[varieties[item]] += 1

    for group in groups:
        apart = list(group[::step]) + [item for number, item in enumerate(group) if number % step]
        for _ in group[::step]:
            left = (item for item in apart if item not in chosen)
            take(min(left, key=lambda item: (taken[varieties[item]], there[varieties[item]])))
    for item, variety in varieties.items():
        if not taken[variety]:
            take(item)
    return chosen


def _variety(item: pytest.Item) -> str:
    mark = item.get_closest_marker("variety")
    return str(mark.args[0]) if mark is not None else ""
