"""The orders in which a program is repeated, and the options that ask for them."""

from __future__ import annotations

import os

import pytest

from cusimt.__main__ import _read
from cusimt.findings import Finding, explain
from cusimt.programs.schedules import (
    SAMPLE_VARIABLE,
    SCHEDULE_VARIABLE,
    STRICT_VARIABLE,
    THREADS_VARIABLE,
    WATCHDOG_VARIABLE,
    check_environment,
    first_schedules,
)
from cusimt.support.errors import UsageError


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (1, ["forward"]),
        (2, ["forward", "reversed"]),
        (4, ["forward", "reversed", "seeded:1", "seeded:2"]),
    ],
)
def test_the_first_schedules(count: int, expected: list[str]) -> None:
    assert first_schedules(count) == expected


def test_options(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in (STRICT_VARIABLE, WATCHDOG_VARIABLE):
        monkeypatch.setenv(variable, "")
    assert _read(["--schedules=3", "--strict", "--watchdog=2.5"]).schedules == 3
    assert (os.environ[STRICT_VARIABLE], os.environ[WATCHDOG_VARIABLE]) == ("1", "2.5")


@pytest.mark.parametrize(
    ("option", "takes"),
    [
        ("--schedules", "--schedules takes the number of runs."),
        ("--schedules=0", "--schedules takes the number of runs."),
        ("--schedules=x", "--schedules takes the number of runs."),
        ("--watchdog=", "--watchdog takes a number of seconds; 0 is no limit."),
        ("--watchdog=1s", "--watchdog takes a number of seconds; 0 is no limit."),
        ("--sample-blocks=0", "--sample-blocks takes the number of blocks of each launch that run."),
        ("--profile=", "--profile takes the name of a file, or no value."),
        ("--profile=.", "--profile takes the name of a file, and this is a folder."),
        ("--strict=1", "--strict takes no value."),
    ],
)
def test_a_value_that_an_option_does_not_take(option: str, takes: str) -> None:
    with pytest.raises(UsageError) as refusal:
        _read([option])
    assert (refusal.value.what, refusal.value.rule) == (f"{option} is not possible.", takes)


def test_an_unknown_option() -> None:
    with pytest.raises(UsageError, match="There is no option --schedule=2"):
        _read(["--schedule=2"])


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        *((SCHEDULE_VARIABLE, value) for value in ("backward", "Reversed", "seeded", "seeded:", "seeded:-1")),
        *((WATCHDOG_VARIABLE, value) for value in ("soon", "-1", "inf", "1s", ".")),
        *((STRICT_VARIABLE, value) for value in ("on", "yes", "2")),
        *((THREADS_VARIABLE, value) for value in ("all", "0", "-2")),
        *((SAMPLE_VARIABLE, value) for value in ("all", "0", "1.5")),
    ],
)
def test_what_the_environment_cannot_choose(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(UsageError, match=f"{variable}={value} means nothing"):
        check_environment()


def test_what_the_environment_can_choose(monkeypatch: pytest.MonkeyPatch) -> None:
    for schedule, watchdog, strict, number in (
        ("", "", "", ""), ("forward", "0", "0", "1"), ("reversed", "2.5", "1", "2"),
        ("seeded:7", ".5", "", "4"),
    ):  # fmt: skip
        monkeypatch.setenv(SCHEDULE_VARIABLE, schedule)
        monkeypatch.setenv(WATCHDOG_VARIABLE, watchdog)
        monkeypatch.setenv(STRICT_VARIABLE, strict)
        for variable in (THREADS_VARIABLE, SAMPLE_VARIABLE):
            monkeypatch.setenv(variable, number)
        check_environment()


def test_a_finding_names_the_schedule_that_repeats_it() -> None:
    assert "CUSIMT_SCHEDULE=seeded:2 repeats it" in explain(Finding("race_global", schedule="seeded:2"))
    assert "CUSIMT_SCHEDULE" not in explain(Finding("race_global"))
