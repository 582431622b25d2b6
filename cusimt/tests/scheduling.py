"""Which worker runs which test, and in what order: for ``-n 2 --dist loadgroup --no-loadscope-reorder``.

What a fixture makes for a module or a folder takes longer than the tests that use it, so these tests stay on
one worker. Where every worker may make its own, as with a lane, the tests name other groups. The slow tests
come first and the many short ones last, so that all workers finish together: a group, which only one worker
runs, before tests that any worker may take, and a large group before a small one.
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from cusimt.support import collector


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Collect the tests with Python's collector paused, which afterwards leaves alone what they are made of.

    Thousands of tests are a million objects that live as long as the worker. Each worker would go through
    all of them again and again, first while they are made, then in every full collection of a test.
    """
    with collector.paused():
        yield
    gc.collect()
    gc.freeze()


def schedule(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put `items` in order, each with the group that pytest-xdist is to keep on one worker."""
    group_by_fixture(items)
    slow_first(items)
    if getattr(config.option, "loadgroup", False):  # in a worker of pytest-xdist
        for item in items:
            _put_into_id(item, named_group(item))


def group_by_fixture(items: list[pytest.Item]) -> None:
    """Mark the tests that share what a fixture makes, where they name no group of their own."""
    for item in items:
        place = _shared_place(item)
        if place and item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(place))


def slow_first(items: list[pytest.Item]) -> None:
    """Put groups that hold a slow test before the others, and large ones first; else keep the order."""
    slow = {_group(item) for item in items if item.get_closest_marker("slow")}
    sizes = Counter(map(_group, items))
    items.sort(key=lambda item: (_group(item) not in slow, -sizes[_group(item)]))


def _put_into_id(item: pytest.Item, group: str) -> None:
    """By the part of an id behind its last @, pytest-xdist's loadgroup puts tests together.

    It appends that itself, but 3.8 to an attribute that pytest 9.2 no longer reads: each test would then be a
    group of its own, and every worker would make what a fixture makes for a module.
    """
    if group and hasattr(item, "_id") and not item.nodeid.endswith(f"@{group}"):
        item._id = type(item._id).parse(f"{item.nodeid}@{group}")


def _shared_place(item: pytest.Item) -> str:
    """The module or folder whose tests share a fixture with this one, the widest of several; "" for none."""
    info = getattr(item, "_fixtureinfo", None)  # pytest has no public way to a test's fixtures
    found = [definitions[-1] for definitions in info.name2fixturedefs.values()] if info is not None else []
    places = [each.baseid for each in found if each.scope != "function" and each.baseid]
    return min(places, key=len, default="")


def named_group(item: pytest.Item) -> str:
    """The name of its ``xdist_group``, or ""."""
    mark = item.get_closest_marker("xdist_group")
    return str(mark.args[0]) if mark is not None else ""


def _group(item: pytest.Item) -> str:
    return named_group(item) or item.nodeid
