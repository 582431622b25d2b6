"""The attributes of `torch._C` on which `torch.cuda` is built, for the simulated device.

A CPU build of PyTorch lacks them; a CUDA build has them over a GPU. `install` puts these in place
before `torch.cuda` is imported, which then runs unmodified. Names and signatures are those of PyTorch's
CUDA build. Each is a function of its own: Dynamo tells them apart by identity.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from types import ModuleType
from typing import Any

from cusimt.device.driver import Driver
from cusimt.device.refusals import refusals
from cusimt.device.streams import CUDA_DEVICE_TYPE, event_class, stream_class
from cusimt.gpu_models import architecture

CUDA_VERSION = 13000  # as CUDART_VERSION in the simulated headers

StreamTriple = tuple[int, int, int]  # stream id, device index, device type


@dataclass(frozen=True)
class _CudaDeviceProperties:
    """What `torch.cuda.get_device_properties` returns."""

    name: str
    major: int
    minor: int
    total_memory: int
    multi_processor_count: int
    max_threads_per_multi_processor: int
    max_threads_per_block: int
    warp_size: int
    regs_per_multiprocessor: int
    shared_memory_per_block: int
    shared_memory_per_block_optin: int
    shared_memory_per_multiprocessor: int
    L2_cache_size: int
    memory_bus_width: int
    clock_rate: int  # kHz
    memory_clock_rate: int  # kHz
    pci_bus_id: int
    pci_device_id: int = 0
    pci_domain_id: int = 0
    is_multi_gpu_board: int = 0
    is_integrated: int = 0
    gcnArchName: str = field(default="", repr=False)
    uuid: str = field(default="00000000-0000-0000-0000-000000000000", repr=False)


class _CudaError(IntEnum):
    success = 0


def _plain(c_function: Callable[..., Any]) -> Callable[..., Any]:
    """A Python function over one of ctypes, which cannot be hashed, as Dynamo does with functions."""

    def call(*args: Any) -> Any:
        return c_function(*args)

    return call


def _devices(driver: Driver) -> dict[str, Any]:
    def set_device(device: int) -> None:
        if driver.simt_set_device(device) != 0:
            raise RuntimeError(
                "CUDA error: invalid device ordinal\nGPU device may be out of range, do you have enough GPUs?"
            )

    def exchange(device: int) -> int:
        if device < 0:
            return -1
        before = int(driver.simt_get_device())
        set_device(device)
        return before

    def synchronize() -> None:
        import torch

        error = driver.simt_synchronize(driver.simt_get_device()) or driver.simt_sticky_error()
        if error:
            raise torch.AcceleratorError(f"CUDA error: {driver.simt_error_string(error).decode()}")

    @functools.cache
    def cycles_a_microsecond() -> float:
        clock_khz: int = driver.properties(driver.simt_get_device())["clock_rate"]  # all devices are alike
        return clock_khz / 1000

    def sleep(cycles: int) -> None:
        """Simulated time passes on the current stream; the host only queues it."""
        stream = driver.simt_current_stream(driver.simt_get_device())
        driver.simt_stream_work(stream, cycles / cycles_a_microsecond())

    return {
        "_cuda_isInBadFork": lambda: False,
        "_cuda_getDeviceCount": _plain(driver.simt_device_count),
        "_cuda_getDevice": _plain(driver.simt_get_device),
        "_cuda_setDevice": set_device,
        "_cuda_exchangeDevice": exchange,
        "_cuda_maybeExchangeDevice": lambda device: exchange(device),
        "_cuda_hasPrimaryContext": lambda device: 0 <= device < driver.simt_device_count(),
        "_cuda_canDeviceAccessPeer": lambda device, peer: device != peer,
        "_cuda_synchronize": synchronize,
        "_cuda_getCompiledVersion": lambda: CUDA_VERSION,
        "_cuda_getArchFlags": lambda: f"sm_{architecture() // 10}",
        "_cuda_ipc_collect": lambda: None,
        "_cuda_sleep": sleep,
        "_cuda_set_sync_debug_mode": _plain(driver.simt_set_sync_debug_mode),
        "_cuda_get_sync_debug_mode": _plain(driver.simt_get_sync_debug_mode),
        "_cuda_clearCublasWorkspaces": lambda: None,
        "_CudaDeviceProperties": _CudaDeviceProperties,
    }


def _streams(driver: Driver, torch_c: ModuleType) -> dict[str, Any]:
    def set_stream(stream_id: int, device_index: int, device_type: int) -> None:
        driver.set_stream(device_index, stream_id)

    def current(device: int) -> StreamTriple:
        return driver.stream_of(device), device, CUDA_DEVICE_TYPE

    def external(pointer: int, device: int) -> StreamTriple:
        return int(driver.simt_stream_id(pointer)), device, CUDA_DEVICE_TYPE

    def is_capturing() -> bool:
        return driver.is_capturing(driver.simt_get_device())

    return {
        "_cuda_getCurrentStream": current,
        "_cuda_getCurrentRawStream": lambda device: int(driver.simt_current_stream(device) or 0),
        "_cuda_getDefaultStream": lambda device: (0, device, CUDA_DEVICE_TYPE),
        "_cuda_getStreamFromExternal": external,
        "_cuda_setStream": set_stream,
        "_cuda_isCurrentStreamCapturing": is_capturing,
        "_CudaStreamBase": stream_class(driver, torch_c.Stream),
        "_CudaEventBase": event_class(driver, torch_c.Event),
    }


def _memory(driver: Driver) -> dict[str, Any]:
    fraction: dict[int, float] = {}

    def host_statistics() -> dict[str, int]:
        return {}

    def raw_alloc(size: int, stream: int) -> int:
        return int(driver.simt_raw_allocate(size, stream) or 0)

    return {
        "_cuda_memoryStats": driver.memory_statistics,
        "_cuda_resetPeakMemoryStats": _plain(driver.simt_reset_peak_statistics),
        "_cuda_resetAccumulatedMemoryStats": _plain(driver.simt_reset_accumulated_statistics),
        "_cuda_hostMemoryStats": host_statistics,
        "_cuda_resetPeakHostMemoryStats": lambda: None,
        "_cuda_resetAccumulatedHostMemoryStats": lambda: None,
        "_cuda_emptyCache": _plain(driver.simt_empty_cache),
        "_cuda_setMemoryFraction": lambda share, device: fraction.__setitem__(device, share),
        "_cuda_getMemoryFraction": lambda device: fraction.get(device, 1.0),
        "_cuda_getAllocatorBackend": lambda: "native",
        "_cuda_cudaCachingAllocator_raw_alloc": raw_alloc,
        "_cuda_cudaCachingAllocator_raw_delete": _plain(driver.simt_raw_delete),
        "_cuda_cudaCachingAllocator_enable": lambda on: None,
        "_cuda_cudaCachingAllocator_is_enabled": lambda: True,
        "_cuda_isHistoryEnabled": lambda: False,
    }


def _cudart(driver: Driver) -> ModuleType:
    """`torch.cuda.cudart()`: the few runtime calls that PyTorch exposes to Python."""
    module = ModuleType("torch._C._cudart")
    success = _CudaError.success
    vars(module).update(
        cudaError=_CudaError,
        cudaGetErrorString=lambda code: driver.simt_error_string(int(code)).decode(),
        cudaMemGetInfo=driver.memory_info,
        cudaProfilerStart=lambda: success,
        cudaProfilerStop=lambda: success,
        cudaHostRegister=_plain(driver.cudaHostRegister),
        cudaHostUnregister=_plain(driver.cudaHostUnregister),
    )
    return module


def _nvtx() -> ModuleType:
    """`torch.cuda.nvtx`: ranges for a profiler that is not there."""
    module = ModuleType("torch._C._nvtx")
    vars(module).update(
        rangePushA=lambda message: 0,
        rangePop=lambda: 0,
        rangeStartA=lambda message: 0,
        rangeEnd=lambda range_id: None,
        markA=lambda message: None,
        deviceRangeStart=lambda message, stream: 0,
        deviceRangeEnd=lambda range_id, stream: None,
    )
    return module


def _initialise(driver: Driver) -> None:
    """What `torch._C._cuda_init` does on the first use of the device: fill in `torch.cuda`."""
    import torch

    driver.simt_set_device(driver.simt_get_device())  # the driver's API has the device's context from here
    driver.simt_hand_out_default_generators(1)
    try:
        generators = tuple(
            torch.Generator(device=f"cuda:{index}") for index in range(driver.simt_device_count())
        )
    finally:
        driver.simt_hand_out_default_generators(0)
    vars(torch.cuda).update(
        default_generators=generators,
        _get_device_properties=lambda device: _CudaDeviceProperties(**driver.properties(device)),
        has_half=True,
        has_magma=False,
    )


def install(driver: Driver, torch_c: ModuleType) -> None:
    """Give `torch_c` (`torch._C`) everything that `torch.cuda` asks of it."""
    table: dict[str, Any] = {
        "_has_cuda": True,
        "_has_cudnn": False,
        "_cudnn": None,
        "_has_magma": False,
        "_has_cusparselt": False,
        "_cudart": _cudart(driver),
        "_nvtx": _nvtx(),
        "_cuda_init": lambda: _initialise(driver),
        **refusals(),
        **_devices(driver),
        **_streams(driver, torch_c),
        **_memory(driver),
    }
    vars(torch_c).update(table)
