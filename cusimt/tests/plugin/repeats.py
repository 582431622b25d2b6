"""Tests that see in which order of blocks and threads they run."""

import os

import pytest

seen = []


@pytest.fixture
def fresh():
    seen.append("made")
    yield
    seen.append("torn down")


def test_repeated(fresh):
    seen.append(os.environ["CUSIMT_SCHEDULE"])


def test_of_the_one_before():
    orders = ("forward", "reversed", "seeded:1")
    assert seen == [each for order in orders for each in ("made", order, "torn down")]


def test_not_reversed():
    assert os.environ["CUSIMT_SCHEDULE"] != "reversed"
