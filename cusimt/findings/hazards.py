"""Which of two racing accesses comes first in the program, and so which barrier is missing.

The order in which the runtime ran them is one of many: if the barrier at the end of a loop is missing, a
thread may be in its next iteration, and overwrite an element that another one has yet to read. The intended
order is that of the text. A write above a read comes first, unless there is a barrier between the two: then
the way back from the end of the loop to its beginning lacks one, and the read comes first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from cusimt.translate.functions import Function, calls_in, functions, without_noise

READ_FIRST, WRITE_FIRST = "write after read", "read after write"

_BARRIER = re.compile(
    r"\b(?:__syncthreads(?:_count|_and|_or)?|__barrier_sync|arrive_and_wait|sync|wait)\s*\(|\bbar(?:rier)?\.sync\b"
)
_SOMETIMES = re.compile(rf"\b(?:if|else)\b[^\n{{;]*(?:{_BARRIER.pattern})")
_OF_A_WARP = re.compile(r"\b__syncwarp\s*\(")


@dataclass(frozen=True)
class RacingAccess:
    """The line of an access, then those of the calls that led to it, if in the kernel's file."""

    lines: tuple[int, ...]
    writes: bool


def order_of(one: RacingAccess, other: RacingAccess, lines: Sequence[str]) -> str:
    """WRITE_FIRST or READ_FIRST, or `""` where both write, or the `lines` of the file do not say."""
    if one.writes == other.writes:
        return ""
    text = without_noise("\n".join(lines))
    write, read = (one, other) if one.writes else (other, one)
    found = functions(text)
    both_known = [each for each in found if _known(each, write) and _known(each, read)]
    orders = {
        _order(text, at_write, at_read)
        for function in both_known or found
        for at_write, at_read in product(_within(function, write, text), _within(function, read, text))
    }
    return orders.pop() if len(orders) == 1 else ""


def _known(function: Function, access: RacingAccess) -> int:
    """The line of `function` in which the access is made, itself or by a call; 0 where none is known."""
    return next((line for line in reversed(access.lines) if line in function), 0)


def _within(function: Function, access: RacingAccess, text: str) -> Iterator[int]:
    """The lines of `function` in which the access is made: itself, a call that led to it, or any call of the
    function that it is in, where it is not known which."""
    if known := _known(function, access):
        yield known
        return
    if len(access.lines) > 1:
        return
    around = next((each for each in functions(text) if access.lines[0] in each), None)
    if around is not None:
        yield from _calls(function, around.name, text)


def _calls(function: Function, name: str, text: str) -> Iterator[int]:
    called = re.compile(rf"\b{re.escape(name)}\s*(?:<[^<>;()]*>)?\s*\(")
    for number, line in enumerate(text.split("\n"), 1):
        if number in function and called.search(line):
            yield number


def _order(text: str, at_write: int, at_read: int) -> str:
    """By the lines of one function; one line, as in `tile[t] += tile[t + 1]`, does not say."""
    if at_write == at_read:
        return ""
    first, last = sorted((at_write, at_read))
    between = "\n".join(text.split("\n")[first : last - 1])
    if _SOMETIMES.search(between):
        return ""
    if not _has_barrier(between, text):
        if _OF_A_WARP.search(between):  # enough for some threads and not for others
            return ""
        return WRITE_FIRST if at_write < at_read else READ_FIRST
    return READ_FIRST if at_write < at_read else WRITE_FIRST


def _has_barrier(between: str, text: str) -> bool:
    """Whether there is a barrier in lines of `text`, also in a function that they call."""
    if _BARRIER.search(between):
        return True
    waiting = {each.name for each in functions(text) if _waits(each, text)}
    return any(name in waiting for name in calls_in(between))


def _waits(function: Function, text: str) -> bool:
    return _BARRIER.search("\n".join(text.split("\n")[function.first - 1 : function.last])) is not None
