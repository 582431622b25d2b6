"""What is said to be in order between streams: each wrong program has one beside it that is right.

Copies and fills run through the runtime API of this process, library operators on the simulated device.
"""

from __future__ import annotations

import ctypes
import itertools
import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from cusimt.compiler import libraries
from cusimt.tests.device.process import on_device

D2D, NON_BLOCKING, PER_THREAD, SIZE = 3, 1, 2, 1 << 12


class Program:
    """A block of device memory, and work on it."""

    def __init__(self) -> None:
        self.runtime = ctypes.CDLL(str(libraries.runtime_library()))
        for name in ("simt_take_findings", "simt_take_api_calls"):
            getattr(self.runtime, name).restype = ctypes.c_char_p
        self.runtime.simt_reset()
        self.block = self.allocate()
        self.call("cudaDeviceSynchronize")

    def call(self, name: str, *arguments: Any) -> None:
        as_sizes = (ctypes.c_size_t(each) if isinstance(each, int) else each for each in arguments)
        assert getattr(self.runtime, name)(*as_sizes) == 0

    def allocate(self) -> int:
        held = ctypes.c_void_p()
        self.call("cudaMalloc", ctypes.byref(held), SIZE)
        assert held.value
        return held.value

    def stream(self, flags: int = NON_BLOCKING) -> ctypes.c_void_p:
        held = ctypes.c_void_p()
        self.call("cudaStreamCreateWithFlags", ctypes.byref(held), flags)
        return held

    def destroy(self, stream: ctypes.c_void_p) -> None:
        self.call("cudaStreamDestroy", stream)

    def let_wait(self, later: ctypes.c_void_p, earlier: ctypes.c_void_p) -> None:
        event = ctypes.c_void_p()
        self.call("cudaEventCreate", ctypes.byref(event))
        self.call("cudaEventRecord", event, earlier)
        self.call("cudaStreamWaitEvent", later, event, 0)
        self.call("cudaEventDestroy", event)

    def fill(self, stream: ctypes.c_void_p | None, begin: int, end: int) -> None:
        self.call("cudaMemsetAsync", self.block + begin, 0, end - begin, stream)

    def fill_rows(self, stream: ctypes.c_void_p, begin: int, width: int, pitch: int, height: int) -> None:
        self.call("cudaMemset2DAsync", self.block + begin, pitch, 0, width, height, stream)

    def read(self, stream: ctypes.c_void_p | None, begin: int, end: int) -> None:
        self.call("cudaMemcpyAsync", self.allocate(), self.block + begin, end - begin, D2D, stream)

    def move(self, stream: ctypes.c_void_p, begin: int, end: int, to: int) -> None:
        self.call("cudaMemcpyAsync", self.block + to, self.block + begin, end - begin, D2D, stream)

    def kinds(self) -> list[str]:
        return [json.loads(line)["kind"] for line in self.runtime.simt_take_findings().decode().splitlines()]

    def awaited(self) -> list[bool]:
        calls = self.runtime.simt_take_api_calls().decode().splitlines()
        return [bool(call["awaited"]) for call in map(json.loads, calls) if call["kind"] == "memset"]


@pytest.fixture
def program() -> Iterator[Program]:
    made = Program()
    yield made
    made.runtime.simt_reset()


def writes_two_parts(program: Program, begin: int) -> None:
    """The stream's latest write is of other bytes than the one before it, the first 100."""
    one, other = program.stream(), program.stream()
    program.fill(one, 0, 100)
    program.fill(one, 200, 300)
    program.read(other, begin, begin + 100)


def fills_what_a_copy_reads(program: Program, begin: int) -> None:
    """A copy within the block reads the first 100 bytes."""
    one, other = program.stream(), program.stream()
    program.move(one, 0, 100, to=1000)
    program.fill(other, begin, begin + 100)


def writes_again(program: Program, wait: bool) -> None:
    """Who waits for the first write only has not waited for the second."""
    one, other = program.stream(), program.stream()
    program.fill(one, 0, 100)
    program.let_wait(other, one)
    if not wait:
        program.fill(one, 0, 100)
    program.read(other, 0, 100)


