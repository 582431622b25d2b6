"""Every kind of finding: a minimal kernel that makes it, and one beside it that must not."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time

import pytest

from cusimt import findings
from cusimt.findings import Finding, explain
from cusimt.tests.runtime_program import program, run, source_line


def found(case: str, checked: bool = True) -> tuple[str, list[Finding]]:
    """The last error after the case and what was found."""
    done = run(program("findings", checked), case)
    assert done.returncode == 0, done.stderr
    error, *lines = done.stdout.splitlines()
    return error, findings.symbolise([json.loads(line) for line in lines])


def line(mark: str) -> int:
    return source_line("findings", mark)


def lines_of(finding: Finding) -> set[int]:
    """Of both parties: which of two racing accesses comes second depends on the schedule."""
    return {finding.frame.line, finding.other.frame.line if finding.other else finding.frame.line}


WRONG = [
    # case, kind, access, mark of the line, last error, count
    ("out_of_bounds", "out_of_bounds", "write", "out_of_bounds", "cudaSuccess", 24),
    ("read_past", "out_of_bounds", "read", "read", "cudaSuccess", 1),
    ("read_before", "out_of_bounds", "read", "read", "cudaSuccess", 2),
    ("far_away", "out_of_bounds", "write", "store", "cudaErrorIllegalAddress", 1),
    ("just_below_the_next", "out_of_bounds", "write", "store_twice", "cudaSuccess", 2),
    ("walks_to_the_next", "out_of_bounds", "write", "store_twice", "cudaSuccess", 1),
    ("use_after_free", "use_after_free", "write", "store", "cudaSuccess", 1),
    ("unwritten", "uninitialized_read", "read", "read", "cudaSuccess", 1000),
    ("atomic_unwritten", "uninitialized_read", "atomic", "atomic", "cudaSuccess", 1),
    ("misaligned", "misaligned", "read", "misaligned", "cudaErrorMisalignedAddress", 1),
    ("memcpy_past", "out_of_bounds", None, "memcpy", "cudaSuccess", 2),
    ("memcpy_by_two", "race_global", "write", "memcpy", "cudaSuccess", None),
    ("host_pointer", "host_pointer", "write", "store", "cudaErrorIllegalAddress", 1),
    ("reference", "host_pointer", "read", "of_reference", "cudaErrorIllegalAddress", 1),
    ("reference_template", "host_pointer", "read", "of_reference_template", "cudaErrorIllegalAddress", 1),
    ("null_pointer", "host_pointer", "write", "store", "cudaErrorIllegalAddress", 1),
    ("other_device", "out_of_bounds", "write", "store", "cudaErrorIllegalAddress", 1),
    ("beside_variables", "out_of_bounds", "read", "read_beside", "cudaErrorIllegalAddress", 1),
    ("write_constant", "write_to_const", "write", "write_to_const", "cudaSuccess", 4),
    ("host_reads_device", "device_pointer_on_host", "read", "host_reads_device", "cudaSuccess", 1),
    ("add_up_racy", "race_global", None, "add_up", "cudaSuccess", None),
    ("add_up_in_warp", "race_global", None, "add_up", "cudaSuccess", None),
    ("pass_on_across_blocks", "race_global", None, "pass_on_read", "cudaSuccess", None),
    ("first_block_writes", "race_global", None, "one_writes_after", "cudaSuccess", None),
    ("last_thread_writes", "race_global", "write", "one_writes_after", "cudaSuccess", 1),
    ("one_block_last_thread_writes", "race_global", "write", "one_writes_after", "cudaSuccess", 1),
    ("reverse_racy", "race_shared", "read", "reverse_read", "cudaSuccess", 32),
    ("rotate_racy", "race_shared", "write", "rotate_write", "cudaSuccess", None),
    ("all_write", "race_shared", "write", "all_write", "cudaSuccess", 63),
    ("warp_racy", "race_shared", "read", "warp_read", "cudaSuccess", None),
    ("warp_across", "race_shared", "read", "warp_read", "cudaSuccess", None),
    ("half_warps_across", "race_shared", None, "half_warp_read", "cudaSuccess", None),
    ("bytes_together", "race_shared", "write", "bytes", "cudaSuccess", 32),
    ("histogram_racy", "race_shared", None, "histogram", "cudaSuccess", None),
    ("shared_unwritten", "uninitialized_read", "read", "shared_unwritten", "cudaSuccess", 128),
    ("static_past", "out_of_bounds", "write", "static_shared", "cudaSuccess", 1),
    ("static_before", "out_of_bounds", "write", "static_shared", "cudaSuccess", 1),
    ("vector_past", "out_of_bounds", "write", "static_vector", "cudaSuccess", 1),
    ("dynamic_too_small", "out_of_bounds", None, "dynamic", "cudaSuccess", None),
    ("half_a_pair", "uninitialized_read", "read", "half_a_pair", "cudaSuccess", None),
    ("one_of_two_racy", "race_shared", None, "one_of_two", "cudaSuccess", None),
    ("computed_past", "out_of_bounds", "write", "computed_object", "cudaSuccess", None),
    ("pixels_past", "out_of_bounds", "read", "copied", "cudaSuccess", None),
    ("barrier_after_return", "divergent_barrier", None, "barrier_after_return", "cudaSuccess", 1),
    ("barrier_in_branches", "divergent_barrier", None, "first_branch", "cudaSuccess", 1),
    ("deadlock", "deadlock", None, "deadlock", "cudaErrorLaunchFailure", 1),
    ("mask_without_self", "bad_mask", None, "without_self", "cudaSuccess", 1),
    ("masks_that_differ", "bad_mask", None, "differ", "cudaErrorLaunchFailure", 1),
    ("assertion_fails", "trap", None, "trap", "cudaErrorAssert", 1),
]

RIGHT = [
    "guarded", "read_within", "free_after_use", "atomic_written", "aligned", "memcpy_within", "pinned",
    "registered", "managed", "copied_structure", "peer", "add_up_atomic",
    "pass_on_within_block", "nobody_writes", "each_writes_its_own", "last_block_adds",
    "read_constant", "reverse_ordered", "rotate_ordered", "one_writes", "warp_ordered", "half_warps_within",
    "told_on", "bytes_apart", "histogram_atomic",
    "shared_written", "static_within", "vector_within", "dynamic_enough", "barrier_by_all",
    "first_of_half_a_pair", "one_of_two_ordered", "anything", "computed",
    "barrier_in_one_branch", "barrier_in_loop", "masks_of_halves", "shared_opted_in", "assertion_holds",
    "spins_never", "computes_briefly",
]  # fmt: skip


@pytest.mark.parametrize(
    ("case", "kind", "access", "mark", "error", "count"), WRONG, ids=[case[0] for case in WRONG]
)
def test_wrong(case: str, kind: str, access: str | None, mark: str, error: str, count: int | None) -> None:
    last_error, seen = found(case)
    matching = [each for each in seen if each.kind == kind and line(mark) in lines_of(each)]
    assert matching, [(each.kind, each.where) for each in seen]
    assert {each.kind for each in seen} == {kind}
    if access:
        assert access in {each.access for each in matching if each.frame.line == line(mark)}
    if count:
        assert matching[0].count == count
    assert last_error == error


@pytest.mark.parametrize("case", RIGHT)
def test_right(case: str) -> None:
    assert found(case) == ("cudaSuccess", [])


OBJECTS = ["pair", "nested", "row", "pixel", "float4", "half2", "half", "complex"]
HANDED_OVER = [
    # how, kind, access, mark of the line
    ("past", "out_of_bounds", "read", "handed_over"),
    ("back_past", "out_of_bounds", "write", "handed_back"),
    ("unwritten", "uninitialized_read", "read", "handed_over"),
    ("racy", "race_shared", None, "handed_over_shared"),
]


@pytest.mark.parametrize("object_", OBJECTS)
@pytest.mark.parametrize(("how", "kind", "access", "mark"), HANDED_OVER, ids=[how[0] for how in HANDED_OVER])
def test_an_object_that_a_call_takes_or_returns(
    object_: str, how: str, kind: str, access: str | None, mark: str
) -> None:
    """The call is not inlined, so it is the caller's own code that reads the object or writes it."""
    test_wrong(f"{object_}.{how}", kind, access, mark, "cudaSuccess", None)


