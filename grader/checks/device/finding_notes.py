"""Notes that explain a finding: a wrong offset behind a right guard, a guard that lets one thread through, a
size in elements instead of bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grader.checks.bench import Call
from grader.run.values import TracedLaunch

_SEVERAL = 2  # threads past the end, of which a guard that is missing stops none


def of_its_own(finding: Mapping[str, Any], call: Call) -> str:
    """Which of the results is the thread's, if its launch has one thread for each of them; else ``""``.

    Only launches in x are looked at, with just as many blocks as that takes; and no single result, for which
    any launch has a thread.
    """
    found, results = _thread_past_the_end(finding, call), _results(call)
    if found is None or finding.get("bytes") != finding["tensor"]["itemsize"]:
        return ""
    launch, number = found
    if number >= results or results == 1 or launch.grid[0] != -(-results // launch.block[0]):
        return ""
    thread = f"by thread {number} of a launch with one thread for each of {results} results"
    return f"{thread}{_in_bytes(finding, number)}"


def let_through(finding: Mapping[str, Any], call: Call) -> str:
    """That of all threads past the end only the first made an access, as with `>` in a guard for `>=`."""
    found, results = _thread_past_the_end(finding, call), _results(call)
    if found is None or finding.get("count") != 1:
        return ""
    launch, number = found
    if number != results or launch.grid[0] * launch.block[0] - results < _SEVERAL:
        return ""
    return (
        f"of the threads without a result, only number {number} came here: does the guard compare with > "
        "where it takes >=?"
    )


def _thread_past_the_end(finding: Mapping[str, Any], call: Call) -> tuple[TracedLaunch, int] | None:
    """The launch of a thread that left a tensor in global memory, and its number; None if a note says why."""
    if finding.get("kind") != "out_of_bounds" or finding.get("note") or finding.get("space") != "global":
        return None
    launch = _launch_of(finding, call)
    block, index, tensor = (finding.get(key) for key in ("block", "thread", "tensor"))
    if launch is None or not (block and index and tensor):
        return None
    return launch, int(block[0]) * launch.block[0] + int(index[0])


def _launch_of(finding: Mapping[str, Any], call: Call) -> TracedLaunch | None:
    place = (finding.get("file"), finding.get("line"))
    found = [each for each in call.reply.trace.launches if (each.file, each.line) == place]
    shapes = {(each.grid, each.block) for each in found}
    flat = all((*grid[1:], *block[1:]) == (1, 1, 1, 1) for grid, block in shapes)
    return found[0] if len(shapes) == 1 and flat else None


def _results(call: Call) -> int:
    """How many elements each result has; 0 where they differ, or there is none."""
    sizes = {each.tensor.numel() for each in call.reply.outputs if each.tensor is not None}
    return sizes.pop() if len(sizes) == 1 else 0


def _in_bytes(finding: Mapping[str, Any], number: int) -> str:
    """Whether the element that was asked for is the thread's, counted in bytes."""
    tensor, allocation = finding["tensor"], finding.get("allocation")
    if not allocation or number == 0 or tensor["itemsize"] == 1:
        return ""
    element = int(allocation["offset"]) / tensor["itemsize"] - int(tensor.get("storage_offset") or 0)
    if element != number * tensor["itemsize"]:
        return ""
    return f" (the element is {tensor['itemsize']} x {number}: is an offset or a stride counted in bytes?)"


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
