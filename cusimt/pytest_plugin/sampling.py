"""Judges tests of a run that samples by their findings alone: blocks were skipped, so values mean nothing."""

from __future__ import annotations

from collections.abc import Generator

import pytest

_JUDGED = "Skipped: a sampled run: only findings are judged, and there was none in the blocks that ran"


class Sampling:
    """Neither a pass nor a failure of a test without findings counts: it is reported as skipped."""

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        phases = vars(report)["simt"].values()
        if any(phase["findings"] for phase in phases) or report.skipped:
            return report
        if report.when == "call" or report.failed:
            report.outcome = "skipped"
            report.longrepr = (str(item.path), item.reportinfo()[1] or 0, _JUDGED)
        return report
