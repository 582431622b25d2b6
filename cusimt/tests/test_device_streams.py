"""Streams, events with simulated time, memory statistics and random numbers of the simulated device."""

from __future__ import annotations

import ctypes
import json
from typing import Any

import pytest

from cusimt.compiler import libraries
from cusimt.tests.device.process import on_device


@on_device
def test_streams_are_selected_and_restored() -> None:
    import torch

    default = torch.cuda.default_stream()
    assert torch.cuda.current_stream() == default and default.cuda_stream == 0
    side, other = torch.cuda.Stream(), torch.cuda.Stream(device="cuda:1", priority=-1)
    assert side != default and side.cuda_stream != 0 and side.device == torch.device("cuda:0")
    assert (other.device.index, other.priority, side.priority) == (1, -1, 0)
    with torch.cuda.stream(side):
        assert torch.cuda.current_stream() == side
        with torch.cuda.stream(other):
            assert torch.cuda.current_device() == 1 and torch.cuda.current_stream() == other
            assert torch.cuda.current_stream("cuda:0") == side
        assert torch.cuda.current_stream() == side and torch.cuda.current_device() == 0
    assert torch.cuda.current_stream() == default
    with side:
        assert torch.cuda.current_stream() == side
    assert torch.cuda.current_stream() == default
    assert torch.cuda.Stream.priority_range() == (0, -3)
    assert isinstance(side, torch.Stream) and "cuda_stream=0x" in repr(side)
    assert torch.cuda.ExternalStream(side.cuda_stream, device=0) == side


@on_device
def test_the_current_stream_belongs_to_a_thread() -> None:
    import threading

    import torch

    side = torch.cuda.Stream()
    seen = []
    with torch.cuda.stream(side):
        thread = threading.Thread(target=lambda: seen.append(torch.cuda.current_stream().cuda_stream))
        thread.start()
        thread.join()
    assert seen == [0]


@on_device
def test_streams_wait_and_synchronize() -> None:
    import torch

    side = torch.cuda.Stream()
    x = torch.ones(4, device="cuda")
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        y = x * 2
    x.record_stream(side)
    torch.cuda.current_stream().wait_stream(side)
    assert y.sum().item() == 8
    side.synchronize()
    torch.cuda.synchronize()
    torch.cuda.synchronize("cuda:1")
    assert side.query() and torch.cuda.current_stream().query()
    event = side.record_event()
    event.synchronize()
    assert event.query()


@on_device
def test_work_that_nothing_orders_is_found() -> None:
    import torch

    from cusimt import findings

    side, default = torch.cuda.Stream(), torch.cuda.current_stream()
    x = torch.ones(500, device="cuda")
    with torch.cuda.stream(side):
        y = x * 2  # x may not be filled yet
    (found,) = findings.take()
    assert found.kind == "stream_order"
    assert found.note == f"aten::mul on stream {side.stream_id} and aten::fill_ on the default stream"
    y + 1  # and y may not be computed
    (found,) = findings.take()
    assert found.note == f"aten::add on the default stream and aten::mul on stream {side.stream_id}"
    side.wait_stream(default)
    with torch.cuda.stream(side):
        z = x * 2
    default.wait_event(side.record_event())
    z.add_(1)
    with torch.cuda.stream(side):
        assert z.sum().item() == 1500  # only the side stream does not know of the addition
    (found,) = findings.take()
    assert found.note == f"aten::sum on stream {side.stream_id} and aten::add_ on the default stream"
    side.synchronize()
    default.synchronize()
    with torch.cuda.stream(side):
        z * x  # the host waited for both
    assert findings.take() == []


@on_device
def test_a_copy_between_devices_is_in_order_with_both_of_their_streams() -> None:
    import torch

    from cusimt import findings

    x = torch.zeros(50, device="cuda")
    there = x.to("cuda:1")
    del x
    torch.zeros(50).to("cuda")  # may get the block that was just copied from
    there.copy_(torch.ones(50, device="cuda"))
    assert there.add_(1).sum().item() == 100
    side, far = torch.cuda.Stream(), torch.cuda.Stream(device="cuda:1")
    x = torch.zeros(5000, device="cuda")
    side.wait_stream(torch.cuda.default_stream())
    far.wait_stream(torch.cuda.default_stream("cuda:1"))
    with torch.cuda.stream(side), torch.cuda.stream(far):
        x.add_(1)
        back = x.to("cuda:1").add_(1).to("cuda:0")
        assert back.add_(x).sum().item() == 15000
    assert findings.take() == []
    y = torch.zeros(6000, device="cuda:1")
    with torch.cuda.stream(far):
        y.to("cuda:0")  # far has not waited for the default stream of y's device
    (found,) = findings.take()
    ordered = f"aten::copy_ on stream {far.stream_id} and aten::zero_ on the default stream of cuda:1"
    assert (found.kind, found.note) == ("stream_order", ordered)


