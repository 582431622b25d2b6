"""How late a submission is, what the late-day budget covers, and the penalty for the rest."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime, timedelta

from grader.instruct.course.policy import LatePolicy

FULL = 100.0  # points of a mark
_DAY = timedelta(days=1)


@dataclass(frozen=True)
class Charge:
    """``days`` late, of which ``paid`` came from the budget; ``lost`` points of the mark.

    ``refused``: it came after the last day on which anything is accepted, and the whole mark is lost.
    """

    days: int = 0
    paid: int = 0
    lost: float = 0.0
    refused: bool = False


IN_TIME = Charge()


def days_late(submitted: datetime | None, due: datetime | None, grace: timedelta) -> int:
    """Begun days of 24 hours after ``due``; none up to ``grace`` after it, or where a time is not known."""
    if submitted is None or due is None:
        return 0
    # Between two times of one zone Python subtracts what the clocks show, an hour too few or many across the
    # end of summer time; and in UTC a time of the first or last day that there is may not exist.
    shown = submitted.replace(tzinfo=None) - due.replace(tzinfo=None)
    over = shown - (_offset(submitted) - _offset(due))
    return 0 if over <= grace else math.ceil(over / _DAY)


def charge(policy: LatePolicy, days: int, budget: int, points: float) -> Charge:
    """What ``days`` late cost a mark of ``points`` whose student has ``budget`` late days left.

    The budget pays as much as it can, and nothing where there is nothing to save: a mark of zero, a
    policy without a penalty, work that is not accepted any more, or a mark that is lost all the same.
    """
    if policy.most_days is not None and days > policy.most_days:
        return Charge(days, lost=points, refused=True)
    if not days or not points or not policy.per_day:
        return Charge(days)
    paid = min(days, budget) if policy.budget else 0
    lost = _lost(policy, days - paid, points)
    if lost == _lost(policy, days, points):
        paid = 0
    return Charge(days, paid, lost)


def _lost(policy: LatePolicy, days: int, points: float) -> float:
    """What ``days`` that nothing pays for take off a mark of ``points``: at most all of them."""
    base = points if policy.of == "earned" else FULL
    return min(points, base * policy.per_day / FULL * days)


def _offset(moment: datetime) -> timedelta:
    """From UTC; of an aware time there always is one."""
    return moment.utcoffset() or timedelta()
