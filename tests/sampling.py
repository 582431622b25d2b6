"""Which tests `make test` leaves to `make test-all`.

A suite for a person, or for CI, has to end while somebody still waits for it. Most of the time goes into
tests that differ only in a parameter: hundreds of planted mistakes, attacks and programs, each compiled and
graded. Of those one in so many is taken, some of every group and of every variety: each exercise's mistakes,
and each check that catches any. Which ones decides about minutes: the first of a variety is taken, since the
early exercises are the small ones, and of a group what most of it is. Other tests are about what changes with
a compiler, a processor, a model of GPU or somebody else's release, and seldom with a commit; they are marked
``release`` and wait for `make test-all`.
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
    are marked with a ``variety``, or several, the first test of each variety of a function is among them, or
    is added where its group had no room; each group's other tests are of its varieties in their proportions,
    the commonest first. A ``variety`` with ``of_all=True`` is taken from all groups of its function, as if
    these were one. Tests marked ``release`` are run if `step` is 1.
    """
    if step == 1:
        return list(items), []
    functions: dict[str, dict[str, list[pytest.Item]]] = defaultdict(lambda: defaultdict(list))
    for item in items:
        if item.get_closest_marker("slow") is not None and hasattr(item, "callspec"):
            functions[item.nodeid.partition("[")[0]][_sampled_group(item)].append(item)
    alike = {item for groups in functions.values() for group in groups.values() for item in group}
    sample = {item for groups in functions.values() for item in _sample(step, list(groups.values()))}

    def runs(item: pytest.Item) -> bool:
        return item.get_closest_marker("release") is None and (item not in alike or item in sample)

    return [item for item in items if runs(item)], [item for item in items if not runs(item)]


def _sample(step: int, groups: Sequence[Sequence[pytest.Item]]) -> Iterable[pytest.Item]:
    """One in `step` of each group, and the first of each variety."""
    backwards = [item for group in reversed(groups) for item in reversed(group)]
    first = {name: item for item in backwards for name in _varieties(item)}
    chosen = dict.fromkeys(first.values())
    for group in groups:
        spread = list(group[::step])
        apart = spread + [item for number, item in enumerate(group) if number % step]
        taken = [item for item in group if item in chosen]
        while len(taken) < len(spread):
            taken.append(_next([item for item in apart if item not in taken], group, taken))
        chosen |= dict.fromkeys(taken)
    return chosen


def _next(
    left: Sequence[pytest.Item], group: Sequence[pytest.Item], taken: Sequence[pytest.Item]
) -> pytest.Item:
    """The first of `left` whose variety has the smallest part taken; of several such, the commonest."""
    there, so_far = (Counter(_varieties(item)[0] for item in items) for items in (group, taken))

    def share(item: pytest.Item) -> tuple[float, int]:
        name = _varieties(item)[0]
        return so_far[name] / there[name], -there[name]

    return min(left, key=share)


def _sampled_group(item: pytest.Item) -> str:
    mark = item.get_closest_marker("variety")
    return "" if mark is not None and mark.kwargs.get("of_all") else named_group(item)


def _varieties(item: pytest.Item) -> list[str]:
    """By its marks; a test without any is of the variety "", of which one in `step` is enough."""
    return [str(mark.args[0]) for mark in item.iter_markers("variety")] or [""]
