"""`pytest -p cusimt`: a test suite on the simulated GPU; a finding of the access checks fails its test.

The device is in place before anything imports torch. Extensions that tests compile get the access checks;
extensions that were compiled before have them if `python -m cusimt` compiled them. A finding belongs to
the test, fixture or module whose code launched the kernel, in this process or in one that it started.

The modules in data-flow order: `options` reads settings, `recorder` takes launches and findings from the
runtime, `attribution` assigns them to tests, `repetition` runs tests in other orders, `summary` adds up;
`locations` names source lines.
(PYTEST_DONT_REWRITE: there is no assertion here.)
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from cusimt.programs.schedules import SAMPLE_VARIABLE, STRICT_VARIABLE, WATCHDOG_VARIABLE, check_environment
from cusimt.pytest_plugin.attribution import Attribution
from cusimt.pytest_plugin.options import Settings, add_options
from cusimt.pytest_plugin.recorder import Recorder
from cusimt.pytest_plugin.repetition import Repetition, set_schedule
from cusimt.pytest_plugin.sampling import Sampling
from cusimt.pytest_plugin.summary import SessionSummary
from cusimt.support.errors import ExplainedError


def pytest_addoption(parser: pytest.Parser) -> None:
    add_options(parser)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Iterator[None]:
    """Before any conftest.py, and before output is captured: the first start compiles for half a minute."""
    try:
        check_environment()
    except ExplainedError as error:
        raise pytest.UsageError(str(error)) from None
    settings = Settings.of(early_config)
    os.environ[STRICT_VARIABLE] = str(int(settings.strict))
    os.environ[SAMPLE_VARIABLE] = str(settings.sampled_blocks or "")
    os.environ[WATCHDOG_VARIABLE] = f"{settings.watchdog:g}"  # of the processes that tests start
    _activate_device(settings)
    recorder = Recorder(settings)
    early_config.pluginmanager.register(Attribution(recorder), "simt attribution")
    if settings.sampled_blocks:
        early_config.pluginmanager.register(Sampling(), "simt sampling")
    if settings.schedules > 1:
        early_config.pluginmanager.register(Repetition(settings.schedules), "simt repetition")
    early_config.pluginmanager.register(SessionSummary(settings, recorder), "simt summary")
    return (yield)


def _activate_device(settings: Settings) -> None:
    """Put the simulated device in place; raises pytest.UsageError if this machine cannot."""
    from cusimt.activate import activate, driver
    from cusimt.compiler.extension import redirect
    from cusimt.compiler.libraries import device_library
    from cusimt.compiler.nvcc import CHECKS_VARIABLE
    from cusimt.gpu_models import DEVICE_VARIABLE
    from cusimt.programs import child_findings
    from cusimt.programs.child_processes import export_to_children
    from cusimt.programs.report import print_progress
    from cusimt.programs.witness import call_witness

    os.environ[CHECKS_VARIABLE] = str(int(settings.checked))
    os.environ[DEVICE_VARIABLE] = settings.device
    try:
        device_library(print_progress)
        activate()
        redirect(settings.checked)
    except ExplainedError as error:
        raise pytest.UsageError(str(error)) from None
    export_to_children()
    if settings.checked:
        child_findings.collect_from_children()
        call_witness()
    set_schedule(f"{settings.order}:{settings.seed}")
    driver().simt_set_watchdog(settings.watchdog)
    driver().simt_set_exits_reported(0)
