"""The C functions of the runtime and of the device library, with their types, through ctypes."""

from __future__ import annotations

import ctypes
import json
from typing import Any

from cusimt.support.writers import WRITERS

_RUNTIME: dict[str, tuple[Any, list[Any]]] = {
    "simt_device_count": (ctypes.c_int, []),
    "simt_get_device": (ctypes.c_int, []),
    "simt_set_device": (ctypes.c_int, [ctypes.c_int]),
    "simt_synchronize": (ctypes.c_int, [ctypes.c_int]),
    "simt_current_stream": (ctypes.c_void_p, [ctypes.c_int]),
    "simt_set_current_stream": (None, [ctypes.c_int, ctypes.c_void_p]),
    "simt_stream_id": (ctypes.c_uint64, [ctypes.c_void_p]),
    "simt_stream_from_id": (ctypes.c_void_p, [ctypes.c_int, ctypes.c_uint64]),
    "simt_stream_priority": (ctypes.c_int, [ctypes.c_void_p]),
    "simt_stream_create": (ctypes.c_void_p, [ctypes.c_int, ctypes.c_int]),
    "simt_stream_work": (None, [ctypes.c_void_p, ctypes.c_double]),
    "cudaHostRegister": (ctypes.c_int, [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint]),
    "cudaHostUnregister": (ctypes.c_int, [ctypes.c_void_p]),
    "simt_stream_synchronize": (None, [ctypes.c_void_p]),
    "simt_stream_capture_status": (ctypes.c_int, [ctypes.c_void_p]),
    "simt_event_create": (ctypes.c_void_p, [ctypes.c_uint]),
    "simt_event_destroy": (None, [ctypes.c_void_p]),
    "simt_event_record": (ctypes.c_int, [ctypes.c_void_p, ctypes.c_void_p]),
    "simt_event_elapsed_ms": (
        ctypes.c_int,
        [ctypes.POINTER(ctypes.c_float), ctypes.c_void_p, ctypes.c_void_p],
    ),
    "simt_memory_info": (
        None,
        [ctypes.c_int, ctypes.POINTER(ctypes.c_uint64), ctypes.POINTER(ctypes.c_uint64)],
    ),
    "simt_writers": (None, [ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(ctypes.c_uint64)]),
    "simt_take_launches": (ctypes.c_char_p, []),
    "simt_take_api_calls": (ctypes.c_char_p, []),
    "simt_error_string": (ctypes.c_char_p, [ctypes.c_int]),
    "simt_sticky_error": (ctypes.c_int, []),
    "simt_reset": (None, []),
    "simt_set_schedule": (None, [ctypes.c_int, ctypes.c_uint64]),
    "simt_set_watchdog": (None, [ctypes.c_double]),
    "simt_set_exits_reported": (None, [ctypes.c_int]),
    "simt_open_shield": (None, [ctypes.c_int]),
    "simt_programs_begin": (ctypes.c_void_p, [ctypes.c_void_p]),
    "simt_programs_next": (ctypes.c_uint64, [ctypes.c_void_p]),
    "simt_programs_load": (None, [ctypes.c_void_p] * 3),
    "simt_programs_store": (None, [ctypes.c_void_p] * 3),
    "simt_programs_begin_update": (None, [ctypes.c_void_p] * 3),
    "simt_programs_end_update": (None, [ctypes.c_void_p]),
    "simt_programs_launch": (ctypes.c_int, [ctypes.c_void_p]),
    "simt_programs_end": (None, [ctypes.c_void_p]),
}

_DEVICE: dict[str, tuple[Any, list[Any]]] = {
    "simt_register_device": (None, []),
    "simt_hand_out_default_generators": (None, [ctypes.c_int]),
    "simt_take_operators": (ctypes.c_char_p, []),
    "simt_device_properties": (ctypes.c_char_p, [ctypes.c_int]),
    "simt_memory_statistics_of": (ctypes.c_char_p, [ctypes.c_int]),
    "simt_reset_peak_statistics": (None, [ctypes.c_int]),
    "simt_reset_accumulated_statistics": (None, [ctypes.c_int]),
    "simt_empty_cache": (None, []),
    "simt_raw_allocate": (ctypes.c_void_p, [ctypes.c_size_t, ctypes.c_void_p]),
    "simt_raw_delete": (None, [ctypes.c_void_p]),
    "simt_stream_from_pool": (ctypes.c_int64, [ctypes.c_int, ctypes.c_int]),
    "simt_set_sync_debug_mode": (None, [ctypes.c_int]),
    "simt_get_sync_debug_mode": (ctypes.c_int, []),
}


class Driver:
    """Typed calls into the two libraries. Devices and streams are integers here, as in `torch._C`."""

    def __init__(self, runtime: ctypes.CDLL, device: ctypes.CDLL) -> None:
        for library, table in ((runtime, _RUNTIME), (device, _DEVICE)):
            for name, (result, arguments) in table.items():
                function = getattr(library, name)
                function.restype = result
                function.argtypes = arguments
                setattr(self, name, function)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"the simulated device has no function {name}")

    def properties(self, device: int) -> dict[str, Any]:
        """The fields of `cudaDeviceProp` that PyTorch shows, under PyTorch's names."""
        return dict(json.loads(self.simt_device_properties(device)))

    def memory_statistics(self, device: int) -> dict[str, Any]:
        """The nested dictionary that `torch.cuda.memory_stats_as_nested_dict` returns; bytes and counts."""
        return dict(json.loads(self.simt_memory_statistics_of(device)))

    def memory_info(self, device: int) -> tuple[int, int]:
        """Free and total bytes of the device."""
        free, total = ctypes.c_uint64(), ctypes.c_uint64()
        self.simt_memory_info(device, ctypes.byref(free), ctypes.byref(total))
        return free.value, total.value

    def writers(self, address: int, size: int) -> dict[str, int]:
        """How many of the `size` bytes at `address` each kind of writer wrote last."""
        counts = (ctypes.c_uint64 * len(WRITERS))()
        self.simt_writers(address, size, counts)
        return {writer: count for writer, count in zip(WRITERS, counts, strict=True) if count}

    def take_operators(self) -> list[dict[str, Any]]:
        """Operators and copies since the last call, in order: `{"operator": "aten::mm", "device": 0}`."""
        return [json.loads(line) for line in self.simt_take_operators().decode().splitlines()]

    def elapsed_milliseconds(self, start: int, stop: int) -> float:
        """Simulated time between two recorded events."""
        milliseconds = ctypes.c_float()
        error = self.simt_event_elapsed_ms(ctypes.byref(milliseconds), start, stop)
        if error != 0:
            raise RuntimeError(f"CUDA error: {self.simt_error_string(error).decode()}")
        return milliseconds.value

    def stream_of(self, device: int) -> int:
        """The id of the current stream of `device` on this thread; 0 is the default stream."""
        return int(self.simt_stream_id(self.simt_current_stream(device)))

    def is_capturing(self, device: int) -> bool:
        """Whether the current stream of `device` on this thread is under capture."""
        return bool(self.simt_stream_capture_status(self.simt_current_stream(device)))

    def stream_pointer(self, device: int, stream: int) -> int:
        """The `cudaStream_t` of a stream id, as an integer."""
        return int(self.simt_stream_from_id(device, stream) or 0)

    def set_stream(self, device: int, stream: int) -> None:
        """Make a stream current on its device, and that device current."""
        self.simt_set_device(device)
        self.simt_set_current_stream(device, self.simt_stream_from_id(device, stream))
