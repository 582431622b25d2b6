"""The device-work check: who wrote the answer, and what else was called."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from grader.checks.device import device_work, safety
from grader.checks.device.call_sites import site_of
from grader.checks.device.launches import kernel_name
from grader.checks.outcome import Outcome
from grader.checks.values import correctness
from grader.run.values import Reply, Trace
from grader.specification import Case, Gradient, tensor
from grader.verdict import Status
from tests.unit.fake_submission import LAUNCH, FakeSession, fake_bench, fake_exercise

ARGS = [replace(tensor(100), name=name) for name in "ab"]
CASE = Case("plain", ARGS)
EMPTY = Case("empty", [replace(tensor(0), name=name) for name in "ab"])


def add(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a + b


def judged(
    cases: list[Case] | None = None, exercise: dict[str, Any] | None = None, backend: str = "simt",
    **changes: Any,
) -> Outcome:  # fmt: skip
    """The check's outcome when every forward's trace has `changes`."""

    def edit(trace: Trace, stage: str, schedule: str) -> Trace:
        return replace(trace, **changes)

    bench = fake_bench(
        FakeSession(add, edit_trace=edit), add, cases or [CASE], parameters="ab",
        exercise=fake_exercise(**(exercise or {})), backend=backend,
    )  # fmt: skip
    return device_work.check(bench)


def test_a_kernel_that_writes_everything_passes() -> None:
    outcome = judged()
    assert outcome.status is Status.PASS
    assert outcome.sentence == "Your kernels did the work: 1 launch in 1 traced call."


def test_no_launch_at_all_names_what_did_the_work() -> None:
    outcome = judged(launches=(), launches_total=0, operators=("aten::empty_like", "aten::add.Tensor"))
    assert outcome.status is Status.FAIL
    assert outcome.sentence.endswith("launched no kernel. aten::add did the work instead.")


def test_an_empty_result_needs_no_launch() -> None:
    assert judged([EMPTY]).status is Status.PASS


@pytest.mark.parametrize(
    ("writers", "words"),
    [
        ({"host": 400}, "all of the result was last written by host code"),
        ({"kernel": 300, "host": 100}, "100 of 400 bytes of the result was last written by host code"),
        ({"library": 400}, "a library operator instead of your kernel"),
        ({"copy": 400}, "a copy from the host"),
        ({"memset": 4, "kernel": 396}, "a fill (zeros or cudaMemset)"),
    ],
)
def test_the_last_writer_must_be_a_kernel(writers: dict[str, int], words: str) -> None:
    outcome = judged(writers=(writers,))
    assert outcome.status is Status.FAIL
    assert words in outcome.sentence


def test_what_nobody_wrote_is_left_to_the_values() -> None:
    assert judged(writers=({"unwritten": 400},)).status is Status.PASS


def test_a_backend_that_cannot_tell_the_writer_is_no_accusation() -> None:
    assert judged(writers=(None,)).status is Status.PASS


def test_library_operators_are_refused_by_name() -> None:
    called = ("aten::empty_like", "aten::mm", "aten::mul.Tensor", "aten::mm", "muladd::muladd", "MulAdd")
    outcome = judged(operators=called)
    assert outcome.status is Status.FAIL
    assert "called aten::mm and aten::mul." in outcome.sentence


def test_casts_belong_in_the_kernel_but_in_an_autocast_region() -> None:
    cast = ("aten::to", "aten::_to_copy", "aten::copy_", "muladd::muladd")
    outcome = judged(operators=cast)
    assert outcome.status is Status.FAIL and "called aten::to and aten::_to_copy." in outcome.sentence
    region = [replace(CASE, autocast="float16")]
    assert judged(region, operators=cast).status is Status.PASS
    assert judged(region, operators=(*cast, "aten::mul")).status is Status.FAIL


def test_where_moving_is_the_point_no_operator_may_move() -> None:
    copied = ("aten::empty", "aten::copy_")
    assert judged(operators=copied).status is Status.PASS
    outcome = judged(exercise={"moves": False}, operators=copied)
    assert outcome.status is Status.FAIL
    assert "called aten::copy_. In this exercise kernels of yours do the work" in outcome.sentence
    assert judged(exercise={"moves": False}, operators=copied[:1]).status is Status.PASS


@pytest.mark.parametrize(
    ("copies", "words"),
    [
        ((), "no kernel wrote all of a."),
        (("cudaMemcpy host to device of 400 bytes",), "all of a was last written by a copy from the host"),
    ],
)
def test_an_argument_that_is_returned_as_it_came_was_written_by_no_kernel(
    copies: tuple[str, ...], words: str
) -> None:
    def edit(reply: Reply) -> Reply:
        trace = replace(reply.trace, writers=({"copy": 400},), copies=copies)
        return replace(reply, outputs=(replace(reply.outputs[0], alias="a"),), trace=trace)

    bench = fake_bench(FakeSession(add, edit_reply=edit), add, [CASE], parameters="ab")
    assert words in device_work.check(bench).sentence


def test_an_impostor_that_launches_a_dummy_and_returns_the_librarys_product() -> None:
    allowed_in_backward = {"library": frozenset({"aten::mm"})}
    by_writer = judged(exercise=allowed_in_backward, writers=({"library": 400},))
    assert "all of the result was last written by a library operator" in by_writer.sentence
    by_operator = judged(exercise=allowed_in_backward, writers=(None,), operators=("aten::mm",))
    assert "called aten::mm." in by_operator.sentence


def test_a_refused_launch_does_no_work() -> None:
    refused = replace(LAUNCH, error=9)
    outcome = judged(launches=(refused,))
    assert outcome.status is Status.FAIL and "every launch was refused" in outcome.sentence
    assert judged(launches=(refused, LAUNCH)).status is Status.PASS


def test_kernels_of_pytorchs_own_libraries_are_not_the_learners() -> None:
    library = [
        "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor>(int)",
        "ampere_sgemm_32x32_sliced1x4_nn",
        "void cutlass::Kernel2<cutlass_80_simt_sgemm>(Params)",
        "Memcpy HtoD (Pageable -> Device)",
    ]
    launches = tuple(replace(LAUNCH, kernel=name) for name in library)
    assert "launched no kernel" in judged(launches=launches, launches_total=4, backend="cuda").sentence
    beside = judged(launches=(*launches, LAUNCH), backend="cuda")
    assert (
        "launched at::native::vectorized_elementwise_kernel, which your library does not" in beside.sentence
    )


@pytest.mark.parametrize(
    ("kernel", "name"),
    [
        ("void muladd_kernel<float>(float const*, float*, long)", "muladd_kernel<float>"),
        ("scale_kernel", "scale_kernel"),
        ("void (anonymous namespace)::k<(int)4>(int)", "k<(int)4>"),
    ],
)
def test_kernel_names_without_their_arguments(kernel: str, name: str) -> None:
    assert kernel_name(replace(LAUNCH, kernel=kernel)) == name


def test_copies_between_host_and_device() -> None:
    outcome = judged(copies=("cudaMemcpy device to host, 400 bytes",))
    assert outcome.status is Status.FAIL
    assert "copied between host and device (cudaMemcpy device to host, 400 bytes)" in outcome.sentence
    allowed = judged(copies=("cudaMemcpy",), host_syncs=2, exercise={"copies": True})
    assert allowed.status is Status.PASS


def test_where_copies_are_allowed_the_host_computes_nothing() -> None:
    on_host = judged(writers=({"host": 400},), exercise={"copies": True})
    assert on_host.status is Status.FAIL
    assert "not what was copied back from memory that your kernel wrote" in on_host.sentence
    carried = judged(foreign_copies=("cudaMemcpy of 400 bytes",), exercise={"copies": True})
    assert carried.status is Status.FAIL
    assert "not one of its arguments (cudaMemcpy of 400 bytes)" in carried.sentence


@pytest.mark.parametrize(
    ("syncs", "words"), [(1, "waited for the device once."), (3, "waited for the device 3 times.")]
)
def test_waiting_for_the_device(syncs: int, words: str) -> None:
    outcome = judged(host_syncs=syncs)
    assert outcome.status is Status.FAIL
    assert words in outcome.sentence
    named = judged(host_syncs=syncs, api_calls=({"call": "cudaFree"}, {"call": "cudaStreamSynchronize"}))
    assert words.replace(".", " by cudaStreamSynchronize.") in named.sentence
    assert named.sentence.endswith("let it wait for an event of the other.")
    assert "event" not in outcome.sentence


@pytest.mark.parametrize(
    ("copies", "status"),
    [
        ((), Status.PASS),
        (("aten::_local_scalar_dense device to host of 8 bytes",), Status.PASS),
        (("cudaMemcpy device to host of 8 bytes", "cudaMemcpy device to host of 8 bytes"), Status.PASS),
        (("cudaMemcpy device to host of 17 bytes",), Status.FAIL),  # more than a number or two
        (("cudaMemcpy device to host of 8 bytes", "cudaMemcpy host to device of 8 bytes"), Status.FAIL),
    ],
)
def test_a_case_that_may_wait_reads_a_number_or_two(copies: tuple[str, ...], status: Status) -> None:
    assert judged([replace(CASE, waits=True)], host_syncs=1, copies=copies).status is status
    assert judged([CASE], host_syncs=1, copies=copies).status is Status.FAIL


@pytest.mark.parametrize(
    ("calls", "source", "site"),
    [
        (["cudaMemcpy h2d"], "int n;\ncudaMemcpy(a, b, n);\n", "kernel.cu:2: "),
        (["cudaMemcpy h2d"], "cudaMemcpyAsync(a, b, n);\n", ""),
        (["cudaMemcpy h2d"], "cudaMemcpy(a, b, n);\ncudaMemcpy(c, d, n);\n", ""),
        (["cudaMemcpy h2d"], "// cudaMemcpy(a, b, n) would wait\n", ""),
        (["aten::_local_scalar_dense d2h"], "\n\nfloat v = t.item<float>(); t.item ();", "kernel.cu:3: "),
        ([], "cudaMemcpy(a, b, n);", ""),
    ],
)
def test_a_call_is_placed_where_one_line_alone_can_make_it(
    tmp_path: Path, calls: list[str], source: str, site: str
) -> None:
    (tmp_path / "kernel.cu").write_text(source)
    bench = replace(fake_bench(FakeSession(add), add, [CASE], parameters="ab"), files=tmp_path)
    assert site_of(calls, bench) == site


def backward_judged(gradient: Gradient | None = None, **changes: Any) -> Outcome:
    def edit(trace: Trace, stage: str, schedule: str) -> Trace:
        return replace(trace, **changes) if stage == "backward" else trace

    session = FakeSession(add, edit_trace=edit)
    exercise = fake_exercise(library=frozenset({"aten::sum"}))
    bench = fake_bench(session, add, [CASE], parameters="ab", exercise=exercise, gradient=gradient)
    inputs = bench.draw(ARGS)
    call = bench.forward(CASE, inputs, requires_grad=["a", "b"])
    assert call.reply.handle is not None
    bench.backward(CASE, inputs, call.reply.handle, [torch.ones(100)])
    return device_work.check(bench)


def test_gradients_may_come_from_allowed_operators() -> None:
    outcome = backward_judged(
        launches=(), writers=({"library": 400}, {"kernel": 400}), operators=("aten::sum",)
    )
    assert outcome.status is Status.PASS


def test_gradients_from_other_operators_or_the_host_fail() -> None:
    outcome = backward_judged(operators=("aten::sum", "aten::mul"))
    assert outcome.status is Status.FAIL
    assert outcome.sentence.startswith("The backward of muladd(")
    assert "called aten::mul." in outcome.sentence
    host = backward_judged(writers=({"kernel": 400}, {"host": 400}))
    assert "the gradient of b was written by host code" in host.sentence


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"launches": ()}, "launched no kernel. The gradient is your kernel's work too: neither a view"),
        ({"launches": (), "writers": (None, None)}, "launched no kernel."),
        (
            {
                "launches": (
                    replace(LAUNCH, kernel="void at::native::copy_kernel(int)", operators=("aten::copy_",)),
                )
            },
            "launched no kernel.",
        ),
        ({"launches": (replace(LAUNCH, error=9),)}, "launched no kernel."),
        ({"writers": ({"kernel": 400}, {"copy": 400})}, "no kernel wrote all of the gradient of b."),
        (
            {"writers": ({"kernel": 300, "memset": 100}, {"kernel": 400})},
            "100 of 400 bytes of the gradient of a was last written by a fill",
        ),
        ({}, ""),
        ({"writers": (None, None)}, ""),
    ],
)
def test_where_a_kernel_has_to_write_the_gradients_nothing_else_does(
    changes: dict[str, Any], words: str
) -> None:
    """A view of the cotangent, and a copy of it, were last written by the grader's own copy."""
    changes = {"operators": ("aten::t", "aten::copy_"), **changes}
    outcome = backward_judged(Gradient(cases=[CASE], by_kernel=True), **changes)
    assert outcome.status is (Status.FAIL if words else Status.PASS)
    assert words in outcome.sentence
    assert outcome.sentence.startswith("The backward of muladd(" if words else "Your kernels did")
    # where it is not asked for, a gradient may be what came in: that of a sum is
    assert backward_judged(Gradient(cases=[CASE]), **changes).status is Status.PASS


