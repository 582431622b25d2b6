"""Attributes findings to the test whose setup, call or teardown launched the kernel."""

from __future__ import annotations

import unittest
import warnings
from collections.abc import Generator
from pathlib import Path

import pytest

from cusimt.pytest_plugin.recorder import PhaseRecord, Recorder

_records = pytest.StashKey[dict[str, PhaseRecord]]()
_TITLE = "findings of the simulated GPU"


class SimtFinding(UserWarning):
    """A finding where findings are warnings: `--simt-findings=warn`."""


class Attribution:
    """Hooks around tests and around the import of test modules."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """What happens between two tests belongs to neither, and errors that one leaves reach no other."""
        item.stash[_records] = {"before": self.recorder.record()}
        try:
            return (yield)
        finally:
            self.recorder.forget_errors()

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
            record = self._take(item, name)
            if record.findings:
                item.add_report_section(name, _TITLE, record.text())
            raise
        self._conclude(item, name)

    def _conclude(self, item: pytest.Item, name: str) -> None:
        record = self._take(item, name)
        if not record.findings:
            return
        own = getattr(item, "_excinfo", None) or []  # a unittest.TestCase keeps its outcome to itself
        if not all(isinstance(each.value, pytest.skip.Exception) for each in own):
            item.add_report_section(name, _TITLE, record.text())
            return
        try:
            self._speak(record, item.path)
        except (pytest.fail.Exception, SimtFinding):  # the latter under -W error
            own.clear()  # or the report would be of the skip
            raise

    def _speak(self, record: PhaseRecord, path: Path) -> None:
        """Fail what runs, or warn where findings are warnings."""
        if self.recorder.settings.findings != "warn":
            pytest.fail(record.text(), pytrace=False)
        for found in record.findings:
            warnings.warn_explicit(found.text, SimtFinding, found.file or str(path), found.line or 1)

    def _take(self, item: pytest.Item, name: str) -> PhaseRecord:
        record = item.stash[_records][name] = self.recorder.record()
        return record

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Send what was counted with the report: under xdist, reports are what reaches the terminal."""
        report = yield
        records = item.stash[_records]
        phases = ("before", "setup") if call.when == "setup" else (str(call.when),)
        vars(report)["simt"] = {phase: records[phase].plain() for phase in phases if phase in records}
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Importing a test module may launch kernels, too."""
        report = yield
        record = self.recorder.record()
        vars(report)["simt"] = {"collection": record.plain()}
        if record.findings and report.failed:
            report.sections.append((_TITLE, record.text()))
        elif record.findings:
            try:
                self._speak(record, collector.path)
            except (pytest.fail.Exception, SimtFinding):
                report.outcome = "failed"
                report.longrepr = record.text()
        return report
