"""Device settings that a program can change, read from the CUDA driver: limits, caches, the stream.

Each belongs to the context or stream of this process. A worker that has loaded nothing has the driver's own.
"""

from __future__ import annotations

import ctypes

import torch

# By their numbers. Not the stack size, 0: the driver enlarges it for a kernel that needs more.
_LIMITS = {
    1: "printf buffer", 2: "malloc heap", 3: "synchronisation depth", 4: "pending launches",
    5: "largest L2 fetch granularity", 6: "L2 cache set aside for persisting accesses",
}  # fmt: skip
_ACCESS_POLICY_WINDOW = 1
_SYNCHRONISATION_POLICY = 3
_PRIORITY = 8
_ATTRIBUTE_BYTES = 64  # CUlaunchAttributeValue


def current() -> dict[str, str]:
    """Each setting by name, as text; one that this driver does not have is left out."""
    driver = ctypes.CDLL("libcuda.so.1")
    found: dict[str, str] = {}
    for number, name in _LIMITS.items():
        value = ctypes.c_size_t()
        if driver.cuCtxGetLimit(ctypes.byref(value), number) == 0:
            found[name] = str(value.value)
    flags = ctypes.c_uint()
    if driver.cuCtxGetFlags(ctypes.byref(flags)) == 0:
        found["device flags"] = str(flags.value)
    cache = ctypes.c_int()
    if driver.cuCtxGetCacheConfig(ctypes.byref(cache)) == 0:
        found["cache configuration"] = str(cache.value)
    return found | _of_the_stream(driver)


def _of_the_stream(driver: ctypes.CDLL) -> dict[str, str]:
    """Attributes of the current stream."""
    stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
    names = {
        _ACCESS_POLICY_WINDOW: "the stream's access policy window",
        _SYNCHRONISATION_POLICY: "the stream's synchronisation policy",
        _PRIORITY: "the stream's priority",
    }
    found = {}
    for number, name in names.items():
        value = (ctypes.c_ubyte * _ATTRIBUTE_BYTES)()
        if driver.cuStreamGetAttribute(stream, number, ctypes.byref(value)) == 0:
            found[name] = bytes(value).hex()
    return found
