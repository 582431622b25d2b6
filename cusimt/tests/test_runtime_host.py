"""The host's side of the runtime: memory and its marks, streams and the simulated clock, records."""

from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Iterator

import pytest

from cusimt.compiler import libraries
from cusimt.records import launches
from cusimt.support.writers import WRITERS
from cusimt.tests.runtime_program import program, run

LIBRARY, MEMSET = WRITERS.index("library"), WRITERS.index("memset")
H2D, D2H, D2D = 1, 2, 3
INVALID_VALUE, NOT_READY = 1, 600


@pytest.fixture
def runtime() -> Iterator[ctypes.CDLL]:
    library = ctypes.CDLL(str(libraries.runtime_library()))
    for name in (
        "simt_allocate",
        "simt_stream_create",
        "simt_event_create",
        "simt_stream_from_id",
        "simt_current_stream",
    ):
        getattr(library, name).restype = ctypes.c_void_p
    for name in ("simt_take_api_calls", "simt_take_launches", "simt_take_findings", "simt_error_string"):
        getattr(library, name).restype = ctypes.c_char_p
    library.simt_stream_id.restype = ctypes.c_uint64
    library.simt_allocate.argtypes = [ctypes.c_int, ctypes.c_size_t]
    library.simt_reset()
    yield library
    library.simt_reset()


def pointer(value: int | None) -> ctypes.c_void_p:
    return ctypes.c_void_p(value)


def allocate(runtime: ctypes.CDLL, size: int) -> ctypes.c_void_p:
    held = ctypes.c_void_p()
    assert runtime.cudaMalloc(ctypes.byref(held), ctypes.c_size_t(size)) == 0
    return held


def writers(runtime: ctypes.CDLL, at: ctypes.c_void_p, size: int) -> list[int]:
    counts = (ctypes.c_uint64 * len(WRITERS))()
    runtime.simt_writers(at, ctypes.c_size_t(size), counts)
    return list(counts)


class Memory(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("live", "peak", "allocations", "total", "frees")]


def memory(runtime: ctypes.CDLL, device: int) -> Memory:
    answer = Memory()
    runtime.simt_memory(device, ctypes.byref(answer))
    return answer


# ---- memory --------------------------------------------------------------------------------------------


def test_new_memory_is_poison_on_a_boundary(runtime: ctypes.CDLL) -> None:
    held = runtime.simt_allocate(1, 1000)
    assert held % 512 == 0
    assert ctypes.string_at(held, 1000) == b"\xa5" * 1000
    assert runtime.simt_pointer_device(pointer(held)) == 1
    assert runtime.simt_allocate(0, 0) is None
    runtime.simt_release(pointer(held))


def test_each_byte_remembers_its_writer(runtime: ctypes.CDLL) -> None:
    held, other = allocate(runtime, 100), allocate(runtime, 100)
    assert held.value and other.value
    assert writers(runtime, held, 100) == [100, 0, 0, 0, 0, 0]
    runtime.cudaMemcpy(held, b"x" * 40, ctypes.c_size_t(40), H2D)
    runtime.cudaMemset(pointer(held.value + 40), 0, ctypes.c_size_t(20))
    runtime.simt_mark_written(pointer(held.value + 60), ctypes.c_size_t(10), 3)
    ctypes.memset(held.value + 70, 1, 5)  # host code, behind the runtime's back
    assert writers(runtime, held, 100) == [25, 0, 10, 40, 20, 5]
    runtime.cudaMemcpy(other, held, ctypes.c_size_t(100), D2D)
    assert writers(runtime, other, 100)[LIBRARY : MEMSET + 1] == [10, 40, 20]
    for each in (held, other):
        assert runtime.cudaFree(each) == 0


def test_memory_is_not_reused_at_once(runtime: ctypes.CDLL) -> None:
    seen = set()
    for _ in range(50):
        held = allocate(runtime, 1 << 16)
        seen.add(held.value)
        runtime.cudaFree(held)
    assert len(seen) == 50


def test_memory_is_reused_in_the_end(runtime: ctypes.CDLL) -> None:
    seen = set()
    for _ in range(200):
        held = allocate(runtime, 1 << 22)
        seen.add(held.value)
        runtime.cudaFree(held)
    assert len(seen) < 40