def uses_after_a_destroyed_stream(program: Program, wait: bool) -> None:
    one, other = program.stream(), program.stream()
    program.fill(one, 0, 100)
    program.destroy(one)
    if wait:
        program.call("cudaDeviceSynchronize")
    program.read(other, 0, 100)


def default_stream_after_a_destroyed_one(program: Program, blocking: bool) -> None:
    one = program.stream(0 if blocking else NON_BLOCKING)
    program.fill(one, 0, 100)
    program.destroy(one)
    program.read(None, 0, 100)


def blocking_stream_after_a_destroyed_one(program: Program, through_default: bool) -> None:
    """Two blocking streams are in order only by what the default stream does between them."""
    one, other = program.stream(0), program.stream(0)
    program.fill(one, 0, 100)
    program.destroy(one)
    if through_default:
        program.fill(None, 200, 300)
    program.read(other, 0, 100)


def halves_of_a_matrix(program: Program, begin: int) -> None:
    """Rows of 64 bytes; one stream fills the left half of the columns, one 32 columns from `begin` on."""
    one, other = program.stream(), program.stream()
    program.fill_rows(one, 0, 32, pitch=64, height=32)
    program.fill_rows(other, begin, 32, pitch=64, height=32)


def rows_and_a_gap(program: Program, begin: int) -> None:
    one, other = program.stream(), program.stream()
    program.fill_rows(one, 0, 32, pitch=64, height=32)
    program.fill(other, begin, begin + 16)


def two_host_threads(program: Program, own_streams: bool) -> None:
    """Each thread fills the same bytes, in the stream of its own or in the legacy one."""
    stream = ctypes.c_void_p(PER_THREAD if own_streams else None)
    for _ in range(2):
        thread = threading.Thread(target=program.fill, args=(stream, 0, 100))
        thread.start()
        thread.join()


def per_thread_stream_and_default(program: Program, blocking: bool) -> None:
    """The legacy default stream waits for that of a thread, and a non-blocking one does not."""
    program.fill(ctypes.c_void_p(PER_THREAD), 0, 100)
    program.read(None if blocking else program.stream(), 0, 100)


PAIRS: list[tuple[Callable[[Program, Any], None], Any, Any]] = [  # program, what makes it wrong, what right
    (writes_two_parts, 0, 100),
    (writes_two_parts, 250, 300),
    (fills_what_a_copy_reads, 0, 200),
    (fills_what_a_copy_reads, 1050, 1100),
    (writes_again, False, True),
    (uses_after_a_destroyed_stream, False, True),
    (default_stream_after_a_destroyed_one, False, True),
    (blocking_stream_after_a_destroyed_one, False, True),
    (halves_of_a_matrix, 31, 32),
    (two_host_threads, True, False),
    (per_thread_stream_and_default, False, True),
    (rows_and_a_gap, 16 + 64 * 5, 32 + 64 * 5),
]


@pytest.mark.parametrize(("work", "wrong", "right"), PAIRS)
def test_pairs(program: Program, work: Callable[[Program, Any], None], wrong: Any, right: Any) -> None:
    work(program, right)
    assert program.kinds() == []
    program.call("cudaDeviceSynchronize")
    work(program, wrong)
    assert program.kinds() == ["stream_order"]


def test_a_copy_between_devices_names_devices_that_exist(program: Program) -> None:
    size = ctypes.c_size_t(16)
    for devices, error in (((0, 1), 0), ((1, 2), 101), ((-1, 0), 101)):  # cudaErrorInvalidDevice
        to, source = (ctypes.c_void_p(program.allocate()) for _ in range(2))
        assert program.runtime.cudaMemcpyPeer(to, devices[0], source, devices[1], size) == error
        assert program.runtime.cudaMemcpyPeerAsync(to, devices[0], source, devices[1], size, None) == error


def test_a_destroyed_stream_is_awaited_by_the_default_stream_if_it_is_blocking(program: Program) -> None:
    for flags in (0, NON_BLOCKING):
        program.runtime.simt_watch_streams()
        stream = program.stream(flags)
        program.fill(stream, 0, 100)
        program.destroy(stream)
        assert program.awaited() == [flags == 0]


