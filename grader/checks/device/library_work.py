"""Operators and copies of libraries that did what a kernel of the learner's should have done."""

from __future__ import annotations

from grader.checks.bench import Bench, Call
from grader.checks.outcome import Outcome
from grader.words import listed

# Allocation, views, metadata and moving numbers about. A result must still be last written by the learner's
# kernel, so none of these can stand in for it.
STRUCTURAL = frozenset(
    f"aten::{name}"
    for name in (
        "alias", "as_strided", "broadcast_tensors", "chunk", "clone", "contiguous", "copy_", "detach",
        "detach_", "empty", "empty_like", "empty_strided", "expand", "expand_as", "fill_", "flatten",
        "full", "full_like", "is_pinned", "lift_fresh", "mT", "movedim", "narrow", "new_empty",
        "new_empty_strided", "new_full", "new_zeros", "numpy_T", "ones", "ones_like", "permute",
        "record_stream", "reshape", "reshape_as", "resize_", "resolve_conj", "resolve_neg", "result_type",
        "select", "set_", "slice", "split", "squeeze", "squeeze_", "t", "transpose", "unbind", "unflatten",
        "unsqueeze", "unsqueeze_", "view", "view_as", "zero_", "zeros", "zeros_like", "_conj",
        "_local_scalar_dense", "_reshape_alias", "_unsafe_view",
    )
)  # fmt: skip
# Those of them that may copy, which forward may not call where copying is what the kernel is for.
MOVING = frozenset(
    f"aten::{name}"
    for name in ("clone", "contiguous", "copy_", "flatten", "new_tensor", "reshape", "resize_", "set_")
)
CASTS = frozenset({"aten::to", "aten::_to_copy"})  # allowed in an autocast region, whose point they are


def foreign_operators(bench: Bench, call: Call) -> list[str]:
    """Operators, each once and without overload names, that the exercise does not allow at this stage."""
    names = [name.partition(".")[0] for name in call.reply.trace.operators if "::" in name]
    allowed = STRUCTURAL | bench.exercise.library if call.stage == "backward" else STRUCTURAL
    if call.stage == "forward" and not bench.exercise.moves:
        allowed -= MOVING
    if call.autocast:
        allowed |= CASTS
    own = f"{bench.exercise.build.name}::"
    return [name for name in dict.fromkeys(names) if name not in allowed and not name.startswith(own)]


def foreign_operators_problem(bench: Bench, call: Call) -> Outcome | None:
    """What is held against the operators that a call used."""
    foreign = foreign_operators(bench, call)
    if not foreign:
        return None
    library = listed(sorted(bench.exercise.library)) if call.stage == "backward" else ""
    allowed = f" Allowed here: {library}." if library else ""
    if STRUCTURAL.issuperset(foreign):
        allowed = " That holds for all that copies: contiguous(), clone() and the like."
    return call.failure(
        f"{call.text} called {listed(foreign)}. In this exercise kernels of yours do the work, and PyTorch's "
        f"operators do not.{allowed}",
        "library",
    )


def copies_within_device(bench: Bench, call: Call) -> Outcome | None:
    """Where moving numbers about is the point: by the runtime's copies, strided ones too, it is not done."""
    api_calls = call.reply.trace.api_calls
    copies = [each for each in api_calls if each.get("kind") == "d2d" and each.get("bytes")]
    if bench.exercise.moves or not copies:
        return None
    return call.failure(
        f"{call.text} called {copies[0].get('call')} to copy within the device. In this exercise a kernel "
        "moves the numbers.",
        "library",
    )
