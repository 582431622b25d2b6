"""Every mark explained in sentences: the arithmetic, step by step."""

from __future__ import annotations

from collections.abc import Container, Iterator
from datetime import datetime
from zoneinfo import ZoneInfo

from cusimt.support.words import counted, listed, noun
from grader.course.exercise import Exercise
from grader.instruct.course.lateness import FULL
from grader.instruct.course.marks import Mark, State
from grader.report.earned import Earned
from grader.report.words import name_of, results_for
from grader.verdict import NOT_JUDGED, Verdict

_SHOWN_DIGITS = 12  # of a record's name


def explain(mark: Mark, exercise: Exercise, zone: ZoneInfo, *, to_student: bool = False) -> list[str]:
    """Sentences that lead from what was handed in to ``mark.points``.

    ``to_student`` leaves out what only instructors can do something about.
    """
    return [
        *_handed_in(mark, zone),
        *_judged(mark, exercise, to_student),
        *_by_hand(mark, to_student),
        *_lateness(mark),
        *_adjusted(mark),
        *(_stands(mark) if to_student else _released(mark)),
        _result(mark),
    ]


def amount(points: float) -> str:
    """Points with two digits at most: 40, 12.5, 66.67."""
    return f"{round(points, 2):g}"


def _handed_in(mark: Mark, zone: ZoneInfo) -> Iterator[str]:
    due = f"due {local_time(mark.due, zone)}" if mark.due else "not due at any time"
    if mark.extension:
        due += f" by an extension ({mark.extension})"
    if mark.attempt is None:
        yield f"Nothing was handed in; it was {due}." if mark.state is State.MISSING else f"It is {due}."
        return
    by = f" by {mark.attempt.student}" if mark.attempt.student != mark.student else ""
    group = f" for group {mark.group}" if mark.group else ""
    moment = mark.attempt.submitted
    when = local_time(moment, zone) if moment else "at an unrecorded time, so it counts as in time"
    yield f"Handed in{by}{group} {when}; it was {due}."
    if mark.others:
        which = "best" if mark.assignment.takes == "best" else "last"
        yield f"It is the {which} of {mark.others + 1} hand-ins, which is the one that counts."


def _judged(mark: Mark, exercise: Exercise, to_student: bool) -> Iterator[str]:
    backend = mark.assignment.backend
    beyond = [name for name in exercise.scores if name not in exercise.scores_on(backend)]
    if mark.attempt is None or (mark.earned is None and mark.charge.refused):
        return
    if mark.by_hand.waiting:
        yield f"It waits for a person in formgrader: {listed(mark.by_hand.waiting)}."
        return
    if mark.unread:
        slug, student = mark.assignment.exercise, mark.attempt.student
        how = "" if to_student else f": run nbgrader autograde {slug} --student {student}"
        yield f"Its answers to further questions are not in formgrader yet{how}."
        return
    if mark.record is None and mark.earned is not None:
        yield f"A person marked it, {_share(mark.earned)}; there is no verdict on it from {backend}."
        return
    if mark.record is None:
        yield f"There is no verdict on it from {backend} yet" + (
            "." if to_student else ": run grader class grade."
        )
        return
    if mark.earned is None:
        yield "Nothing of it could be judged, which is not its fault; a person has to look at it."
        return
    source = f"record {mark.record.key.name[:_SHOWN_DIGITS]}, seed {mark.record.verdict.seed}"
    yield (f"On {backend} it earned {_share(mark.earned)}{'' if to_student else f' ({source})'}.")
    if mark.record.verdict.to_review and not to_student:
        yield f"To look at: {mark.record.verdict.to_review}"
    by_hand = [check.name for name in mark.by_hand.checks for check in results_for(mark.record.verdict, name)]
    yield from _lost(mark.record.verdict, [*beyond, *by_hand])
    for name in beyond:
        if name in mark.by_hand.checks:  # a person judged it
            continue
        points = exercise.scores[name]
        yield f"The {points} points of {name} cannot be judged on {backend} and do not count."
    if undecided := [name for name in mark.earned.undecided if name not in beyond]:
        yield f"Undecided, and left out of this mark: {listed(undecided)}."


def _share(earned: Earned) -> str:
    percent = FULL * earned.points / earned.out_of
    return f"{amount(earned.points)} of {amount(earned.out_of)} points, {amount(percent)} percent"


