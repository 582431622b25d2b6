"""Every kind of finding has a kernel that makes it and one beside it that must not, in every order.

All cases of runtime/pairs.cu run in one process per schedule.
"""

from __future__ import annotations

import functools
import json
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from cusimt import findings
from cusimt.findings import KINDS, Finding, rule, sentence
from cusimt.tests.runtime_program import program, run, source_line

SCHEDULES = {"forward": "0", "reversed": "1", "random": "2"}
REFERENCE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "simt.md"


@dataclass(frozen=True)
class Pair:
    """A case that makes `kind` at the line marked `mark`, and the one beside it that must make nothing."""

    kind: str
    wrong: str
    right: str
    mark: str
    error: str = "cudaSuccess"
    besides: tuple[str, ...] = ()  # other kinds that the same mistake makes


PAIRS = (
    Pair("out_of_bounds", "overrun", "guarded", "fill"),
    Pair("out_of_bounds", "tile_overrun", "tile_within", "fill_tile"),
    Pair("misaligned", "misaligned", "aligned", "load_wide", "cudaErrorMisalignedAddress"),
    Pair("misaligned", "atomic_misaligned", "atomic_aligned", "add_at", "cudaErrorMisalignedAddress"),
    Pair("use_after_free", "use_after_free", "free_after_use", "store"),
    Pair("double_free", "freed_twice", "freed_once", "freed_twice", "cudaErrorInvalidValue"),
    Pair("invalid_free", "freed_inside", "pinned_freed", "freed_inside", "cudaErrorInvalidValue"),
    Pair("host_pointer", "host_pointer", "managed", "store", "cudaErrorIllegalAddress"),
    Pair("device_pointer_on_host", "read_on_host", "copied_to_host", "read_on_host"),
    Pair("write_to_const", "constant_written", "constant_read", "write_constant"),
    Pair("trap", "assertion_fails", "assertion_holds", "asserts", "cudaErrorAssert"),
    Pair("division_by_zero", "divided_by_zero", "divided", "divides", "cudaErrorLaunchFailure"),
    Pair("illegal_instruction", "unreachable_reached", "unreachable_not_reached", "unreachable",
         "cudaErrorIllegalInstruction"),
    Pair("timeout", "endless", "ends", "counts_forever", "cudaErrorLaunchTimeout"),
    Pair("invalid_launch", "too_many_threads", "most_threads", "too_many_threads", "cudaErrorInvalidValue"),
    Pair("uninitialized_read", "unwritten", "written", "copy"),
    Pair("uninitialized_read", "tile_unwritten", "tile_written", "sum_tile"),
    Pair("uninitialized_read", "bytes_unwritten", "bytes_written", "sum_bytes"),
    Pair("uninitialized_read", "bins_not_zeroed", "bins_zeroed", "histogram"),
    Pair("race_shared", "reverse_racy", "reverse", "reverse"),
    Pair("race_shared", "rotate_racy", "rotate", "rotate"),
    Pair("race_shared", "different_values", "same_value", "all_write"),
    Pair("race_shared", "shared_byte_of_two", "shared_byte_of_one", "shared_bytes"),
    Pair("race_shared", "double_buffered_racy", "double_buffered", "double_buffered"),
    Pair("race_shared", "warp_volatile", "warp_synchronised", "warp_reduction"),
    Pair("race_shared", "warp_unordered", "warp_shuffled", "shuffled"),
    Pair("race_shared", "across_tiles", "within_tiles", "tiles_of_four"),
    Pair("race_shared", "warp_told_unfenced", "warp_told", "tell_warp"),
    Pair("race_shared", "block_lock_unfenced", "block_lock", "locked_in_block"),
    Pair("race_global", "sum_racy", "sum_atomic", "add_up"),
    Pair("race_global", "variable_racy", "variable_atomic", "add_to_variable"),
    Pair("race_global", "variable_of_two", "variable_of_one", "set_variables"),
    Pair("race_global", "neighbour_block", "neighbour_thread", "read_neighbour"),
    Pair("race_global", "flag_of_values", "flag_of_one_value", "set_flag"),
    Pair("race_global", "sums_of_lanes", "sum_of_one_lane", "sum_of_warp"),
    Pair("race_global", "in_turn_racy", "in_turn", "lanes_in_turn"),
    Pair("race_global", "bytes_of_two", "bytes_of_one", "parts"),
    Pair("race_global", "shorts_of_two_blocks", "shorts_of_one", "parts"),
    Pair("race_global", "halves_of_neighbours", "halves_apart", "halves"),
    Pair("race_global", "word_over_bytes", "word_behind_bytes", "bytes_beside_words"),
    Pair("race_global", "total_too_early", "guessed", "total_too_early"),
    Pair("race_global", "partials_unfenced", "partials_fenced", "last_block_adds"),
    Pair("race_global", "look_back_unfenced", "look_back", "look_back"),
    Pair("race_global", "lock_unfenced", "lock_fenced", "locked"),
    Pair("race_global", "rounds_racy", "rounds", "grid_rounds"),
    Pair("race_global", "leader_racy", "leader", "leader_writes"),
    Pair("race_global", "passed_on_racy", "passed_on", "passes_on"),
    Pair("divergent_barrier", "barriers_in_branches", "barrier_in_one_branch", "barrier_in_branches"),
    Pair("divergent_barrier", "some_return", "all_return", "returns_early"),
    Pair("divergent_barrier", "loops_that_differ", "loop_of_barriers", "barrier_in_loop"),
    Pair("deadlock", "deadlock", "no_deadlock", "barrier_against_shuffle", "cudaErrorLaunchFailure"),
    Pair("bad_mask", "mask_without_self", "mask_of_all", "mask_of_others", besides=("absent_lane",)),
    Pair("absent_lane", "half_of_the_lanes_left", "no_lane_left", "lower_half_shuffles"),
    Pair("barrier_count", "arrives_too_often", "arrives_once", "arrive_twice"),
    Pair("copy_in_flight", "copy_not_waited_for", "copy_waited_for", "copy_async", besides=("race_shared",)),
    Pair("copy_source", "source_changed", "source_kept", "change_source"),
    Pair("stream_order", "filled_on_another_stream", "filled_before", "twice_as_much"),
    Pair("stream_order", "copied_too_early", "copied_after", "twice_as_much"),
    Pair("stream_order", "half_copied_too_early", "half_copied_after", "twice_as_much"),
    Pair("stream_order", "doubled_too_early", "doubled_after", "twice_as_much"),
    Pair("stream_order", "doubled_while_read", "doubled_after_read", "twice_as_much"),
    Pair("stream_order", "same_bytes_by_both", "other_bytes_by_both", "fill_bytes_of_words"),
)  # fmt: skip
ALSO_RIGHT = (
    "read_only", "stopped", "masks_of_halves", "waited_asleep", "source_read", "half_a_stream_each",
    "read_by_both", "same_values_by_both", "counted_by_both", "sum_of_every_lane", "in_pairs",
)  # fmt: skip
IN_GRADED_CALLS = {"mapped_memory", "other_thread"}  # test_runtime_static_data
WITH_OTHER_PAIRS = {"host_function", "proxy_fence"}  # test_runtime_host_code, test_runtime_bulk
IF_STRICT = {"plain_guess"}  # test_findings_signals
BY_PYTORCH = {"stream_reuse"}  # the allocator that hands out blocks again is PyTorch's: test_device_streams

