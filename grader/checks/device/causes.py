"""Device findings that explain a call's wrong values; they precede any guess from the numbers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import torch

from cusimt.findings import SUSPICIONS
from cusimt.support.words import counted
from grader.checks.bench import Bench, Call
from grader.checks.device.findings import seen_in
from grader.checks.device.launches import kernel_name, launch_place
from grader.checks.outcome import Cause
from grader.verdict import ReportedFinding

# What makes values wrong. Streams are missing: the simulated GPU runs them in the order of the calls.
_SPOILS = frozenset(
    {
        "out_of_bounds", "use_after_free", "uninitialized_read", "host_pointer", "race_shared", "race_global",
        "copy_in_flight", "misaligned", "divergent_barrier", "deadlock", "barrier_count", "bad_mask", "trap",
        "illegal_instruction", "division_by_zero", "timeout", *SUSPICIONS,
    }
)  # fmt: skip

_TWO_WRITES = "(write after write)"


_INVALID_VALUE = 1  # cudaErrorInvalidValue


def _cause_in(call: Call, files: Path) -> ReportedFinding | None:
    """The first thing that was seen in `call` and makes its values wrong, whatever they look like."""
    found = [each for each in seen_in([call], files, suspicions=True) if each.kind in _SPOILS]
    faults = [each for each in found if each.kind not in SUSPICIONS]
    return next(iter(faults or found), None)


def cause_of(bench: Bench, call: Call, given: Mapping[str, torch.Tensor] | None = None) -> Cause | None:
    """What was seen in `call` and makes its values wrong; with the rule where no safety check follows that
    says it, and with that of two writes, which come from an index, as wrong values do. `given` are the
    tensors that the call got, by name.
    """
    finding = _cause_in(call, bench.files)
    if finding is None:
        return None
    place = f"{finding.where}: " if finding.where else ""
    of_an_index = finding.kind == "race_global" and _TWO_WRITES in finding.sentence
    rule = f" {finding.rule}" if of_an_index or bench.spec.part is not None else ""
    rule = _read_as_dense(finding, given or {}) or rule
    return Cause(finding, f"{place}{finding.sentence}{rule}")


def refused_launch(call: Call, files: Path) -> Cause | None:
    """The launch in `call` that did not fit the device, with the dimension at fault where that is known."""
    found = next((each for each in seen_in([call], files) if each.kind == "invalid_launch"), None)
    if found is not None:
        place = f"{found.where}: " if found.where else ""
        return Cause(found, f"{place}{found.sentence} {found.rule}")
    refused = next((each for each in call.reply.trace.launches if each.error), None)
    if refused is None:
        return None
    what = f"The launch of {kernel_name(refused)} was refused: grid {refused.grid}, block {refused.block}."
    return Cause(ReportedFinding("invalid_launch", what, ""), f"{launch_place(refused)}{what}")


def refused_copy(call: Call) -> str:
    """The copy or fill whose arguments were refused, if that was the first thing to fail in `call`."""
    failed = next((each for each in call.reply.trace.api_calls if each.get("error")), None)
    if failed is None or failed["error"] != _INVALID_VALUE or not failed.get("bytes"):
        return ""
    name, size = str(failed.get("call")), failed["bytes"]
    if name.startswith("cudaMemcpy"):
        return (
            f"{name} was refused, of {size} bytes: is the target given before the source, does the direction "
            "say where each of them is, and do both have as many bytes?"
        )
    return f"{name} was refused, of {size} bytes: has its target as many?" if "Memset" in name else ""


def _read_as_dense(finding: ReportedFinding, given: Mapping[str, torch.Tensor]) -> str:
    """Of an access beyond a tensor that has fewer elements in memory than its sizes say."""
    name = next((each for each in given if f"of `{each}`, which has" in finding.sentence), "")
    if finding.kind != "out_of_bounds" or not name:
        return ""
    tensor = given[name]
    there = tensor.untyped_storage().nbytes() // tensor.element_size()
    if there >= tensor.numel() or 0 not in tensor.stride():
        return ""
    return (
        f" {name} is expanded: {tensor.numel()} elements by its sizes, with a stride of 0, and "
        f"{counted(there, 'element')} in memory. Make it contiguous before a kernel reads it densely, or use "
        "its strides."
    )
