"""The worker's part of the speed check, for the submission and for the baseline.

Each function answers with text or tensors. What the submission's worker answers is a claim; the other worker
never runs learner code, so it also keeps what decides: the reference's answers, on the same device.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from grader.checks.timing import settings
from grader.checks.timing.timed_calls import Call, Turns, allocated, draw_into, places

_COPY_BYTES = 1 << 28
_COPIES = 10
_REHEARSED = [0, 1]  # the seeds of the calls
_turns: list[Turns] = []  # the present one


def begin(submission: Any, plan: str) -> str:
    """Get ready to time ``entry`` of the submission, or the author's expression ``baseline``.

    Answers with the bytes of one set of inputs and those that are free on the device.
    """
    asked = json.loads(plan)
    if asked["clock"] == "events":
        torch.cuda.empty_cache()  # what earlier calls left is not the room of these
    _turns[:] = [
        Turns(_callable(submission, asked), asked["arguments"], asked["device"], asked["clock"] == "events")
    ]
    free = torch.cuda.mem_get_info()[0] if asked["clock"] == "events" else 1 << 30
    return json.dumps({"set_bytes": _turns[0].set_bytes, "free_bytes": free})


def _callable(submission: Any, asked: dict[str, Any]) -> Call:
    if asked["baseline"]:
        return eval(asked["baseline"], {"torch": torch})  # type: ignore[no-any-return]  # an author's
    found = submission
    for name in asked["entry"].split("."):
        found = getattr(found, name)
    return found  # type: ignore[no-any-return]


def fill(submission: Any, seeds: str) -> None:
    """Fresh inputs for one turn; a seed for each call."""
    _turns[0].fill(json.loads(seeds))


def run(submission: Any, ahead: bool) -> None:
    """The calls of the turn. Nothing else happens between request and reply."""
    with torch.no_grad():
        _turns[0].run(ahead)


def span(submission: Any) -> str:
    """Of the last turn: the device's milliseconds, and the bytes that a call returned."""
    return json.dumps({"ms": _turns[0].span(), "result_bytes": _turns[0].result_bytes})


def parts(submission: Any, asked: str) -> tuple[Any, ...]:
    """Text with shapes, dtypes and devices of what the asked calls returned, and elements of each.

    If it is to ``run`` the turn first, nothing waits for the device in between: what a call has left undone
    on another stream is not there yet.
    """
    wanted = json.loads(asked)
    if wanted["run"]:
        run(submission, ahead=False)
    shapes = _turns[0].shapes(wanted["calls"])
    found = _turns[0].parts(wanted["calls"], wanted["count"], wanted["seed"])
    return json.dumps(shapes), *(each for call in found for each in call)


def end(submission: Any) -> str:
    """Free everything; answers with the settings of the device that a program can change."""
    _turns.clear()
    return json.dumps(settings.current() if torch.cuda.is_available() else {})


def rehearse(submission: Any, asked: str) -> None:
    """A small turn of the baseline, compared with the reference: loads what both need, the device's code
    included, before it is waited for.

    ``asked`` is a plan with the exercise's folder.
    """
    wanted = json.loads(asked)
    begin(submission, asked)
    fill(submission, json.dumps(_REHEARSED))
    run(submission, ahead=wanted["clock"] == "events")
    drawn = {"calls": [0], "count": 1, "seed": 0, "run": False}
    shapes, *elements = parts(submission, json.dumps(drawn))
    answer = {"seeds": _REHEARSED[:1], "shapes": json.loads(shapes), "places": drawn["seed"]}
    compare(submission, json.dumps(wanted | drawn | answer), *elements)
    end(submission)


def empty_cache(submission: Any) -> None:
    """Give the device what PyTorch keeps of it for later."""
    torch.cuda.empty_cache()


def free_bytes(submission: Any) -> str:
    """Free memory of the device in bytes, all processes considered."""
    return json.dumps(torch.cuda.mem_get_info()[0])


def copy_rate(submission: Any, clock: str) -> str:
    """Bytes per millisecond that the device reads and writes when it copies."""
    if clock != "events":
        return json.dumps(0.0)
    nbytes = min(_COPY_BYTES, torch.cuda.mem_get_info()[0] // 8)
    source, target = (torch.zeros(nbytes, dtype=torch.uint8, device="cuda") for _ in range(2))
    start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))  # type: ignore[no-untyped-call]
    for _ in range(2):
        target.copy_(source)
    start.record()
    for _ in range(_COPIES):
        target.copy_(source)
    stop.record()
    torch.cuda.synchronize()
    return json.dumps(2 * nbytes * _COPIES / start.elapsed_time(stop))


def compare(submission: Any, asked: str, *got: Tensor) -> str:
    """Where the asked calls of the submission differ from the reference, evaluated here in double precision.

    ``asked`` has the exercise's folder, the seeds of the calls, and what :func:`parts` said of them; ``got``
    is the elements. Answers with the first difference: call, element, expected, got; or with null.
    """
    from grader.checks.timing.timed_results import first_difference

    wanted = json.loads(asked)
    elements = iter(got)
    for call, seed, shapes in zip(wanted["calls"], wanted["seeds"], wanted["shapes"], strict=True):
        given = allocated(wanted["arguments"], wanted["device"])
        draw_into(given, wanted["arguments"], seed)
        drawn = [next(elements) for _ in shapes]
        at = [places(_numel(shape), wanted["count"], wanted["places"]) for shape, _, _ in shapes]
        difference = first_difference(Path(wanted["exercise"]), given, shapes, drawn, at)
        if difference is not None:
            return json.dumps({"call": call, **difference})
    return json.dumps(None)


def _numel(shape: list[int]) -> int:
    numel = 1
    for extent in shape:
        numel *= extent
    return numel