schedules = pytest.mark.parametrize("schedule", SCHEDULES)


@functools.cache
def outcomes(schedule: str) -> dict[str, tuple[str, list[Finding]]]:
    """Case -> the last error and what was found."""
    done = run(program("pairs"), SCHEDULES[schedule])
    assert done.returncode == 0, done.stderr
    raw: dict[str, tuple[str, list[dict[str, object]]]] = {}
    for line in done.stdout.splitlines():
        if line.startswith("# "):
            _, case, error = line.split()
            raw[case] = (error, [])
        else:
            raw[case][1].append(json.loads(line))
    return {case: (error, findings.symbolise(lines, suspicions=True)) for case, (error, lines) in raw.items()}


def test_every_kind_has_a_pair() -> None:
    elsewhere = BY_PYTORCH | IN_GRADED_CALLS | WITH_OTHER_PAIRS | IF_STRICT
    assert {pair.kind for pair in PAIRS} == set(KINDS) - elsewhere


def test_every_case_is_in_the_table() -> None:
    named = [*ALSO_RIGHT, *(case for pair in PAIRS for case in (pair.wrong, pair.right))]
    assert sorted(named) == sorted(outcomes("forward"))


@schedules
@pytest.mark.parametrize("pair", PAIRS, ids=[pair.wrong for pair in PAIRS])
def test_wrong(pair: Pair, schedule: str) -> None:
    error, found = outcomes(schedule)[pair.wrong]
    assert error == pair.error
    assert {each.kind for each in found} - set(pair.besides) == {pair.kind}
    lines = {party.frame.line for each in found for party in (each, each.other) if party}
    lines |= {each.launch.line for each in found if not each.frame.file}
    assert source_line("pairs", pair.mark) in lines
    places = [(each.kind, each.frame, each.launch, each.access) for each in found]
    assert len(places) == len(set(places)), "one line is told once"


