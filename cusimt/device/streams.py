"""The classes that `torch.cuda.Stream` and `torch.cuda.Event` derive from.

PyTorch's device-independent `torch.Stream` and `torch.Event` do the work through the device
guard; these add the constructors and attributes that are CUDA's.
"""

from __future__ import annotations

from typing import Any

from cusimt.device.driver import Driver

CUDA_DEVICE_TYPE = 1  # c10::DeviceType::CUDA
LEAST_PRIORITY, GREATEST_PRIORITY = 0, -3  # what PyTorch supports


def stream_class(driver: Driver, torch_stream: Any) -> type:
    """The base class of `torch.cuda.Stream` over `torch_stream` (`torch.Stream`)."""

    class _CudaStreamBase(torch_stream):  # type: ignore[misc]
        def __new__(
            cls,
            priority: int = 0,
            stream_id: int = 0,
            device_index: int = 0,
            device_type: int = 0,
            stream_ptr: int = 0,
            **unused: Any,
        ) -> Any:
            if stream_ptr:
                device_index = driver.simt_get_device()
                stream_id = driver.simt_stream_id(stream_ptr)
            elif not (stream_id or device_index or device_type):
                device_index = driver.simt_get_device()
                stream_id = driver.simt_stream_from_pool(device_index, priority)
            return torch_stream.__new__(
                cls, stream_id=stream_id, device_index=device_index, device_type=CUDA_DEVICE_TYPE
            )

        @property
        def cuda_stream(self) -> int:
            return driver.stream_pointer(self.device_index, self.stream_id)

        @property
        def priority(self) -> int:
            return int(driver.simt_stream_priority(self.cuda_stream)) if self.stream_id else LEAST_PRIORITY

        @staticmethod
        def priority_range() -> tuple[int, int]:
            return LEAST_PRIORITY, GREATEST_PRIORITY

    return _CudaStreamBase


def event_class(driver: Driver, torch_event: Any) -> type:
    """The base class of `torch.cuda.Event` over `torch_event` (`torch.Event`)."""

    class _CudaEventBase(torch_event):  # type: ignore[misc]
        def __new__(
            cls,
            enable_timing: bool = False,
            blocking: bool = False,
            interprocess: bool = False,
            external: bool = False,
        ) -> Any:
            event = torch_event.__new__(
                cls, "cuda", enable_timing=enable_timing, blocking=blocking, interprocess=interprocess
            )
            event.has_timing = enable_timing
            return event

        @property
        def cuda_event(self) -> int:
            return int(self.event_id)

        def elapsed_time(self, end_event: Any) -> float:
            """Milliseconds of simulated time until `end_event`; torch.Event's own refuses subclasses."""
            if not (self.has_timing and end_event.has_timing):
                raise ValueError("Both events must be created with argument 'enable_timing=True'.")
            if not (self.cuda_event and end_event.cuda_event):
                raise ValueError("Both events must be recorded before calculating elapsed time.")
            return driver.elapsed_milliseconds(self.cuda_event, end_event.cuda_event)

    return _CudaEventBase
