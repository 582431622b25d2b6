"""The worker's part: Triton's compiler. What it returns is a claim."""

from __future__ import annotations

from typing import Any


def lacking(frontend: Any) -> str:
    """Why there is no compiler; ``""`` where there is one."""
    return frontend if isinstance(frontend, str) else ""


def refusal(frontend: Any, specialisation: str) -> list[Any]:
    """The fields of its `cusimt.triton.frontend.Refusal`; empty where it has nothing against the kernel."""
    found = frontend.refusal(specialisation)
    return [] if found is None else [found.kernel, found.constants, found.file, found.line, found.text]