@schedules
@pytest.mark.parametrize("case", [*(pair.right for pair in PAIRS), *ALSO_RIGHT])
def test_right(case: str, schedule: str) -> None:
    assert outcomes(schedule)[case] == ("cudaSuccess", [])


def test_findings_are_the_same_in_every_run() -> None:
    again = outcomes.__wrapped__("random")
    for case, (error, found) in outcomes("random").items():
        facts = [(each.kind, each.frame, each.block, each.thread, each.count) for each in found]
        assert (error, facts) == (
            again[case][0],
            [(each.kind, each.frame, each.block, each.thread, each.count) for each in again[case][1]],
        ), case


@pytest.mark.parametrize("case", ["partials_unfenced", "look_back_unfenced"])
def test_a_missing_fence_is_named(case: str) -> None:
    (finding,) = outcomes("forward")[case][1]
    assert finding.note == "read after write, announced without a __threadfence()"
    assert "before a __threadfence()" in rule(finding)


def test_the_rule_for_a_kernel_that_was_stopped_fits_one_that_does_end() -> None:
    assert "a loop in which every thread does all the work ends too late" in rule(Finding("timeout"))


def test_the_rule_for_work_on_the_default_stream_fits_files_with_tensors_and_without() -> None:
    told = rule(Finding("stream_order", note="k on the default stream and aten::add on stream 7"))
    assert "the one that its function was given or, where tensors are known, the current one" in told


@pytest.mark.parametrize("case", ["different_values", "sums_of_lanes"])
def test_lanes_of_one_instruction_are_named(case: str) -> None:
    (finding,) = outcomes("forward")[case][1]
    assert finding.lanes == (0, 1)
    said = "lanes 0 and 1 of one warp write different values to element 0 of "
    assert said in sentence(finding) and "which of them remains is not defined" in sentence(finding)
    assert "let the one lane write that has the result" in rule(finding)


def test_writers_of_several_blocks_are_no_lanes_of_one_warp() -> None:
    (finding,) = outcomes("forward")["flag_of_values"][1]
    assert finding.lanes is None and "unordered with the write" in sentence(finding)


def test_parties_of_a_race_between_blocks() -> None:
    (finding,) = outcomes("forward")["shorts_of_two_blocks"][1]
    assert (finding.block, finding.bytes, finding.access) == ((1, 0, 0), 2, "write")
    assert finding.other is not None
    assert finding.other.block == (0, 0, 0)


def test_the_reference_names_every_kind() -> None:
    rows = [line.split("|")[1] for line in REFERENCE.read_text().splitlines() if line.startswith("| `")]
    assert set(KINDS) <= {kind for row in rows for kind in re.findall(r"`(\w+)`", row)}
