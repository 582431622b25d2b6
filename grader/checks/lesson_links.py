"""The place in a lesson that explains what a check found, by topic.

Each topic has anchors that are about it, the most particular first: its own name, then those that explain it
where a lesson has no place of its own for it. What no anchor of a lesson is about leads to the heading above
them all, or where nothing ran to the lesson as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.course.catalog import Exercise

UNWRITTEN = "todo"  # the topic of what is not written yet
AS_A_WHOLE = (UNWRITTEN, "build", "load", "audit")  # nothing ran: there is no verdict on it to be explained
GENERAL = "when-a-verdict-points-here"
_HEADING = "\n## When a verdict points here\n"
_ANCHOR = re.compile(r"\{[^}]*#([\w-]+)[^}]*\}")

_GRADIENT = ("gradient", "gradcheck", "values")
_RACES = ("race-shared", "race-global")
_BARRIERS = ("divergent-barrier", "deadlock", "bad-mask")
_BOUNDS = ("out-of-bounds",)
_POINTERS = ("host-pointer", "errors")
_STREAMS = ("launch-stream", "stream-order")
_WORK = ("no-kernel", "library")
_LOADS = ("global-load-sectors", "global-sectors", "global-load-requests", "efficiency")
_STORES = ("global-store-sectors", "global-sectors", "global-store-requests", "efficiency")

# Besides its own name, what is about a topic. Listed are all topics that checks give on their own account;
# the others are anchors that an exercise chose: its parts, or the traps of its measurements.
ABOUT: dict[str, tuple[str, ...]] = {
    # values
    "values": (), "shape": ("values",), "dtype": ("values",), "device": ("values", "errors"),
    "kind": ("values", "errors"), "inputs": ("values",), "non_finite": (),
    "refusals": ("errors",), "errors": (),
    "determinism": ("schedule", "race-global"), "schedule": ("determinism", *_RACES),
    # gradients
    "gradient": _GRADIENT, "gradcheck": ("gradient", "values"), "twice": _GRADIENT, "saved": _GRADIENT,
    "grad_out_changed": _GRADIENT, "autograd": ("none-gradient", "autograd-registration", *_GRADIENT),
    "none_gradient": ("number-of-gradients", "needs-input-grad", *_GRADIENT),
    "number_of_gradients": ("none-gradient", "needs-input-grad", *_GRADIENT),
    "needs_input_grad": ("none-gradient", *_GRADIENT), "autograd_registration": _GRADIENT,
    # findings of the device
    "out_of_bounds": (), "use_after_free": _BOUNDS, "uninitialized_read": ("values",),
    "double_free": ("leak",), "invalid_free": ("leak",), "leak": (),
    "host_pointer": ("errors",), "device_pointer_on_host": _POINTERS,
    "host_function": ("host-pointer", "errors"),
    "plain_guess": ("race-global", "race-shared"), "race_shared": ("race-global",),
    "race_global": ("race-shared", "determinism"),
    "copy_in_flight": _RACES, "copy_source": _RACES, "proxy_fence": _RACES,
    "misaligned": _BOUNDS,
    "divergent_barrier": ("deadlock",), "deadlock": ("divergent-barrier",), "barrier_count": _BARRIERS,
    "bad_mask": ("deadlock",), "absent_lane": ("bad-mask", "values"), "invalid_launch": ("errors",),
    "trap": ("errors",), "division_by_zero": ("values",), "illegal_instruction": ("errors",),
    "write_to_const": _BOUNDS, "timeout": ("deadlock",),
    "mapped_memory": ("copies", "allocation", *_WORK), "other_thread": _WORK,
    "launch_stream": ("stream-fork",), "stream_fork": _STREAMS, "stream_join": _STREAMS,
    "stream_device": _STREAMS, "stream_order": _STREAMS, "stream_reuse": _STREAMS, "streams": _STREAMS,
    # who did the work
    "handle": _WORK, "no_kernel": ("library",), "host": _WORK, "library": ("no-kernel",), "copy": _WORK,
    "memset": _WORK, "copies": ("synchronisation", *_WORK), "synchronisation": ("copies",),
    "allocation": ("allocations",), "mapped": ("copies", "allocation", *_WORK), "threads": _WORK,
    # costs
    "speed": (), "launches": (), "allocations": ("launches",), "bank_conflicts": ("efficiency",),
    "tensor_multiply_adds": (),
    "global_load_sectors": _LOADS, "global_store_sectors": _STORES, "global_load_requests": _LOADS,
    "global_store_requests": _STORES, "global_sectors": (*_LOADS, *_STORES),
    "global_atomic_sectors": (*_STORES,),
    # a wheel for many releases
    "stable_symbols": ("target-version",), "target_version": ("stable-symbols",),
    "python_symbols": ("stable-symbols",), "wheel_tag": (), "other_torch": ("stable-symbols",),
    **dict.fromkeys(
        ("wheel_identity", "wheel_library", "wheel_surplus", "build_requirements", "architectures",
         "processors", "overrides", "rebuild", "absolute_path"),
        ("wheel-complete",),
    ),
    "compiler": ("errors",),
    # the build
    "build": (), "load": ("build",), "audit": ("load",), "schema": ("load",),
    "fake_tensor": ("errors",),
    # the rest
    "answers": (), "changes": (), "crash": ("host-pointer", "errors"), "fail": (),
    "collected": (), "wrong_test": (), "time": (), "accepts": (), "flaky": (), "kills": (),
}  # fmt: skip


def lesson_for(exercise: Exercise, *topics: str) -> str:
    """The lesson's path within the course, with the anchor that is about the first of `topics` that has one;
    or ``""``.
    """
    path = exercise.lesson_path
    if not path.is_file():
        return ""
    shown = path.relative_to(exercise.course).as_posix()
    text = path.read_text(encoding="utf-8")
    anchor = anchor_in(text, *topics)
    return f"{shown}#{anchor}" if anchor else shown


def anchor_in(lesson: str, *topics: str) -> str:
    """The anchor of that text; the heading above all anchors where none is about a topic; or ``""``."""
    anchors = set(_ANCHOR.findall(lesson))
    if found := next((each for topic in topics for each in about(topic) if each in anchors), ""):
        return found
    return GENERAL if set(topics) - {"", *AS_A_WHOLE} and _HEADING in lesson else ""


def about(topic: str) -> Iterator[str]:
    """The anchors that are about `topic`, the most particular first."""
    if topic:
        yield topic.replace("_", "-")
        yield from ABOUT.get(topic, ())