def use_on(stream: Any, wait: Any, record: bool) -> None:
    """Allocate on the current stream, use on another one, free."""
    import torch

    scratch = torch.empty(1000, device="cuda")
    wait(stream)
    with torch.cuda.stream(stream):
        scratch.zero_()
    if record:
        scratch.record_stream(stream)


@pytest.mark.parametrize("record", [True, False])
@on_device
def test_a_block_is_not_given_to_others_while_a_recorded_stream_uses_it(record: bool) -> None:
    import torch

    from cusimt import findings

    one, other, default = torch.cuda.Stream(), torch.cuda.Stream(), torch.cuda.current_stream()
    event = default.record_event()

    def wait(stream: torch.cuda.Stream) -> None:
        stream.wait_event(event)

    use_on(one, wait, record)
    default.wait_stream(one)  # orders what is queued on the default stream, but not what `other` does
    use_on(other, wait, record)
    reused = [(found.kind, found.note) for found in findings.take()]
    later, earlier = (f"aten::zero_ on stream {stream.stream_id}" for stream in (other, one))
    told = [("stream_reuse", f"{later} uses it, and {earlier} may not be done with it")]
    assert reused == ([] if record else told)


@on_device
def test_a_freed_block_may_be_reused_in_order() -> None:
    import torch

    from cusimt import findings

    one, other, default = torch.cuda.Stream(), torch.cuda.Stream(), torch.cuda.current_stream()

    def after_the_default(stream: torch.cuda.Stream) -> None:
        stream.wait_stream(default)

    use_on(one, after_the_default, record=False)
    default.wait_stream(one)
    use_on(other, after_the_default, record=False)  # comes after what the default stream waited for
    torch.cuda.synchronize()
    use_on(one, lambda stream: None, record=False)  # the host has waited
    with torch.cuda.stream(other):
        torch.ones(1000, device="cuda")  # another stream's memory
    torch.ones(5000, device="cuda")  # a larger block
    assert findings.take() == []


@on_device
def test_launches_tell_whether_they_are_in_order_with_the_caller() -> None:
    import torch

    from cusimt import activate
    from cusimt.records import load_runtime, take_records

    side, default = torch.cuda.Stream(), torch.cuda.current_stream()
    x, driver = torch.ones(1000, device="cuda"), activate.driver()

    def copied(wait: bool, join: bool) -> tuple[int, int]:
        """A copy by the runtime API on the side stream."""
        load_runtime().simt_watch_streams()
        if wait:
            side.wait_stream(default)
        pointers = (ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(x.data_ptr() + 2000))
        stream = ctypes.c_void_p(driver.stream_pointer(0, side.stream_id))
        assert load_runtime().cudaMemcpyAsync(*pointers, ctypes.c_size_t(2000), 3, stream) == 0
        if join:
            default.wait_stream(side)
        (call,) = [each for each in take_records("api_calls") if each["kind"] == "d2d"]
        assert call["begin_us"] < call["end_us"]
        return call["waits"], call["awaited"]

    assert copied(wait=False, join=False) == (0, 0)
    assert copied(wait=True, join=False) == (1, 0)
    assert copied(wait=False, join=True) == (0, 1)
    assert copied(wait=True, join=True) == (1, 1)


@on_device
def test_events_measure_simulated_time() -> None:
    import torch

    start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    assert "uninitialized" in repr(start)
    start.record()
    torch.ones(1 << 16, device="cuda").exp_()  # two kernels, each over 256 KiB
    stop.record()
    torch.cuda.synchronize()
    microseconds = 2 * (2 + (1 << 18) / 2.4e6)
    assert start.elapsed_time(stop) * 1e3 == pytest.approx(microseconds, abs=1)
    assert start.cuda_event != 0
    with pytest.raises(ValueError, match="enable_timing=True"):
        torch.cuda.Event().elapsed_time(stop)
    with pytest.raises(ValueError, match="recorded before"):
        torch.cuda.Event(enable_timing=True).elapsed_time(stop)