def _by_hand(mark: Mark, to_student: bool) -> Iterator[str]:
    """What a person entered in formgrader; ``_judged`` has it in its sum."""
    for name, (points, out_of) in mark.by_hand.checks.items():
        yield f"For {name.replace('_', ' ')} a person gave {amount(points)} of {amount(out_of)} points."
    points, out_of = mark.by_hand.further
    if out_of:
        yield f"Further questions: {amount(points)} of {amount(out_of)} points."
    if mark.by_hand.extra:
        yield f"Extra credit: {amount(mark.by_hand.extra)} points."
    for comment in mark.by_hand.comments:
        yield f"Comment: {comment}"
    if mark.astray and not to_student:
        slug = mark.assignment.exercise
        yield (
            "FLAG: a person marked something in formgrader that is no hand-in by its time. Enter the right "
            f"time with: nbgrader autograde {slug} --student {mark.astray}"
        )


def _lost(verdict: Verdict, beyond: Container[str]) -> Iterator[str]:
    """What kept each check that counts from all its points, unless an earlier one kept it from running."""
    for check in verdict.checks:
        lost = check.points < check.out_of or check.status.stands_in_the_way
        ran = check.status.counts and not check.sentence.startswith(NOT_JUDGED)
        if lost and ran and check.name not in beyond:
            points = f", {amount(check.points)} of {amount(check.out_of)} points" if check.out_of else ""
            yield f"{name_of(check).capitalize()}{points}: {check.sentence}"


def _lateness(mark: Mark) -> Iterator[str]:
    late, policy = mark.charge, mark.assignment.late
    if not late.days:
        return
    days = counted(late.days, "day")
    if late.refused:
        yield f"It is {days} late, and nothing is accepted after {policy.most_days}."
        return
    paid = f"; {late.paid} of them {noun(late.paid == 1, 'is', 'are')} paid from the late days of the term"
    yield f"It is {days} late{paid if late.paid else ''}."
    charged = late.days - late.paid
    if late.lost and charged:
        of = "what was earned" if policy.of == "earned" else "all points"
        yield (
            f"{counted(charged, 'late day')} at {amount(policy.per_day)} percent of {of} "
            f"{noun(charged == 1, 'costs', 'cost')} {amount(late.lost)} points."
        )


def _adjusted(mark: Mark) -> Iterator[str]:
    for each in mark.adjustments:
        verb = "added" if each.points >= 0 else "took off"
        yield f"{each.by} {verb} {amount(abs(each.points))} points: {each.reason}."


def _released(mark: Mark) -> Iterator[str]:
    told = mark.released
    if told is None:
        return
    day = told.when[:10]
    if mark.state is State.WAITING:
        yield f"The mark of {amount(told.points)} that was released on {day} is kept until it is judged."
    elif mark.flagged:
        yield (
            f"FLAG: it was released as {amount(told.points)} on {day} and would be {amount(mark.found)} now, "
            f"{_why_lower(mark)}. The released mark is kept until you run: "
            f"grader class feedback {mark.assignment.exercise} --student {mark.student} --accept"
        )
    elif mark.risen:
        yield f"It was released as {amount(told.points)} on {day}, and has risen since: release it again."


def _stands(mark: Mark) -> Iterator[str]:
    if mark.released is not None and (mark.flagged or mark.state is State.WAITING):
        when = mark.released.when[:10]
        yield f"The mark of {amount(mark.released.points)} that was released on {when} is kept."


def _why_lower(mark: Mark) -> str:
    told, record = mark.released, mark.record
    assert told is not None
    if mark.attempt is None:
        return "since no hand-in counts any more"
    if record is None or not told.record:
        return "since what was handed in is another"
    if record.key.grader != told.grader:
        return f"graded by {record.key.grader} instead of {told.grader}"
    if record.key.exercise_version != told.exercise_version:
        return f"judged by version {record.key.exercise_version} of the exercise, not {told.exercise_version}"
    if record.key.name != told.record:
        return "since another hand-in counts"
    return "since it was graded again, or what people entered, course.toml or a table beside it changed"


def _result(mark: Mark) -> str:
    if not mark.counts:
        return f"So far it does not count: {mark.state}."
    weight = amount(mark.assignment.weight)
    return f"Mark: {amount(mark.points)} of 100, with weight {weight}."


def local_time(moment: datetime, zone: ZoneInfo) -> str:
    """A time in the class's time zone."""
    return moment.astimezone(zone).strftime("%Y-%m-%d %H:%M %Z")