def test_the_host_waits_for_destroyed_streams_in_time(program: Program) -> None:
    size, large, elapsed = 32 << 20, ctypes.c_void_p(), ctypes.c_float()
    program.call("cudaMalloc", ctypes.byref(large), size)
    before, after = ctypes.c_void_p(), ctypes.c_void_p()
    for event in (before, after):
        program.call("cudaEventCreate", ctypes.byref(event))
    program.call("cudaEventRecord", before, None)
    stream = program.stream()
    program.call("cudaMemsetAsync", large, 0, size, stream)
    program.destroy(stream)
    program.call("cudaDeviceSynchronize")
    program.call("cudaEventRecord", after, None)
    program.call("cudaEventElapsedTime", ctypes.byref(elapsed), before, after)
    program.call("cudaFree", large)
    assert elapsed.value * 1e3 > size / 2.4e6  # microseconds; the modelled bandwidth is 2.4 TB/s


def test_patterns_meet_where_a_byte_is_in_both(program: Program) -> None:
    """Against all bytes one by one, for patterns of several pitches, widths and heights."""
    one, other = program.stream(), program.stream()
    still = range(0, 10 * 6, 10)
    for pitch, width, begin in itertools.product((5, 7, 10, 15, 30), (1, 3, 5), range(9)):
        program.fill_rows(one, 0, 4, pitch=10, height=6)
        program.fill_rows(other, begin, width, pitch=pitch, height=3)
        first = {row + byte for row in still for byte in range(4)}
        second = {begin + row * pitch + byte for row in range(3) for byte in range(width)}
        assert bool(program.kinds()) == bool(first & second), (pitch, width, begin)
        program.call("cudaDeviceSynchronize")


@pytest.mark.parametrize("apart", [True, False])
@on_device
def test_views_with_gaps_are_of_their_own_bytes(apart: bool) -> None:
    import torch

    from cusimt import findings

    streams = torch.cuda.Stream(), torch.cuda.Stream()
    out = torch.empty(64, 33, 6, device="cuda")
    pairs = [
        (out[:, ::2], out[:, 1::2] if apart else out[:, ::3]),
        (out[:, :, :3], out[:, :, 3:] if apart else out[:, :, 2:]),
        (out[::2, 1::2, 4], out[::2, 1::2, 5] if apart else out[::2, ::3, 4]),
        (out[:, 4], out[:, 5:] if apart else out[:, 4:]),
        (out[3].t(), out[4] if apart else out[3, 2]),
    ]
    for views in pairs:
        torch.cuda.synchronize()
        for view, stream in zip(views, streams, strict=True):
            with torch.cuda.stream(stream):
                view.zero_()
        assert [found.kind for found in findings.take()] == ([] if apart else ["stream_order"]), views


@on_device
def test_a_use_is_told_once_for_each_stream() -> None:
    """The latest on it, and not what it stands for."""
    import torch

    from cusimt import findings

    side = torch.cuda.Stream()
    x = torch.zeros(100, device="cuda")
    x[:50].fill_(1)
    x[50:].copy_(x[:50])
    with torch.cuda.stream(side):
        x.exp_()
    (found,) = findings.take()
    assert found.note == f"aten::exp_ on stream {side.stream_id} and aten::copy_ on the default stream"


def test_work_says_what_it_comes_after(program: Program) -> None:
    """Of this call: work from before simt_watch_streams is left out."""
    one, other, third = program.stream(), program.stream(), program.stream()
    program.fill(third, 0, 100)
    program.call("cudaDeviceSynchronize")
    program.runtime.simt_reset()
    program.runtime.simt_watch_streams()
    program.fill(one, 0, 100)
    program.fill(one, 100, 200)
    program.let_wait(other, one)
    program.fill(other, 200, 300)
    program.let_wait(third, other)  # and so for `one`, too
    program.fill(third, 300, 400)
    program.fill(None, 400, 500)
    records = [json.loads(line) for line in program.runtime.simt_take_api_calls().decode().splitlines()]
    first, second, waits, last, default = (each for each in records if each["kind"] == "memset")
    assert first["after"] == []
    assert second["moment"] == [first["moment"][0], first["moment"][1] + 1]
    assert second["after"] == [first["moment"]]
    assert waits["after"] == [second["moment"]]
    assert sorted(last["after"]) == sorted([second["moment"], waits["moment"]])
    assert default["moment"][0] == -1 and default["after"] == []
