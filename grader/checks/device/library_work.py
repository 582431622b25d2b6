"""Library operators and copies that replaced a kernel the learner should have written."""

from __future__ import annotations

from cusimt.profile.instances import template_name
from cusimt.support.words import listed
from grader.checks.bench import Bench, Call
from grader.checks.device.launches import foreign_launches, kernel_name
from grader.checks.device.vendor_work import workers
from grader.checks.outcome import Outcome

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
        "_local_scalar_dense", "_reshape_alias", "_unsafe_view", "item",
    )
)  # fmt: skip
# Those of them that may copy, which forward may not call where copying is what the kernel is for.
MOVING = frozenset(
    f"aten::{name}"
    for name in ("clone", "contiguous", "copy_", "flatten", "new_tensor", "reshape", "resize_", "set_")
)
CASTS = frozenset({"aten::to", "aten::_to_copy"})  # allowed in an autocast region, whose point they are


def allowed_operators(bench: Bench, call: Call) -> frozenset[str]:
    """The operators that the exercise allows at this stage, without overload names."""
    allowed = STRUCTURAL | bench.exercise.library if call.stage == "backward" else STRUCTURAL
    if call.stage == "forward" and not bench.exercise.moves:
        allowed -= MOVING
    return allowed | CASTS if call.autocast else allowed


def foreign_operators(bench: Bench, call: Call) -> list[str]:
    """Operators, each once and without overload names, that the exercise does not allow at this stage."""
    names = [name.partition(".")[0] for name in call.reply.trace.operators if "::" in name]
    allowed = allowed_operators(bench, call)
    own = f"{bench.exercise.build.name}::"
    return [name for name in dict.fromkeys(names) if name not in allowed and not name.startswith(own)]


def foreign_operators_problem(bench: Bench, call: Call) -> Outcome | None:
    """What is held against the operators that a call used.

    The results are theirs where they compute, and where they only move numbers if that is all that it takes.
    """
    foreign = foreign_operators(bench, call)
    if not foreign:
        return None
    library = listed(sorted(bench.exercise.library)) if call.stage == "backward" else ""
    allowed = f" Allowed here: {library}." if library else ""
    if STRUCTURAL.issuperset(foreign):
        allowed = " That holds for all that copies: contiguous(), clone() and the like."
    computing = [name for name in foreign if name not in STRUCTURAL | CASTS]
    made = f"{listed(computing)} took part in computing them" if computing else ""
    if not computing and _moving_is_all(bench, call):
        made = f"{listed(foreign)} moved them"
    return call.failure(
        f"{call.text} called {listed(foreign)}. In this exercise {workers(bench)} do the work, and PyTorch's "
        f"operators do not.{allowed}",
        "library", made,
    )  # fmt: skip


def foreign_launch(bench: Bench, call: Call) -> Outcome | None:
    """A kernel of a library that no allowed operator launched, whether or not its operator was seen."""
    launches = foreign_launches(bench, call, allowed_operators(bench, call))
    if not launches:
        return None
    name = template_name(kernel_name(launches[0]))
    return call.failure(
        f"{call.text} launched {name}, which your library does not define. In this exercise "
        f"{workers(bench)} do the work.",
        "library", f"a library's kernel, {name}, took part in computing them",
    )  # fmt: skip


def copies_within_device(bench: Bench, call: Call) -> Outcome | None:
    """Where moving numbers about is the point: by the runtime's copies, strided ones too, it is not done."""
    api_calls = call.reply.trace.api_calls
    copies = [each for each in api_calls if each.get("kind") == "d2d" and each.get("bytes")]
    if bench.exercise.moves or not copies:
        return None
    name = copies[0].get("call")
    return call.failure(
        f"{call.text} called {name} to copy within the device. In this exercise a kernel moves the numbers.",
        "library", f"{name} moved them" if _moving_is_all(bench, call) else "",
    )  # fmt: skip


def _moving_is_all(bench: Bench, call: Call) -> bool:
    """Whether the exercise, by all results that are known, does no more than to move numbers.

    In one case a result may be among the arguments by chance: a sum of which one term is zero is.
    """
    known = [each for each in bench.calls if each.stage == "forward" and each.has_result]
    return all(each.only_moved for each in (call, *known))
