"""Which tests `make test` leaves to `make test-all`.

A suite for a person, or for CI, has to end while somebody still waits for it. Most of the time goes into
tests that differ only in a parameter: hundreds of planted mistakes, attacks and programs, each compiled and
graded. Of those every so-many-th is taken, and never none of them. Other tests are about what changes with
a compiler, a processor, a model of GPU or somebody else's release, and seldom with a commit; they are marked
``release`` and wait for `make test-all`.
"""

from __future__ import annotations

from collections import defaultdict

import pytest

from cusimt.tests.scheduling import named_group


def every(step: int, items: list[pytest.Item]) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """The tests to run and those to leave, both in the given order.

    Tests are alike if they have one function and, where there are such, one group of `xdist_group`: the
    mistakes of one exercise. Of slow tests that are alike, the first and every `step`-th after it are run.
    Tests marked ``release`` are run if `step` is 1.
    """
    taken, left = [], []
    counts: dict[tuple[str, str], int] = defaultdict(int)
    for item in items:
        if step > 1 and item.get_closest_marker("release") is not None:
            left.append(item)
            continue
        if item.get_closest_marker("slow") is None or not hasattr(item, "callspec"):
            taken.append(item)
            continue
        alike = (item.nodeid.partition("[")[0], named_group(item))
        (left if counts[alike] % step else taken).append(item)
        counts[alike] += 1
    return taken, left
