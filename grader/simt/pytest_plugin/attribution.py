"""Whose finding is it? The test's whose setup, call or teardown ran when the kernel was launched."""

from __future__ import annotations

import warnings
from collections.abc import Generator

import pytest

from grader.simt.pytest_plugin.watch import Harvest, Watch

_harvests = pytest.StashKey[dict[str, Harvest]]()
_TITLE = "findings of the simulated GPU"


class SimtFinding(UserWarning):
    """A finding where findings are warnings: `--simt-findings=warn`."""


class Attribution:
    """Hooks around tests and around the import of test modules."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """What happens between two tests belongs to neither, and errors that one leaves reach no other."""
        item.stash[_harvests] = {"before": self.watch.harvest()}
        try:
            return (yield)
        finally:
            self.watch.forget_errors()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, None, None]:
        yield from self._phase(item, "setup")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, None, None]:
        yield from self._phase(item, "call")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, None, None]:
        yield from self._phase(item, "teardown")

    def _phase(self, item: pytest.Item, name: str) -> Generator[None, None, None]:
        """Fail a phase that would have passed, or been skipped; add to the report of one that failed."""
        try:
            yield
        except pytest.skip.Exception:
            self._conclude(item, name)
            raise
        except BaseException:
            harvest = self._take(item, name)
            if harvest.findings:
                item.add_report_section(name, _TITLE, harvest.text())
            raise
        self._conclude(item, name)

    def _conclude(self, item: pytest.Item, name: str) -> None:
        harvest = self._take(item, name)
        if not harvest.findings:
            return
        if self.watch.settings.findings == "warn":
            for found in harvest.findings:
                warnings.warn_explicit(found.text, SimtFinding, found.file or str(item.path), found.line or 1)
        elif getattr(item, "_excinfo", None):  # a unittest.TestCase keeps its failure to itself
            item.add_report_section(name, _TITLE, harvest.text())
        else:
            pytest.fail(harvest.text(), pytrace=False)

    def _take(self, item: pytest.Item, name: str) -> Harvest:
        harvest = item.stash[_harvests][name] = self.watch.harvest()
        return harvest

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Send what was counted with the report: under xdist, reports are what reaches the terminal."""
        report = yield
        harvests = item.stash[_harvests]
        phases = ("before", "setup") if call.when == "setup" else (str(call.when),)
        vars(report)["simt"] = {phase: harvests[phase].plain() for phase in phases if phase in harvests}
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Importing a test module may launch kernels, too."""
        report = yield
        harvest = self.watch.harvest()
        vars(report)["simt"] = {"collection": harvest.plain()}
        if harvest.findings and self.watch.settings.findings == "error" and report.passed:
            report.outcome = "failed"
            report.longrepr = harvest.text()
        return report
