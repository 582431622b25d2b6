"""Memory that a copy left unfilled because it was given a number of elements instead of bytes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grader.checks.bench import Call


def elements_for_bytes(finding: Mapping[str, Any], call: Call) -> str:
    """The copy or fill of `call` that had as many bytes as the memory has elements; ``""`` without one."""
    size, memory = int(finding.get("bytes") or 0), finding.get("allocation")
    if finding.get("kind") != "uninitialized_read" or finding.get("note") or size < 2 or not memory:
        return ""
    elements, rest = divmod(int(memory["bytes"]), size)
    if rest or elements < 2:
        return ""
    for each in call.reply.trace.api_calls:
        name = str(each.get("call"))
        if name.startswith(("cudaMemcpy", "cudaMemset")) and each.get("bytes") == elements:
            return (
                f"{name} was given {elements} bytes, and {elements} elements of {size} bytes are here: is a "
                "number of elements given where it counts bytes?"
            )
    return ""
