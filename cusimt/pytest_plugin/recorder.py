"""Records the launches and findings of each phase of a test."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cusimt.activate import driver
from cusimt.findings import Finding
from cusimt.programs import child_findings
from cusimt.programs.child_findings import Collected
from cusimt.pytest_plugin.locations import describe, relative_location
from cusimt.pytest_plugin.options import Settings
from cusimt.records.launches import Launch, read_launches


@dataclass(frozen=True)
class ReportedFinding:
    """One finding, in words, with what a warning needs to know of its place."""

    kind: str
    text: str
    place: str  # csrc/scan.cu:12
    file: str
    line: int


@dataclass(frozen=True)
class PhaseRecord:
    """One phase of one test: `findings` that count, how many were `ignored`, and what was launched."""

    findings: tuple[ReportedFinding, ...] = ()
    ignored: int = 0
    launches: int = 0
    kernels: frozenset[str] = frozenset()
    unchecked: frozenset[str] = frozenset()  # libraries whose kernels ran without access checks

    def text(self) -> str:
        """All findings in words, empty when there is none."""
        return "\n\n".join(found.text for found in self.findings)

    def plain(self) -> dict[str, Any]:
        """As values that pytest-xdist can send."""
        return {
            "findings": [asdict(found) for found in self.findings],
            "ignored": self.ignored,
            "launches": self.launches,
            "kernels": sorted(self.kernels),
            "unchecked": sorted(self.unchecked),
        }

    @classmethod
    def of(cls, plain: dict[str, Any]) -> PhaseRecord:
        findings = tuple(ReportedFinding(**found) for found in plain["findings"])
        sets = frozenset(plain["kernels"]), frozenset(plain["unchecked"])
        return cls(findings, int(plain["ignored"]), int(plain["launches"]), *sets)

    def __add__(self, other: PhaseRecord) -> PhaseRecord:
        return PhaseRecord(
            self.findings + other.findings,
            self.ignored + other.ignored,
            self.launches + other.launches,
            self.kernels | other.kernels,
            self.unchecked | other.unchecked,
        )


class Recorder:
    """Takes records from this process's runtime and from child processes."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._kept = PhaseRecord()

    def record(self) -> PhaseRecord:
        """The launches and findings since the last call."""
        kept, self._kept = self._kept, PhaseRecord()
        return kept + self._fresh()

    def forget_errors(self) -> None:
        """On a GPU a kernel that failed spoils its process; here the next test finds a new device."""
        self._kept = self.record()  # which would be forgotten, too
        driver().simt_reset()

    def _fresh(self) -> PhaseRecord:
        launches = self._launches()
        collected = child_findings.take_all() if self.settings.checked else Collected([], [], [])
        found = collected.findings
        counted = [each for each in found if not self._is_ignored(each)]
        return PhaseRecord(
            findings=tuple(self._in_words(each) for each in counted),
            ignored=len(found) - len(counted),
            launches=len(launches),
            kernels=frozenset(launch.kernel for launch in launches),
            unchecked=frozenset(kernel.library for kernel in collected.unchecked),
        )

    def _launches(self) -> list[Launch]:
        return read_launches(driver().simt_take_launches().decode("utf-8", "replace").splitlines())

    def _is_ignored(self, finding: Finding) -> bool:
        return any(each.matches(finding, self.settings.root) for each in self.settings.ignored)

    def _in_words(self, finding: Finding) -> ReportedFinding:
        root = self.settings.root
        frame = finding.frame if finding.frame.file else finding.launch
        file = str(Path(frame.file).resolve()) if frame.file else ""
        return ReportedFinding(
            finding.kind, describe(finding, root), relative_location(frame, root), file, frame.line
        )
