"""The orders in which a program is repeated, and the options that ask for them."""

from __future__ import annotations

import os

import pytest

from cusimt.__main__ import _read
from cusimt.findings import Finding, explain
from cusimt.programs.schedules import (
    SCHEDULE_VARIABLE,
    STRICT_VARIABLE,
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
    "option", ["--schedules", "--schedules=0", "--schedules=x", "--watchdog=", "--strict=1"]
)
def test_what_no_option_takes(option: str) -> None:
    with pytest.raises(UsageError, match="There is no option"):
        _read([option])


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        *((SCHEDULE_VARIABLE, value) for value in ("backward", "Reversed", "seeded", "seeded:", "seeded:-1")),
        *((WATCHDOG_VARIABLE, value) for value in ("soon", "-1", "inf", "1s", ".")),
    ],
)
def test_what_the_environment_cannot_choose(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(UsageError, match=f"{variable}={value} means nothing"):
        check_environment()


def test_what_the_environment_can_choose(monkeypatch: pytest.MonkeyPatch) -> None:
    for schedule, watchdog in (("", ""), ("forward", "0"), ("reversed", "2.5"), ("seeded:7", ".5")):
        monkeypatch.setenv(SCHEDULE_VARIABLE, schedule)
        monkeypatch.setenv(WATCHDOG_VARIABLE, watchdog)
        check_environment()


def test_a_finding_names_the_schedule_that_repeats_it() -> None:
    assert "CUSIMT_SCHEDULE=seeded:2 repeats it" in explain(Finding("race_global", schedule="seeded:2"))
    assert "CUSIMT_SCHEDULE" not in explain(Finding("race_global"))