@pytest.mark.parametrize("object_", OBJECTS)
@pytest.mark.parametrize("how", ["within", "ordered", "local"])
def test_an_object_that_a_call_may_take_and_return(object_: str, how: str) -> None:
    test_right(f"{object_}.{how}")


@pytest.mark.parametrize("case", ["too_many_threads", "too_much_shared"])
def test_launch_that_does_not_fit(case: str) -> None:
    error, (finding,) = found(case)
    assert (error, finding.kind) == ("cudaErrorInvalidValue", "invalid_launch")
    assert finding.launch.source.lstrip().startswith(f'if (name == "{case}")')


@pytest.mark.parametrize("checked", [True, False], ids=["checked", "fast"])
@pytest.mark.parametrize("loop", ["spins", "computes"])
def test_endless_loops_are_stopped(loop: str, checked: bool) -> None:
    error, (finding,) = found(f"{loop}_forever", checked)
    is_a_wait = checked and loop == "spins"  # which is seen, and needs no time limit
    assert (error, finding.kind) == ("cudaErrorLaunchTimeout", "deadlock" if is_a_wait else "timeout")
    assert finding.frame.line == line(loop)


def test_the_watchdog_counts_processor_time() -> None:
    """A busy machine keeps a kernel waiting, here for longer than its limit."""
    command = [str(program("findings", checked=False)), "computes_while_stopped"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "computes\n"
        time.sleep(0.03)  # now it is likely to compute
        running.send_signal(signal.SIGSTOP)
        time.sleep(1.3)
        running.send_signal(signal.SIGCONT)
        assert running.communicate(timeout=60)[0] == "cudaSuccess\n"


@pytest.mark.parametrize(
    ("case", "watchdog", "error"),
    [
        ("computes_as_the_environment_allows", "0.2", "cudaErrorLaunchTimeout"),
        ("computes_without_limit", "0.05", "cudaSuccess"),
    ],
)
def test_the_limit_of_the_environment(case: str, watchdog: str, error: str) -> None:
    """It holds without checks, and gives way to what the program asks for, be it no limit."""
    environment = {**os.environ, "CUSIMT_WATCHDOG": watchdog}
    command = [program("findings", checked=False), case]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines()[0] == error


@pytest.mark.parametrize(
    "setting", ["CUSIMT_SCHEDULE=backward", "CUSIMT_SCHEDULE=seeded:", "CUSIMT_WATCHDOG=1s"]
)
def test_a_setting_that_means_nothing_is_refused(setting: str) -> None:
    name, _, value = setting.partition("=")
    done = subprocess.run(
        [program("findings", checked=False), "computes_briefly"],
        env={**os.environ, name: value},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"cusimt: {setting} means nothing. It takes ")


@pytest.mark.parametrize("case", ["null_pointer", "far_away"])
def test_faults_of_the_fast_build_fail_the_launch(case: str) -> None:
    error, (finding,) = found(case, checked=False)
    assert error == "cudaErrorIllegalAddress"
    assert finding.frame.line == line("store")


def test_parties_of_a_race() -> None:
    _, (finding,) = found("all_write")
    assert (finding.block, finding.thread) == ((0, 0, 0), (1, 0, 0))
    assert finding.other is not None
    assert (finding.other.thread, finding.other.frame.line) == ((0, 0, 0), line("all_write"))
    assert finding.note == "write after write"


def test_a_tensor_is_named_by_the_element() -> None:
    _, (finding,) = found("out_of_bounds")
    assert finding.allocation is not None
    assert explain(finding).splitlines() == [
        "Invalid __global__ write of size 4 bytes: element 1000 of an allocation, which has 1000 elements "
        f"(1 past the end) (24 times). findings.cu:{line('out_of_bounds')}, block (3,0,0), thread (232,0,0).",
        "A thread whose index is past the end must not touch the element: guard the access. If this thread "
        "has an element of its own, look at the index or the loop bound.",
        "    c[i] = i;  // <- out_of_bounds",
    ]


@pytest.mark.parametrize("schedule", ["forward", "reversed"])
@pytest.mark.parametrize(
    ("case", "side"), [("just_below_the_next", "before its beginning"), ("walks_to_the_next", "past the end")]
)
def test_the_overrun_allocation_is_one_that_the_instruction_accesses(
    case: str, side: str, schedule: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever of its threads ran first; else it is the nearer one."""
    monkeypatch.setenv("CUSIMT_SCHEDULE", schedule)
    overruns = [finding for finding in found(case)[1] if finding.kind == "out_of_bounds"]
    assert len(overruns) == 1 and f"{side})" in explain(overruns[0])


@pytest.mark.parametrize(
    ("case", "element"),
    [
        ("static_past", "element 64 of `tile`, which has 64 elements (1 past the end)"),
        ("static_before", "element -2 of `tile`, which has 64 elements (2 before its beginning)"),
    ],
)
def test_a_shared_array_is_named_by_the_element(case: str, element: str) -> None:
    _, (finding,) = found(case)
    assert explain(finding).startswith(f"Invalid __shared__ write of size 4 bytes: {element}. findings.cu:")


def test_too_little_dynamic_shared_memory_is_the_launchs_mistake() -> None:
    _, findings = found("dynamic_too_small")
    assert "The third launch parameter is a number of bytes" in explain(findings[0])


def test_a_vector_is_no_element_of_a_shared_array() -> None:
    """Its type is not known here: 16 bytes may be four floats."""
    _, (finding,) = found("vector_past")
    where = "byte 256 of `tile`, which has 256 bytes"
    assert explain(finding).startswith(f"Invalid __shared__ write of size 16 bytes: {where}. findings.cu:")


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("read_before", "No thread has an element before the beginning"),
        ("static_before", "No thread has an element before the beginning"),
        ("null_pointer", "This pointer was never set"),
        ("host_pointer", "A kernel can only write device memory: allocate it there"),
        ("host_reads_device", "Host code must not follow a device pointer: launch a kernel"),
        (
            "add_up_racy",
            "If several threads add to one element, use atomics. If a thread reads what another one",
        ),
        ("memcpy_by_two", "Each element needs one owner, since any of the writers may be the last"),
        ("all_write", "Each element needs one owner: look at the index, or let the one lane write"),
        (
            "reverse_racy",
            "Between one thread's write and another's access there must be a __syncthreads(); among",
        ),
        ("histogram_racy", "If several threads add to one element, use atomics"),
        (
            "pass_on_across_blocks",
            "Blocks run in any order: no block may touch what another one writes. Read from a copy",
        ),
        (
            "one_block_last_thread_writes",
            "before the next write, in a loop at its end. That orders one block: what",
        ),
    ],
)
def test_the_rule_is_that_of_the_case(case: str, words: str) -> None:
    assert words in explain(found(case)[1][0])


def test_a_barrier_in_a_function_knows_who_called_it() -> None:
    (finding,) = (each for each in found("barrier_in_function")[1] if each.kind == "divergent_barrier")
    assert finding.frame.line == line("barrier_in_function")
    assert f"; this function was called from findings.cu:{line('called_by_some')}. findings.cu:" in explain(
        finding
    )
    assert found("barrier_after_return")[1][0].frame.callers == ()


@pytest.mark.parametrize(
    ("case", "mark", "calls", "words"),
    [
        (
            "overrun_in_helper", "helper_store", ("helper_call", "kernel_call"),
            "; this function was called from {}, on the way from {}.",
        ),
        ("overrun_inlined", "inlined_read", ("inlined_call",), "; this function was called from {}."),
        ("out_of_bounds", "out_of_bounds", (), " (24 times)."),
    ],
)  # fmt: skip
def test_an_access_in_a_function_knows_who_called_it(
    case: str, mark: str, calls: tuple[str, ...], words: str
) -> None:
    """The calls on the stack and the inlined ones, up to the kernel; its launch is none of them."""
    (finding,) = found(case)[1]
    assert finding.frame.line == line(mark)
    assert [each.line for each in finding.frame.callers] == [line(call) for call in calls]
    assert f"past the end){words.format(*(each.where for each in finding.frame.callers))}" in explain(finding)


@pytest.mark.parametrize(
    ("case", "note", "words"),
    [
        ("first_barrier", "read after write", "put a __syncthreads() between the write and the read"),
        (
            "second_barrier",
            "write after read",
            "put a __syncthreads() after the last read and before the next",
        ),
    ],
)
def test_a_race_says_which_barrier_of_a_loop_is_missing(case: str, note: str, words: str) -> None:
    """Whichever access the schedule ran first: there are findings of both, and all agree."""
    races = found(case)[1]
    assert {line("brings")} < {at for each in races for at in lines_of(each)}
    assert [each.kind for each in races] == ["race_shared"] * len(races)
    assert all(each.note == note and words in explain(each) for each in races)


def test_findings_do_not_depend_on_the_run() -> None:
    def facts(case: str) -> list[object]:
        return [(each.kind, each.frame, each.block, each.thread, each.count) for each in found(case)[1]]

    assert facts("rotate_racy") == facts("rotate_racy") != []
