"""Whose finding is it? The test's whose setup, call or teardown ran when the kernel was launched."""

from __future__ import annotations

import unittest
import warnings
from collections.abc import Generator
from pathlib import Path

import pytest

from cusimt.pytest_plugin.watch import Harvest, Watch

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
        except (pytest.skip.Exception, unittest.SkipTest):
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
        own = getattr(item, "_excinfo", None) or []  # a unittest.TestCase keeps its outcome to itself
        if not all(isinstance(each.value, pytest.skip.Exception) for each in own):
            item.add_report_section(name, _TITLE, harvest.text())
            return
        try:
            self._speak(harvest, item.path)
        except (pytest.fail.Exception, SimtFinding):  # the latter under -W error
            own.clear()  # or the report would be of the skip
            raise

    def _speak(self, harvest: Harvest, path: Path) -> None:
        """Fail what runs, or warn where findings are warnings."""
        if self.watch.settings.findings != "warn":
            pytest.fail(harvest.text(), pytrace=False)
        for found in harvest.findings:
            warnings.warn_explicit(found.text, SimtFinding, found.file or str(path), found.line or 1)

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
        if harvest.findings and report.failed:
            report.sections.append((_TITLE, harvest.text()))
        elif harvest.findings:
            try:
                self._speak(harvest, collector.path)
            except (pytest.fail.Exception, SimtFinding):
                report.outcome = "failed"
                report.longrepr = harvest.text()
        return report
