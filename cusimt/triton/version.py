"""Which Triton the simulated device runs, and what to do where it is missing."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, version

from cusimt.support.errors import InfrastructureError

SUPPORTED = ((3, 5), (3, 8))
"""From the first release on, and before the second: their interpreters have the same parts."""
INSTALL = 'pip install "triton==3.7.1"'

_ELSEWHERE = (
    "PyPI has Triton for Linux on x86-64 and aarch64 only. On another system, work in a container or a "
    "virtual machine with Linux; the dev container of this course is one."
)


def lacking() -> str:
    """A sentence on what is missing, and ``""`` where Triton is installed in a supported release."""
    try:
        found = version("triton")
    except PackageNotFoundError:
        return "Triton is not installed."
    release = tuple(int(part) for part in found.split("+")[0].split(".")[:2] if part.isdecimal())
    first, end = SUPPORTED
    if first <= release < end:
        return ""
    oldest, too_new = (".".join(map(str, each)) for each in SUPPORTED)
    return f"Triton {found} is installed, and releases from {oldest} to before {too_new} are supported."


def remedy() -> str:
    """The command that installs a supported release, or what to do where there is none for this system."""
    has_wheel = sys.platform == "linux" and platform.machine() in ("x86_64", "aarch64")
    return f"Run: {INSTALL}" if has_wheel else _ELSEWHERE


def require() -> None:
    """Raises InfrastructureError where Triton is missing or of another release."""
    if what := lacking():
        raise InfrastructureError(what, "Kernels in Triton run by its interpreter.", remedy())