def test_statistics_of_a_device(runtime: ctypes.CDLL) -> None:
    before = memory(runtime, 0)
    held = allocate(runtime, 12345)
    during = memory(runtime, 0)
    runtime.cudaFree(held)
    after = memory(runtime, 0)
    assert (during.live - before.live, during.allocations - before.allocations) == (12345, 1)
    assert (after.live, after.allocations) == (before.live, before.allocations)
    assert (after.total - before.total, after.frees - before.frees) == (1, 1)
    assert after.peak >= during.live


def test_a_large_allocation_costs_what_is_touched(runtime: ctypes.CDLL) -> None:
    """Three gigabytes, of which two bytes are written, as in an exercise on 64-bit indices."""
    size = 3 << 30
    held = allocate(runtime, size)
    assert held.value
    last = pointer(held.value + size - 1)
    assert runtime.cudaMemset(last, 7, ctypes.c_size_t(1)) == 0
    assert ctypes.string_at(last.value or 0, 1) == b"\x07"
    assert writers(runtime, pointer(held.value + size - 4096), 4096) == [4095, 0, 0, 0, 1, 0]
    assert runtime.cudaMemset(pointer(held.value + size), 7, ctypes.c_size_t(1)) == INVALID_VALUE
    assert runtime.cudaFree(held) == 0


def test_large_allocations_are_reused_before_addresses_run_out(runtime: ctypes.CDLL) -> None:
    for _ in range(100):  # of 1 GiB each, one at a time: more addresses than a device has
        assert runtime.cudaFree(allocate(runtime, 1 << 30)) == 0


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # from Python 3.12 on, with threads
def test_a_process_forks_however_much_it_has_allocated(runtime: ctypes.CDLL) -> None:
    held = [allocate(runtime, 1 << 30) for _ in range(48)]  # more than most machines have, and untouched
    child = os.fork()  # raises where the kernel counts every page as one that the child will write
    if child == 0:
        os._exit(0)
    assert os.waitpid(child, 0) == (child, 0)
    assert [runtime.cudaFree(each) for each in held] == [0] * 48


def test_more_than_there_is_gives_null(runtime: ctypes.CDLL) -> None:
    assert runtime.simt_allocate(0, 1 << 45) is None


# ---- streams and events ----------------------------------------------------------------------------------


def event(runtime: ctypes.CDLL, stream: ctypes.c_void_p) -> ctypes.c_void_p:
    made = ctypes.c_void_p()
    runtime.cudaEventCreate(ctypes.byref(made))
    runtime.cudaEventRecord(made, stream)
    return made


def elapsed(runtime: ctypes.CDLL, start: ctypes.c_void_p, stop: ctypes.c_void_p) -> float:
    runtime.cudaEventSynchronize(stop)
    milliseconds = ctypes.c_float()
    assert runtime.cudaEventElapsedTime(ctypes.byref(milliseconds), start, stop) == 0
    return milliseconds.value


def test_time_passes_with_work_and_only_on_its_stream(runtime: ctypes.CDLL) -> None:
    size = 1 << 24
    held, host = allocate(runtime, size), ctypes.create_string_buffer(size)
    busy, idle = pointer(runtime.simt_stream_create(0, 0)), pointer(runtime.simt_stream_create(0, 0))
    marks = [event(runtime, stream) for stream in (busy, idle)]
    runtime.cudaMemcpyAsync(held, host, ctypes.c_size_t(size), H2D, busy)
    assert runtime.cudaStreamQuery(busy) == NOT_READY
    marks += [event(runtime, stream) for stream in (busy, idle)]
    assert elapsed(runtime, marks[0], marks[2]) == pytest.approx(size / 50e9 * 1e3, rel=0.1)  # 50 GB/s
    assert elapsed(runtime, marks[1], marks[3]) < 0.01
    runtime.cudaFree(held)


