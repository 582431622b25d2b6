"""`pytest -p cusimt`: a test suite on the simulated GPU, where what the access checks find fails a test.

The device is in place before anything imports torch. Extensions that tests compile get the access checks;
extensions that were compiled before have them if `python -m cusimt` compiled them. A finding belongs to
the test, fixture or module whose code launched the kernel, in this process or in one that it started.
(PYTEST_DONT_REWRITE: there is no assertion here.)
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cusimt.pytest_plugin.attribution import Attribution
from cusimt.pytest_plugin.options import Settings, add_options
from cusimt.pytest_plugin.starting import start
from cusimt.pytest_plugin.tally import Tally
from cusimt.pytest_plugin.watch import Watch


def pytest_addoption(parser: pytest.Parser) -> None:
    add_options(parser)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Iterator[None]:
    """Before any conftest.py, and before output is captured: the first start compiles for half a minute."""
    settings = Settings.of(early_config)
    start(settings)
    watch = Watch(settings)
    early_config.pluginmanager.register(Attribution(watch), "simt attribution")
    early_config.pluginmanager.register(Tally(settings, watch), "simt tally")
    return (yield)
