"""The rules of this test suite: what an unmarked test may cost, and which worker runs which test."""

from __future__ import annotations

from pathlib import Path

import pytest

from cusimt.tests.scheduling import group_by_fixture, slow_first

pytestmark = pytest.mark.slow("runs pytest in pytest")
pytest_plugins = ["pytester"]
ROOT = Path(__file__).parents[2]
CONFTEST = """
import os
from pathlib import Path
import pytest
from tests.processor_time import ProcessorTime
from cusimt.tests.scheduling import schedule

def pytest_configure(config):
    config.addinivalue_line("markers", "slow(why)")
    config.addinivalue_line("markers", "xdist_group(name)")
    config.pluginmanager.register(ProcessorTime(config.rootpath, shows=True, seconds=0.3))

@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    schedule(config, items)
"""
SPENDS = """
import os, subprocess, sys, time
import pytest

def spend(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
"""
BELOW = "import time\nwhile time.process_time() < 0.5: pass"


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.setenv("CUSIMT_CACHE", str(pytester.path / "cache"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    pytester.makeconftest(CONFTEST)
    return pytester


def run(suite: pytest.Pytester) -> pytest.RunResult:
    """In a process of its own: what other tests left in this one, such as garbage to collect, costs, too."""
    return suite.runpytest_subprocess("-p", "no:cacheprovider")


@pytest.mark.parametrize(
    ("body", "passes"),
    [
        ("def test_it(): pass", True),
        ("def test_it(): time.sleep(0.5)", True),
        ("def test_it(): spend(0.5)", False),
        ('@pytest.mark.slow("spends")\ndef test_it(): spend(0.5)', True),
        ("@pytest.fixture\ndef made(): spend(0.5)\n\ndef test_it(made): pass", False),
        (f"def test_it(): subprocess.run([sys.executable, '-c', {BELOW!r}])", False),
    ],
    ids=["nothing", "waits", "spends", "marked", "in its fixture", "in a process of its own"],
)
def test_an_unmarked_test_that_costs_too_much_fails(suite: pytest.Pytester, body: str, passes: bool) -> None:
    suite.makepyfile(SPENDS + body)
    run(suite).assert_outcomes(passed=passes, failed=not passes)


def test_a_process_that_still_runs_counts(suite: pytest.Pytester) -> None:
    endless = BELOW + "\nprint(flush=True)\ntime.sleep(60)"
    suite.makepyfile(
        f"""{SPENDS}
running = []

def test_it():
    running.append(subprocess.Popen([sys.executable, "-c", {endless!r}], stdout=subprocess.PIPE))
    running[0].stdout.readline()

def test_the_next_one():
    running[0].kill()
    running[0].communicate()
"""
    )
    ran = run(suite)
    ran.assert_outcomes(passed=1, failed=1)
    ran.stdout.fnmatch_lines(["*_ test_it _*", "The test passed, but took * of processor time.*"])


def test_what_is_made_once_per_machine_is_free(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        f"""{SPENDS}
def test_the_first():
    spend(0.5)
    os.makedirs(os.environ["CUSIMT_CACHE"] + "/headers/entry")

def test_the_next():
    spend(0.5)
"""
    )
    run(suite).assert_outcomes(passed=1, failed=1)


def test_what_a_module_shares_is_made_by_one_worker(suite: pytest.Pytester) -> None:
    """With the versions that are installed: a group that pytest-xdist does not see is no error."""
    suite.makepyfile(
        """
import os
import pytest

@pytest.fixture(scope="module")
def dear():
    with open("made", "a") as file:
        file.write(os.environ["PYTEST_XDIST_WORKER"] + "\\n")

@pytest.mark.parametrize("number", range(12))
def test_it(dear, number): ...

@pytest.mark.parametrize("number", range(12))
@pytest.mark.xdist_group("own")
def test_in_a_group_of_its_own(number):
    with open("run", "a") as file:
        file.write(os.environ["PYTEST_XDIST_WORKER"] + "\\n")
"""
    )
    options = ("-p", "no:cacheprovider", "-n", "3", "--dist", "loadgroup", "--no-loadscope-reorder")
    suite.runpytest_subprocess(*options).assert_outcomes(passed=24)
    assert len((suite.path / "made").read_text().split()) == 1
    assert len(set((suite.path / "run").read_text().split())) == 1


def test_tests_that_share_a_fixture_stay_together_and_slow_ones_come_first(pytester: pytest.Pytester) -> None:
    items = pytester.getitems(
        """
import pytest

@pytest.fixture(scope="module")
def dear(): ...

def test_alone(): ...
def test_one(dear): ...
def test_with_a_folder(tmp_path_factory): ...
@pytest.mark.slow
def test_slow(): ...
@pytest.mark.slow
def test_other(dear): ...
@pytest.mark.xdist_group("own")
def test_named(dear): ...
"""
    )
    group_by_fixture(items)
    slow_first(items)

    groups = {item.name: [mark.args[0] for mark in item.iter_markers("xdist_group")] for item in items}
    together = [items[0].nodeid.partition("::")[0]]
    assert groups == {
        "test_one": together, "test_slow": [], "test_other": together,
        "test_alone": [], "test_with_a_folder": [], "test_named": ["own"],
    }  # fmt: skip
    assert list(groups) == [
        *("test_one", "test_other", "test_slow"),
        *("test_alone", "test_with_a_folder", "test_named"),
    ]