def test_a_loop_that_asks_for_an_event_ends(runtime: ctypes.CDLL) -> None:
    held = allocate(runtime, 1 << 20)
    runtime.cudaMemsetAsync(held, 0, ctypes.c_size_t(1 << 20), None)
    done, asked = event(runtime, pointer(None)), 0
    while runtime.cudaEventQuery(done) == NOT_READY:
        asked += 1
        assert asked < 10_000
    runtime.cudaFree(held)


def test_streams_have_ids_and_devices(runtime: ctypes.CDLL) -> None:
    stream = pointer(runtime.simt_stream_create(1, -1))
    assert runtime.simt_stream_device(stream) == 1
    number = runtime.simt_stream_id(stream)
    assert number > 0 == runtime.simt_stream_id(None)
    assert runtime.simt_stream_from_id(1, ctypes.c_uint64(number)) == stream.value
    runtime.simt_set_current_stream(1, stream)
    assert runtime.simt_current_stream(1) == stream.value
    assert runtime.simt_current_stream(0) is None
    runtime.simt_set_current_stream(1, None)


# ---- records -----------------------------------------------------------------------------------------------


def test_calls_are_recorded(runtime: ctypes.CDLL) -> None:
    held = allocate(runtime, 64)
    runtime.cudaMemcpy(held, b"a" * 64, ctypes.c_size_t(64), H2D)
    runtime.cudaDeviceSynchronize()
    runtime.cudaFree(held)
    runtime.cudaFree(held)
    calls = [json.loads(line) for line in runtime.simt_take_api_calls().decode().splitlines()]
    assert [(call["call"], call["kind"], call["bytes"], call["error"]) for call in calls] == [
        ("cudaMalloc", "alloc", 64, 0),
        ("cudaMemcpy", "h2d", 64, 0),
        ("cudaDeviceSynchronize", "sync", 0, 0),
        ("cudaFree", "free", 0, 0),
        ("cudaFree", "free", 0, INVALID_VALUE),
    ]
    assert runtime.simt_take_api_calls() == b""
    assert runtime.cudaGetLastError() == INVALID_VALUE
    assert runtime.simt_error_string(INVALID_VALUE) == b"invalid argument"


@pytest.mark.parametrize("watched", [True, False])
def test_what_a_copy_brings_is_recorded_when_someone_asks(runtime: ctypes.CDLL, watched: bool) -> None:
    held, back, text = allocate(runtime, 64), ctypes.create_string_buffer(64), b"ab" * 32
    runtime.simt_digest.restype = ctypes.c_uint64
    runtime.simt_watch_copies(int(watched))
    try:
        runtime.cudaMemcpy(held, text, ctypes.c_size_t(64), H2D)
        runtime.simt_mark_written(held, ctypes.c_size_t(48), 16)  # by a kernel
        runtime.cudaMemcpy(back, held, ctypes.c_size_t(64), D2H)
    finally:
        runtime.simt_watch_copies(0)
    content = runtime.simt_digest(text, ctypes.c_size_t(64)) if watched else 0
    lines = [json.loads(line) for line in runtime.simt_take_api_calls().decode().splitlines()]
    copies = [(each["kind"], each["content"], each["by_kernel"]) for each in lines if each["bytes"]]
    assert copies[1:] == [("h2d", content, 0), ("d2h", content, 48 if watched else 0)]
    runtime.cudaFree(held)


def test_launches_are_recorded() -> None:
    lines = run(program("launches", False)).stdout.splitlines()
    first, second, refused = launches.read_launches(lines)
    assert (first.grid, first.block, first.shared_bytes, first.stream, first.error) == (
        (3, 2, 1),
        (40, 1, 1),
        0,
        0,
        0,
    )
    assert first.threads == 240
    assert (first.kernel, second.kernel) == ("nothing", "spin<float>")
    assert (second.shared_bytes, second.device) == (128, 1)
    assert second.stream > 0
    assert second.time_us == pytest.approx(
        2 + 100, rel=0.05
    )  # the kernel waits for 198,000 cycles at 1.98 GHz
    assert refused.error == INVALID_VALUE


def test_a_launch_record_is_checked() -> None:
    with pytest.raises(ValueError, match="not a launch record"):
        launches.read_launches(['{"kernel": "k"}'])
