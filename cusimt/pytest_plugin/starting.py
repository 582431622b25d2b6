"""Puts the simulated device in place for a test session, before anything imports torch."""

from __future__ import annotations

import os
import sys

import pytest

from cusimt.pytest_plugin.options import Settings
from cusimt.support.errors import ExplainedError

_ORDERS = {"forward": 0, "reversed": 1, "seeded": 2}


def start(settings: Settings) -> None:
    """Raises pytest.UsageError where the device cannot be had."""
    from cusimt.activate import activate, driver
    from cusimt.compiler.extension import redirect
    from cusimt.compiler.native import device_library
    from cusimt.compiler.nvcc import CHECKS_VARIABLE
    from cusimt.models import VARIABLE as DEVICE_VARIABLE
    from cusimt.programs import reports
    from cusimt.programs.children import announce

    os.environ[CHECKS_VARIABLE] = str(int(settings.checked))
    os.environ[DEVICE_VARIABLE] = settings.device
    try:
        device_library(_tell)
        activate()
        redirect(settings.checked)
    except ExplainedError as error:
        raise pytest.UsageError(str(error)) from None
    announce()
    if settings.checked:
        reports.collect()
    driver().simt_set_schedule(_ORDERS[settings.order], settings.seed)
    driver().simt_set_watchdog(settings.watchdog)
    driver().simt_set_exits_reported(0)


def _tell(sentence: str) -> None:
    print(f"cusimt: {sentence}", file=sys.stderr, flush=True)
