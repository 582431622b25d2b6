"""A run that samples: which blocks run, what is found in them, and that everything says so."""

from __future__ import annotations

import itertools
import json
import subprocess
from typing import Any

import pytest

from cusimt.programs.schedules import SAMPLE_VARIABLE
from cusimt.tests.runtime_program import program, run

BLOCKS = 64


def sampled(case: str, blocks: str | None, **variables: str) -> tuple[list[int], str, list[dict[str, Any]]]:
    """What the case left in memory, the last error, and the records of its findings."""
    settings = [f"{SAMPLE_VARIABLE}={blocks}"] if blocks else [f"-u{SAMPLE_VARIABLE}"]
    settings += [f"{name}={value}" for name, value in variables.items()]
    done = run(program("sampling"), case, prefix=["env", *settings])
    assert done.returncode == 0, done.stderr
    assert ("a sampled run" in done.stderr) == any("sampled" in line for line in done.stdout.splitlines())
    values, error, *records = done.stdout.splitlines()
    return [int(each) for each in values.split()], error, [json.loads(each) for each in records]


def kinds(records: list[dict[str, Any]]) -> list[str]:
    return [record["kind"] for record in records]


@pytest.mark.parametrize("count", [1, 2, 3, 8, 63])
@pytest.mark.parametrize("schedule", ["forward", "reversed", "seeded:3"])
def test_so_many_blocks_run_and_the_record_says_so(count: int, schedule: str) -> None:
    seen, _, (record,) = sampled("mark", str(count), CUSIMT_SCHEDULE=schedule)
    assert sum(seen) == count and seen[0] == 1
    assert seen == sampled("mark", str(count))[0], "the sample is the same in every order"
    assert (record["kind"], record["note"]) == ("sampled_launch", f"{count} of {BLOCKS} blocks")


def test_the_sample_is_spread() -> None:
    seen = sampled("mark", "8")[0]
    ran = [block for block in range(BLOCKS) if seen[block]]
    assert ran[0] == 0 and ran[-1] == BLOCKS - 1
    gaps = {later - earlier for earlier, later in itertools.pairwise(ran)}
    assert max(gaps) < 2 * BLOCKS / 6 and len(gaps) > 1, "one of each stretch, at no fixed distance"


@pytest.mark.parametrize("count", [None, "64", "1000"])
def test_a_launch_of_no_more_blocks_runs_whole(count: str | None) -> None:
    seen, _, records = sampled("mark", count)
    assert sum(seen) == BLOCKS and not records


def test_the_last_block_is_in_the_sample() -> None:
    assert kinds(sampled("last_block", "2")[2]) == ["out_of_bounds", "sampled_launch"]


def test_what_a_skipped_block_would_do_is_not_found() -> None:
    assert kinds(sampled("some_block", "2")[2]) == ["sampled_launch"]
    assert kinds(sampled("some_block", None)[2]) == ["out_of_bounds"]


def test_what_skipped_blocks_should_have_written_is_no_finding_for_its_readers() -> None:
    _, _, records = sampled("producer", "3")
    assert kinds(records) == ["sampled_launch", "sampled_launch"]


def test_blocks_that_wait_for_one_another_all_run() -> None:
    turn, error, records = sampled("chain", "4")
    assert (turn[0], error, records) == (BLOCKS, "cudaSuccess", [])


def test_what_is_no_number_of_blocks_ends_the_program() -> None:
    for wrong in ("0", "few", "-1"):
        done = subprocess.run(
            ["env", f"{SAMPLE_VARIABLE}={wrong}", str(program("sampling")), "mark"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 2 and "It takes a number of blocks." in done.stderr