def test_an_empty_gradient_needs_no_launch() -> None:
    gradient = Gradient(cases=[EMPTY], by_kernel=True)
    bench = fake_bench(FakeSession(add), add, [CASE], parameters="ab", gradient=gradient)
    correctness.check(bench)
    inputs = bench.draw(EMPTY.args)
    call = bench.forward(EMPTY, inputs, requires_grad=["a", "b"])
    assert call.reply.handle is not None
    back = bench.backward(EMPTY, inputs, call.reply.handle, [torch.ones(0)])
    assert back.succeeded and not back.reply.trace.launches
    assert device_work.check(bench).status is Status.PASS


def test_without_a_call_that_succeeded_there_is_nothing_to_see() -> None:
    outcome = judged(sticky_error="cudaErrorIllegalAddress")
    assert outcome.status is Status.FAIL
    assert outcome.sentence == "Not judged: no call finished."


def test_empty_calls_show_no_work_where_the_others_fail() -> None:
    def raises(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        if a.numel():
            raise RuntimeError("invalid argument")
        return a + b

    for cases, function in ([EMPTY, CASE], raises), ([EMPTY], add):
        bench = fake_bench(FakeSession(function), add, cases, parameters="ab")
        correctness.check(bench)
        found = device_work.check(bench), safety.check(bench)
        if function is raises:
            assert {each.sentence for each in found} == {"Not judged: no call finished."}
            assert {each.status for each in found} == {Status.FAIL}
        else:
            assert found[0].status is Status.PASS


CUDA_MALLOC = {"call": "cudaMalloc", "kind": "alloc", "bytes": 400}
CUDA_FREE = {"call": "cudaFree", "kind": "free"}
ASYNC = ({"call": "cudaMallocAsync", "kind": "alloc"}, {"call": "cudaFreeAsync", "kind": "free"})


def test_device_memory_from_the_runtime_is_refused_where_pytorchs_allocator_serves() -> None:
    outcome = judged(api_calls=(CUDA_MALLOC, CUDA_MALLOC, CUDA_FREE))
    assert outcome.status is Status.FAIL and outcome.topic == "allocation"
    assert "called cudaMalloc and cudaFree. On a GPU" in outcome.sentence
    assert "at::empty" in outcome.sentence
    assert judged(api_calls=({"call": "cudaFree", "kind": "free"},)).topic == "allocation"


def test_memory_in_stream_order_and_arrays_of_the_host_are_no_such_case() -> None:
    assert judged(api_calls=ASYNC).status is Status.PASS
    assert (
        judged(api_calls=({"call": "cudaMemcpyAsync", "kind": "d2d"},), exercise={"moves": True}).status
        is Status.PASS
    )
    assert judged(api_calls=(CUDA_MALLOC, CUDA_FREE), exercise={"copies": True}).status is Status.PASS


def finding(kind: str, **more: Any) -> dict[str, Any]:
    return {"kind": kind, "access": "write", "bytes": 4, "kernel": "add", "count": 1, **more}


@pytest.mark.parametrize("space", ["pinned", "registered", "managed"])
def test_memory_that_the_host_has_too_is_refused_unless_the_exercise_is_about_it(space: str) -> None:
    found = ({**finding("mapped_memory"), "space": space},)
    outcome = judged(findings=found)
    assert (outcome.status, outcome.topic) == (Status.FAIL, "mapped")
    assert f"A kernel makes a write of {space} memory, which the host has too." in outcome.sentence
    assert "take device memory, for a tensor with at::empty" in outcome.sentence
    assert judged(findings=found, exercise={"mapped": True}).status is Status.PASS
    assert judged(findings=found, exercise={"copies": True}).topic == "mapped"


def test_host_code_that_touches_managed_memory_is_named() -> None:
    outcome = judged(findings=({**finding("mapped_memory", kernel=None), "space": "managed"},))
    assert "Host code touches managed memory." in outcome.sentence


@pytest.mark.parametrize("call", ["cudaMallocManaged", "cudaHostAlloc", "cudaMallocHost", "cudaHostRegister"])
def test_memory_of_both_sides_is_not_taken_in_a_call(call: str) -> None:
    made = ({"call": call, "kind": "alloc", "bytes": 400},)
    outcome = judged(api_calls=made)
    assert outcome.topic == "allocation" and f"called {call}." in outcome.sentence
    for fact in ("copies", "mapped"):
        assert judged(api_calls=made, exercise={fact: True}).status is Status.PASS
    assert judged(api_calls=(CUDA_MALLOC,), exercise={"mapped": True}).topic == "allocation"


def test_a_thread_beside_a_kernel_is_no_part_of_a_call() -> None:
    outcome = judged(findings=(finding("other_thread", note="1 beside PyTorch's"),))
    assert (outcome.status, outcome.topic) == (Status.FAIL, "threads")
    assert (
        "Other threads ran while device memory was open to a kernel or a copy: 1 beside" in outcome.sentence
    )


def test_whose_work_it_is_is_no_fault_of_memory() -> None:
    def edit(trace: Trace, stage: str, schedule: str) -> Trace:
        return replace(trace, findings=(finding("mapped_memory", space="pinned"), finding("other_thread")))

    bench = fake_bench(FakeSession(add, edit_trace=edit), add, [CASE], parameters="ab")
    assert safety.check(bench).status is Status.PASS
