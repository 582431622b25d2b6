"""Puts the simulated device in place for a test session, before anything imports torch."""

from __future__ import annotations

import os
import sys

import pytest

from grader.errors import GraderError
from grader.simt.pytest_plugin.options import Settings

_ORDERS = {"forward": 0, "reversed": 1, "seeded": 2}


def start(settings: Settings) -> None:
    """Raises pytest.UsageError where the device cannot be had."""
    from grader.simt import reports
    from grader.simt.activate import activate, driver
    from grader.simt.children import announce
    from grader.simt.extension import redirect
    from grader.simt.models import VARIABLE as DEVICE_VARIABLE
    from grader.simt.native import device_library
    from grader.simt.nvcc import CHECKS_VARIABLE

    os.environ[CHECKS_VARIABLE] = str(int(settings.checked))
    os.environ["CU2GRAD_BACKEND"] = "simt"
    os.environ[DEVICE_VARIABLE] = settings.device
    try:
        device_library(_tell)
        activate()
        redirect(settings.checked)
    except GraderError as error:
        raise pytest.UsageError(str(error)) from None
    announce()
    if settings.checked:
        reports.collect()
    driver().simt_set_schedule(_ORDERS[settings.order], settings.seed)
    driver().simt_set_watchdog(settings.watchdog)
    driver().simt_set_exits_reported(0)


def _tell(sentence: str) -> None:
    print(f"grader.simt: {sentence}", file=sys.stderr, flush=True)