@on_device
def test_memory_statistics() -> None:
    import torch

    assert torch.cuda.memory_allocated() == 0
    x = torch.empty(1000, device="cuda")
    assert torch.cuda.memory_allocated() == 4096  # rounded up to 512 bytes, as on a GPU
    assert torch.cuda.memory_stats()["requested_bytes.all.current"] == 4000
    y = torch.empty(1 << 20, device="cuda")
    peak = torch.cuda.max_memory_allocated()
    assert peak == 4096 + (4 << 20)
    del y
    assert torch.cuda.memory_allocated() == 4096 and torch.cuda.max_memory_allocated() == peak
    assert torch.cuda.memory_reserved() >= peak
    torch.cuda.empty_cache()
    assert torch.cuda.memory_reserved() == 2 << 20
    torch.cuda.reset_peak_memory_stats()
    assert torch.cuda.max_memory_allocated() == 4096
    assert torch.cuda.memory_allocated("cuda:1") == 0
    assert torch.cuda.memory_stats()["allocation.all.allocated"] == 2
    free, total = torch.cuda.mem_get_info()
    assert total - free == x.nbytes and total == torch.cuda.get_device_properties(0).total_memory
    assert "CUDA memory summary" in torch.cuda.memory_summary()


@on_device
def test_too_much_memory_is_refused() -> None:
    import torch

    with pytest.raises(torch.cuda.OutOfMemoryError, match=r"CUDA out of memory.* allocate 1024\.00 GiB"):
        torch.empty(1 << 40, dtype=torch.uint8, device="cuda")
    assert torch.cuda.memory_stats()["num_ooms"] == 1
    assert torch.ones(2, device="cuda").sum().item() == 2


@on_device
def test_raw_memory() -> None:
    import torch

    pointer = torch.cuda.caching_allocator_alloc(1024)
    assert pointer != 0 and torch.cuda.memory_allocated() == 1024
    torch.cuda.caching_allocator_delete(pointer)
    assert torch.cuda.memory_allocated() == 0


@on_device
def test_raw_memory_belongs_to_the_stream_that_is_named() -> None:
    import torch

    runtime = ctypes.CDLL(str(libraries.runtime_library()))
    runtime.simt_take_findings.restype = ctypes.c_char_p
    side, default, size = torch.cuda.Stream(), torch.cuda.default_stream(), ctypes.c_size_t(1024)
    for first_owner, kinds in ((side, []), (default, ["stream_reuse"])):
        # The second block may be the memory of the first if both belong to the same stream.
        for owner, user in ((first_owner, side), (default, default)):
            pointer = torch.cuda.caching_allocator_alloc(1024, stream=owner)
            runtime.cudaMemsetAsync(ctypes.c_void_p(pointer), 0, size, ctypes.c_void_p(user.cuda_stream))
            torch.cuda.caching_allocator_delete(pointer)
        found = runtime.simt_take_findings().decode().splitlines()
        assert [json.loads(each)["kind"] for each in found] == kinds


@on_device
def test_host_memory_is_registered_once() -> None:
    import torch

    runtime, buffer = torch.cuda.cudart(), ctypes.create_string_buffer(1 << 12)
    address = ctypes.addressof(buffer)
    results = [runtime.cudaHostRegister(address, len(buffer), 0) for _ in range(2)]
    assert results == [runtime.cudaError.success, 712]  # cudaErrorHostMemoryAlreadyRegistered
    results = [runtime.cudaHostUnregister(address) for _ in range(2)]
    assert results == [runtime.cudaError.success, 713]  # cudaErrorHostMemoryNotRegistered


@on_device
def test_seeds_make_random_numbers_reproducible() -> None:
    import torch

    torch.cuda.manual_seed(7)
    first = torch.randn(5, device="cuda")
    torch.cuda.manual_seed(7)
    assert torch.equal(torch.randn(5, device="cuda"), first)
    assert torch.cuda.initial_seed() == 7
    state = torch.cuda.get_rng_state()
    second = torch.rand(4, device="cuda")
    torch.cuda.set_rng_state(state)
    assert torch.equal(torch.rand(4, device="cuda"), second)
    torch.manual_seed(3)
    on_both = torch.rand(3, device="cuda"), torch.rand(3)
    torch.manual_seed(3)
    assert torch.equal(torch.rand(3, device="cuda"), on_both[0]) and torch.equal(torch.rand(3), on_both[1])


