"""Settings of a session, from the command line or the ini file."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Literal, cast

import pytest

from cusimt.findings import Finding
from cusimt.gpu_models import ARCHITECTURES, DEVICE_VARIABLE
from cusimt.programs.schedules import SAMPLE_VARIABLE, SCHEDULE_VARIABLE, STRICT_VARIABLE, WATCHDOG_VARIABLE
from cusimt.pytest_plugin.locations import relative_location
from cusimt.records.source_lines import Frame

Treatment = Literal["error", "warn", "off"]
_TREATMENTS = ("error", "warn", "off")
_ORDERS = ("forward", "reversed", "seeded")


@dataclass(frozen=True)
class Ignored:
    """A line of the ini setting `simt_ignore`: a kind of finding (or `*`), and files, perhaps with a line."""

    kind: str
    place: str

    @classmethod
    def parse(cls, text: str) -> Ignored:
        kind, _, place = text.partition(" ")
        if not place.strip():
            raise pytest.UsageError(
                f"simt_ignore has the line {text!r}. A line is a kind of finding and a file: "
                "`race_global csrc/scan.cu:*`. Both may hold * and ?."
            )
        return cls(kind, place.strip())

    def matches(self, finding: Finding, root: Path) -> bool:
        frames = [finding.frame, finding.launch, *([finding.other.frame] if finding.other else [])]
        return fnmatch(finding.kind, self.kind) and any(self._holds(frame, root) for frame in frames)

    def _holds(self, frame: Frame, root: Path) -> bool:
        place = relative_location(frame, root)
        return bool(place) and any(fnmatch(text, self.place) for text in (place, place.rpartition(":")[0]))


@dataclass(frozen=True)
class Settings:
    """How a session treats findings, and in which order the threads of a kernel run."""

    findings: Treatment
    order: str  # forward, reversed or seeded
    seed: int
    schedules: int  # how often each test runs, each time in another order
    sampled_blocks: int  # how many blocks of each launch run; 0: all
    strict: bool
    watchdog: float  # seconds of processor time that a kernel may take; 0: no limit
    ignored: tuple[Ignored, ...]
    device: str  # a name of cusimt.gpu_models
    root: Path  # of the repository under test: files are named relative to it

    @property
    def checked(self) -> bool:
        return self.findings != "off"

    @classmethod
    def of(cls, config: pytest.Config) -> Settings:
        """The command line before the ini file. Raises pytest.UsageError for what neither may say."""
        order, _, seed = _chosen(config, "simt_schedule").partition(":")
        if order not in _ORDERS or (seed and (order != "seeded" or not seed.isdecimal())):
            raise pytest.UsageError(_not_one_of("schedule", _ORDERS, " (seeded:7 chooses the seed)"))
        treatment = _chosen(config, "simt_findings")
        if treatment not in _TREATMENTS:
            raise pytest.UsageError(_not_one_of("findings", _TREATMENTS))
        try:
            watchdog = float(_chosen(config, "simt_watchdog"))
            if not 0 <= watchdog < math.inf:
                raise ValueError
        except ValueError:
            raise pytest.UsageError("--simt-watchdog takes a number of seconds; 0 is no limit.") from None
        schedules, strict = _chosen(config, "simt_schedules"), _chosen(config, "simt_strict")
        if not schedules.isdecimal() or int(schedules) < 1:
            raise pytest.UsageError("--simt-schedules takes the number of orders in which each test runs.")
        sampled = _chosen(config, "simt_sample_blocks")
        if not sampled.isdecimal() or (int(sampled) and treatment == "off"):
            raise pytest.UsageError(
                "--simt-sample-blocks takes the number of blocks of each launch that run; 0 is all. It is "
                "for findings, so it does not go with --simt-findings=off."
            )
        if strict not in ("on", "off"):
            raise pytest.UsageError(_not_one_of("strict", ("on", "off")))
        device = _chosen(config, "simt_device")
        if device not in ARCHITECTURES:
            raise pytest.UsageError(_not_one_of("device", tuple(ARCHITECTURES)))
        return cls(
            findings=cast(Treatment, treatment),
            order=order,
            seed=int(seed or 0),
            schedules=int(schedules),
            sampled_blocks=int(sampled),
            strict=strict == "on",
            watchdog=watchdog,
            ignored=tuple(Ignored.parse(line) for line in config.getini("simt_ignore")),
            device=device,
            root=config.rootpath.resolve(),
        )


def add_options(parser: pytest.Parser) -> None:
    """The options and ini settings; what neither says, the environment may."""
    schedule = os.environ.get(SCHEDULE_VARIABLE) or "forward"
    strict = "on" if os.environ.get(STRICT_VARIABLE) == "1" else "off"
    watchdog = os.environ.get(WATCHDOG_VARIABLE) or "120"
    group = parser.getgroup("simt", "simulated GPU (cusimt)")
    for name, default, metavar, text in (
        ("findings", "error", "{error,warn,off}", "what a finding of the access checks does to its test"),
        ("schedule", schedule, "{forward,reversed,seeded[:N]}", "the order of blocks and threads"),
        ("schedules", "1", "N", "in how many orders each test runs: forward, reversed, then seeded ones"),
        (
            "sample-blocks",
            os.environ.get(SAMPLE_VARIABLE) or "0",
            "N",
            "how many blocks of each launch run, where only findings are judged; 0 is all",
        ),
        ("strict", strict, "{on,off}", "whether plain reads beside atomics are findings"),
        ("watchdog", watchdog, "SECONDS", "processor time that a kernel may take; 0 is no limit"),
        ("device", os.environ.get(DEVICE_VARIABLE) or "h200", "NAME", f"one of {', '.join(ARCHITECTURES)}"),
    ):
        setting = f"simt_{name.replace('-', '_')}"
        group.addoption(f"--simt-{name}", dest=setting, metavar=metavar, help=f"{text} ({default})")
        parser.addini(setting, f"{text}, as --simt-{name}", type="string", default=default)
    parser.addini("simt_ignore", "known findings: lines of a kind and a file[:line]", type="linelist")


def _chosen(config: pytest.Config, name: str) -> str:
    given = getattr(config.known_args_namespace, name, None)
    return str(config.getini(name) if given is None else given)


def _not_one_of(name: str, choices: tuple[str, ...], remark: str = "") -> str:
    return f"--simt-{name} (or simt_{name} in the ini file) takes one of: {', '.join(choices)}{remark}."
