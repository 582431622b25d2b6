"""The session as a whole: its header, its summary, and findings that belong to no test."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from cusimt.pytest_plugin.options import Settings
from cusimt.pytest_plugin.recorder import PhaseRecord, Recorder, ReportedFinding
from cusimt.support.words import counted

_OUTSIDE = "outside of tests"


@dataclass(eq=False)  # hashable: pluggy puts plugins into sets
class SessionSummary:
    """Adds up what arrives with the reports; under xdist in the process that has the terminal."""

    settings: Settings
    recorder: Recorder
    total: PhaseRecord = field(default_factory=PhaseRecord)
    tests: set[str] = field(default_factory=set)  # that launched a kernel
    found: dict[tuple[str, str], tuple[ReportedFinding, list[str]]] = field(default_factory=dict)

    def pytest_report_header(self) -> str:
        import torch

        settings = self.settings
        order = f"{settings.order}:{settings.seed}" if settings.order == "seeded" else settings.order
        device = torch.cuda.get_device_name(0) if torch.cuda.is_available() else "no device"
        checks = f"findings: {settings.findings}" if settings.checked else "without access checks"
        sampled = settings.sampled_blocks
        blocks = f", SAMPLED: {counted(sampled, 'block')} of each launch, no values" if sampled else ""
        return f"simt: {device}, {checks}, schedule: {order}{blocks}"

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for phase, plain in getattr(report, "simt", {}).items():
            self._add(_OUTSIDE if phase == "before" else report.nodeid, plain)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        for plain in getattr(report, "simt", {}).values():
            self._add(report.nodeid or _OUTSIDE, plain)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """An xdist worker ends: send what happened after its last test."""
        if plain := getattr(node, "workeroutput", {}).get("simt"):
            self._add(_OUTSIDE, plain)

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Any:
        result = yield
        plain = self.recorder.record().plain()
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output["simt"] = plain
            return result
        self._add(_OUTSIDE, plain)
        outside = any(_OUTSIDE in where for _, where in self.found.values())
        if outside and self.settings.findings == "error" and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        return result

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        terminalreporter.section("simulated GPU")
        for line in self.summary():
            terminalreporter.line(line)

    def summary(self) -> list[str]:
        """What was launched and found, in lines; each finding once, with the tests it was found in."""
        total = self.total
        lines = [
            f"{counted(total.launches, 'launch', 'launches')} of {counted(len(total.kernels), 'kernel')} "
            f"in {counted(len(self.tests), 'test')}; {counted(len(self.found), 'finding')}"
            + (f", {total.ignored} ignored by simt_ignore" if total.ignored else "")
        ]
        for found, where in self.found.values():
            more = f" and {len(where) - 1} more" if len(where) > 1 else ""
            lines.append(f"  {found.kind} {found.place}: {where[0]}{more}")
            if where[0] == _OUTSIDE:  # no test's report shows it
                lines += [f"    {line}" for line in found.text.splitlines()]
        if self.settings.checked and total.unchecked:
            lines += _unchecked(sorted(total.unchecked))
        return lines

    def _add(self, where: str, plain: dict[str, Any]) -> None:
        record = PhaseRecord.of(plain)
        self.total += record
        if record.launches and where != _OUTSIDE:
            self.tests.add(where)
        for found in record.findings:
            _, places = self.found.setdefault((found.kind, found.place), (found, []))
            if where not in places:
                places.append(where)


def _unchecked(libraries: list[str]) -> list[str]:
    names = ", ".join(Path(library).name for library in libraries)
    return [
        f"Without access checks: {names}. Kernels have the checks when they are compiled with them.",
        "Build it again: python -m cusimt setup.py build_ext --inplace --force",
    ]