@on_device
def test_generators_are_independent() -> None:
    import torch

    torch.manual_seed(0)
    host = torch.rand(3)
    torch.manual_seed(0)
    torch.randn(100, device="cuda")
    torch.nn.functional.dropout(torch.ones(50, device="cuda"))
    torch.randn(10, device="cuda:1")
    assert torch.equal(torch.rand(3), host)  # drawing on the device leaves the CPU's sequence alone
    generator = torch.Generator(device="cuda").manual_seed(11)
    assert generator.device == torch.device("cuda:0")
    first = torch.randint(1000, (4,), device="cuda", generator=generator)
    generator.manual_seed(11)
    assert torch.equal(torch.randint(1000, (4,), device="cuda", generator=generator), first)
    saved = generator.get_state()
    second = torch.rand(2, device="cuda", generator=generator)
    generator.set_state(saved)
    assert torch.equal(torch.rand(2, device="cuda", generator=generator), second)
    assert torch.equal(generator.clone_state().get_state(), generator.get_state())
    with pytest.raises(RuntimeError, match="Expected a 'cuda' device type for generator but found 'cpu'"):
        torch.rand(2, device="cuda", generator=torch.Generator())


@on_device
def test_dropout_follows_the_seed_of_the_device() -> None:
    import torch

    x = torch.ones(64, device="cuda")
    torch.cuda.manual_seed(5)
    first, second = torch.nn.functional.dropout(x), torch.nn.functional.dropout(x)
    torch.cuda.manual_seed(5)
    assert torch.equal(torch.nn.functional.dropout(x), first)
    assert torch.equal(torch.nn.functional.dropout(x), second) and not torch.equal(first, second)
    with torch.random.fork_rng(devices=[0]):
        torch.cuda.manual_seed(1)
        torch.rand(2, device="cuda")
    torch.cuda.manual_seed_all(5)
    assert torch.equal(torch.nn.functional.dropout(x), first)


@on_device
def test_graphs_are_refused_in_words() -> None:
    import torch

    assert not torch.cuda.is_current_stream_capturing()
    with pytest.raises(RuntimeError, match="CUDA graphs of PyTorch's operators cannot be captured"):
        torch.cuda.CUDAGraph()
    with pytest.raises(RuntimeError, match="Memory pools"):
        torch.cuda.MemPool()
    with pytest.raises(RuntimeError, match="keeps no history"):
        torch.cuda.memory_snapshot()


@on_device
def test_an_operator_on_a_stream_under_capture_is_refused_and_does_not_run() -> None:
    import torch

    runtime = ctypes.CDLL(None)
    invalidated, graph = 901, ctypes.c_void_p()
    x = torch.ones(4, device="cuda")

    def doubled() -> None:
        x.mul_(2)

    def copied() -> None:
        x.copy_(torch.zeros(4))

    def read() -> None:
        x[0].item()

    side = torch.cuda.Stream()
    stream = ctypes.c_void_p(side.cuda_stream)
    for work in (doubled, copied, read):
        with torch.cuda.stream(side):
            assert runtime.cudaStreamBeginCapture(stream, 0) == 0
            assert torch.cuda.is_current_stream_capturing()
            x.view(2, 2)  # moves nothing
            with pytest.raises(RuntimeError, match="of a CUDA graph only kernels"):
                work()
            assert runtime.cudaStreamEndCapture(stream, ctypes.byref(graph)) == invalidated
            assert not torch.cuda.is_current_stream_capturing()
    runtime.cudaGetLastError()
    assert x.tolist() == [1, 1, 1, 1]
    for wait in (side.synchronize, side.query, torch.cuda.synchronize):
        assert runtime.cudaStreamBeginCapture(stream, 0) == 0
        with pytest.raises(RuntimeError, match="operation not permitted when stream is capturing"):
            wait()
        assert runtime.cudaStreamEndCapture(stream, ctypes.byref(graph)) == invalidated
    runtime.cudaGetLastError()
