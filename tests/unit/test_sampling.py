"""`make test` takes a sample of what is slow and alike, and everything else."""

from __future__ import annotations

import pytest

pytest_plugins = ["pytester"]

MODULE = """
import pytest

@pytest.mark.parametrize("n", range(6))
def test_quick(n): pass

@pytest.mark.slow("takes long")
@pytest.mark.parametrize("n", range(6))
def test_slow(n): pass

@pytest.mark.slow("takes long")
@pytest.mark.parametrize(
    "n", [pytest.param(n, marks=pytest.mark.xdist_group(f"desk {n % 2}")) for n in range(6)]
)
def test_in_groups(n): pass

VARIETIES = "aaaabaacaaaa"

@pytest.mark.slow("takes long")
@pytest.mark.parametrize("n", [
    pytest.param(n, marks=[pytest.mark.variety(variety), pytest.mark.xdist_group(f"desk {n // 3}")])
    for n, variety in enumerate(VARIETIES)
])
def test_in_varieties(n): pass

@pytest.mark.slow("takes long")
def test_alone(): pass

@pytest.mark.release("about a compiler")
def test_another_compiler(): pass
"""
CONFTEST = """
from tests.sampling import every

def pytest_configure(config):
    config.addinivalue_line("markers", "slow(why): takes long")
    config.addinivalue_line("markers", "release(why): waits for all")
    config.addinivalue_line("markers", "variety(name): some of each")
    config.addinivalue_line("markers", "xdist_group(name): one worker")

def pytest_collection_modifyitems(items):
    items[:], _ = every({step}, items)
"""


@pytest.mark.parametrize(
    ("step", "slow", "in_groups", "in_varieties"),
    [
        (1, [0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5], list(range(12))),
        (2, [0, 2, 4], [0, 1, 4, 5], [0, 2, 3, 4, 6, 7, 9, 11]),
        (5, [0, 5], [0, 1], [0, 4, 7, 9]),
        (100, [0], [0, 1], [0, 4, 7, 9]),
    ],
)
def test_of_slow_tests_that_are_alike_some_are_taken(
    pytester: pytest.Pytester, step: int, slow: list[int], in_groups: list[int], in_varieties: list[int]
) -> None:
    """Of every group of three one, at least: of `test_in_varieties` the second's is b, the third's is c."""
    pytester.makeconftest(CONFTEST.replace("{step}", str(step)))
    passed, _, _ = pytester.inline_run(pytester.makepyfile(MODULE)).listoutcomes()
    names = [report.nodeid.partition("::")[2] for report in passed]
    assert [name for name in names if "slow" in name] == [f"test_slow[{n}]" for n in slow]
    assert [name for name in names if "groups" in name] == [f"test_in_groups[{n}]" for n in in_groups]
    assert [name for name in names if "variet" in name] == [f"test_in_varieties[{n}]" for n in in_varieties]
    assert sum("quick" in name for name in names) == 6
    assert "test_alone" in names
    assert ("test_another_compiler" in names) == (step == 1)


MIXED = """
import pytest

@pytest.mark.slow("takes long")
@pytest.mark.parametrize("n", [
    pytest.param(n, marks=[pytest.mark.variety(variety), pytest.mark.xdist_group(f"desk {n // 6}")])
    for n, variety in enumerate("abcabb" "ccaccc")
])
def test_in_groups(n): pass

@pytest.mark.slow("takes long")
@pytest.mark.parametrize("n", [
    pytest.param(n, marks=[pytest.mark.variety(variety, of_all=True), pytest.mark.xdist_group(f"desk {n}")])
    for n, variety in enumerate("aabaab")
])
def test_of_all(n): pass
"""


@pytest.mark.parametrize(
    ("step", "in_groups", "of_all"),
    [(6, [0, 1, 2, 6], [0, 2]), (3, [0, 1, 2, 6, 8], [0, 2]), (2, [0, 1, 2, 6, 8, 10], [0, 2, 4])],
)
def test_first_varieties_then_what_most_of_a_group_is(
    pytester: pytest.Pytester, step: int, in_groups: list[int], of_all: list[int]
) -> None:
    """The first group has the first of every variety; most of the second is c, and then there is an a."""
    pytester.makeconftest(CONFTEST.replace("{step}", str(step)))
    passed, _, _ = pytester.inline_run(pytester.makepyfile(MIXED)).listoutcomes()
    names = [report.nodeid.partition("::")[2] for report in passed]
    assert [name for name in names if "groups" in name] == [f"test_in_groups[{n}]" for n in in_groups]
    assert [name for name in names if "all" in name] == [f"test_of_all[{n}]" for n in of_all]


SCARCE = """
import pytest

@pytest.mark.slow("takes long")
@pytest.mark.parametrize(
    "n", [pytest.param(n, marks=pytest.mark.variety(name)) for n, name in enumerate("aaabac")]
)
def test_it(n): pass
"""


def test_a_variety_for_which_no_group_has_room_is_taken_too(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(CONFTEST.replace("{step}", "6"))
    passed, _, _ = pytester.inline_run(pytester.makepyfile(SCARCE)).listoutcomes()
    names = {report.nodeid.partition("::")[2] for report in passed}
    assert names == {"test_it[0]", "test_it[3]", "test_it[5]"}
