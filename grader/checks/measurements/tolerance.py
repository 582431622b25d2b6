"""How close a reported number must be to the truth, and how both appear in a sentence.

Simulated time is exact but for the microsecond that reading a clock takes. A GPU changes its clock, an event
takes some microseconds, and a launch takes the host some more.
"""

from __future__ import annotations

from grader.support.backends import Backend

_MEBI = 1 << 20
# Relative; absolute, in milliseconds, for what events measure, and for what the host's clock does.
_TIMES = {"simt": (0.02, 0.001, 0.003), "cuda": (0.05, 0.008, 0.060)}
_MEMORY = (0.02, _MEBI // 2)
_HOST = ("host_ms", "first_ms")


def within(backend: Backend, quantity: str, reported: float, truth: float) -> bool:
    """Whether `reported` is as near to `truth` as this backend allows; NaN never is."""
    relative, device, host = _TIMES[backend]
    absolute = host if quantity in _HOST else device
    if quantity.endswith("_bytes"):
        relative, absolute = _MEMORY
    elif not quantity.endswith("_ms"):  # a ratio of two medians
        relative, absolute = 2 * relative, 0.0
    return abs(reported - truth) <= relative * abs(truth) + absolute


def shown(quantity: str, value: float) -> str:
    """With its unit."""
    if quantity.endswith("_bytes"):
        return f"{value / _MEBI:.4g} MiB" if abs(value) >= _MEBI else f"{value:.4g} bytes"
    if quantity.endswith("_ms"):
        return f"{value:.4g} ms"
    return f"{value:.4g}"
