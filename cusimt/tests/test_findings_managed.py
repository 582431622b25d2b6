"""Managed and pinned memory that host code touches while a kernel or a copy may still be using it."""

from __future__ import annotations

import functools
import json
from typing import Any

import pytest

from cusimt import findings
from cusimt.findings import Finding, explain, sentence
from cusimt.tests.runtime_program import program, run, source_line

WRONG = {
    "reads_at_once": ("sum", "read"),
    "writes_what_is_read": ("overwrites", "write"),
    "behind_a_pointer": ("sum", "read"),
    "waits_for_another_stream": ("sum", "read"),
    "copied_and_read": ("sum", "read"),
    "overwritten_source": ("overwrites_source", "write"),
}
RIGHT = (
    "waits",
    "frees_first",
    "copied_and_awaited",
    "copied_at_once",
    "source_is_read",
    "polls_a_flag",
    "copies_first",
    "asks_until_done",
    "in_the_order_of_the_stream",
    "both_read",
    "another_part",
)


@functools.cache
def outcomes() -> dict[str, list[Finding]]:
    raw: dict[str, list[dict[str, Any]]] = {}
    for line in run(program("managed")).stdout.splitlines():
        if line.startswith("# "):
            raw[case := line.split()[1]] = []
        else:
            raw[case].append(json.loads(line))
    return {case: findings.symbolise(lines) for case, lines in raw.items()}


@pytest.mark.parametrize("case", WRONG)
def test_wrong(case: str) -> None:
    mark, access = WRONG[case]
    (finding,) = outcomes()[case]
    assert (finding.kind, finding.access) == ("stream_order", access)
    assert finding.frame.line == source_line("managed", mark)


@pytest.mark.parametrize("case", RIGHT)
def test_right(case: str) -> None:
    assert outcomes()[case] == []


def test_every_case_is_in_a_table() -> None:
    assert sorted([*WRONG, *RIGHT]) == sorted(outcomes())


def test_the_sentence_names_the_kernel_and_the_rule_a_wait() -> None:
    (finding,) = outcomes()["reads_at_once"]
    assert sentence(finding).startswith("The host reads managed memory that fill on stream ")
    assert "may still be using" in sentence(finding)
    assert "cudaDeviceSynchronize()" in explain(finding)
