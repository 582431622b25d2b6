"""Requirements on the wheel of an exercise that packages an operation.

PACKAGING = Packaging(
    version="0.1.0",
    library="fused_muladd._C",
    files=["fused_muladd/__init__.py", "fused_muladd/ops.py"],
    architectures=["7.5", "8.0", "9.0+PTX"],
)

One that fits many releases says from which on: stable=StableAbi(torch="2.10", python="3.10").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from grader.specification.naming import of_kind

_ARCHITECTURE = re.compile(r"(\d+)\.(\d)(\+PTX)?")
_RELEASE = re.compile(r"\d+\.\d+")


@dataclass(frozen=True)
class StableAbi:
    """The oldest releases that a wheel has to fit, such as ``"2.10"`` and ``"3.10"``, and all later."""

    torch: str
    python: str

    @property
    def interpreter(self) -> str:
        """CPython's tag: cp310."""
        return f"cp{self.python.replace('.', '')}"


@dataclass(frozen=True)
class Packaging:
    """The wheel of the package that ``build.name`` names.

    ``library`` is the dotted name of the extension module; ``files`` are the other files that the wheel
    installs, all of them. ``architectures`` are compute capabilities as TORCH_CUDA_ARCH_LIST writes them;
    nothing is asked of a wheel in which there are more. Without ``stable``, the wheel is for one release of
    torch and one of CPython.
    """

    version: str
    library: str
    files: Sequence[str]
    architectures: Sequence[str]
    stable: StableAbi | None = None

    @property
    def gpu_code(self) -> tuple[str, ...]:
        """What the library has to hold, in nvcc's words: ``sm_75`` is machine code, ``compute_90`` PTX."""
        found = []
        for entry in self.architectures:
            number = entry.partition("+")[0].replace(".", "")
            found.append(f"sm_{number}")
            if entry.endswith("+PTX"):
                found.append(f"compute_{number}")
        return tuple(found)


def checked(value: Any) -> Packaging | None:
    """What ``PACKAGING`` holds; raises TypeError or ValueError."""
    if value is None:
        return None
    packaging: Packaging = of_kind(Packaging, value, "PACKAGING")
    for entry in packaging.architectures:
        if not _ARCHITECTURE.fullmatch(entry):
            raise ValueError(f"PACKAGING names the architecture {entry!r}, not one such as 8.0 or 9.0+PTX")
    stable = packaging.stable
    if stable is not None:
        of_kind(StableAbi, stable, "PACKAGING's stable")
        for release in (stable.torch, stable.python):
            if not _RELEASE.fullmatch(release):
                raise ValueError(f"PACKAGING names the release {release!r}, not one such as 2.10")
    return replace(packaging, files=tuple(packaging.files), architectures=tuple(packaging.architectures))
