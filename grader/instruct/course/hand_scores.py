"""What people entered in nbgrader's formgrader: it belongs to the hand-in that they saw.

nbgrader's gradebook has one submission for each student and assignment. After another hand-in, the points
that a person gave stand beside files that nobody looked at. So ``RESULTS/formgrader.jsonl`` has a line for
each hand-in that a person marked, by pseudonym; the last line about a hand-in counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path

from grader.instruct.course.attempts import Attempt, read_roster
from grader.instruct.course.gradebook import CHECK, NOTHING, HandScore, Place, read_gradebook, written
from grader.instruct.course.release_log import now
from grader.instruct.results import ResultStore
from grader.instruct.results.lines import Lines, results_lock

FORMGRADER = "formgrader.jsonl"


class HandScores:
    """What people entered, for each hand-in. ``current`` is what nbgrader's gradebook says now."""

    def __init__(self, noted: Mapping[Place, HandScore], current: Mapping[Place, HandScore]) -> None:
        self._scores = {**noted, **current}
        self._with_questions = {place[1] for place, score in self._scores.items() if _has_questions(score)}
        self._marked = {place[:2]: place[2] for place, score in current.items() if score != NOTHING}

    def find(self, attempt: Attempt) -> HandScore:
        return self._scores.get((attempt.student, attempt.exercise, written(attempt.submitted)), NOTHING)

    def unread(self, attempt: Attempt) -> bool:
        """Whether the answers to an instructor's own questions in ``attempt`` are not in the gradebook yet,
        and autograding can put them there.
        """
        place = attempt.student, attempt.exercise, written(attempt.submitted)
        return attempt.present and attempt.exercise in self._with_questions and place not in self._scores

    def astray(self, student: str, exercise: str, attempts: Iterable[Attempt]) -> bool:
        """Whether a person marked a hand-in that is none of ``attempts``, one of which can be autograded: its
        time was corrected since, or another one came.
        """
        marked = self._marked.get((student, exercise))
        own = [each for each in attempts if each.student == student]
        return (
            marked is not None
            and any(each.present for each in own)
            and marked not in {written(each.submitted) for each in own}
        )


def note_hand_scores(store: ResultStore, gradebook: Path, student: str = "") -> HandScores:
    """Keeps what is new in ``gradebook``, nbgrader's, about everybody or ``student``; returns all there is.

    Without that file, what was kept is enough. Raises UsageError for a file that cannot be read.
    """
    lines = Lines(store.folder / FORMGRADER)
    current = read_gradebook(gradebook, student)
    if not (current or lines.path.exists()):
        return HandScores({}, {})
    with results_lock(store.folder, FORMGRADER):
        noted = dict(_noted(lines))
        new = []
        for (who, exercise, submitted), score in current.items():
            place = store.secret.pseudonym(who), exercise, submitted
            if noted.get(place, NOTHING) != score:
                new.append((place, score))
        if new:
            lines.append(*(_line(place, score) for place, score in new))
    names = read_roster(store.folder)
    found = {
        (names[name], exercise, submitted): score
        for (name, exercise, submitted), score in noted.items()
        if name in names
    }
    return HandScores(found, current)


def _has_questions(score: HandScore) -> bool:
    """Whether there are questions beside the checks."""
    return bool(score.further[1]) or any(not name.startswith(CHECK) for name in score.waiting)


def _line(place: Place, score: HandScore) -> dict[str, object]:
    student, exercise, submitted = place
    about = {"student": student, "exercise": exercise, "submitted": submitted}
    return {**about, **asdict(score), "noted": now()}


def _noted(lines: Lines) -> Iterator[tuple[Place, HandScore]]:
    for number, line in lines:
        try:
            place = line["student"], line["exercise"], line["submitted"]
            checks = {name: (points, out_of) for name, (points, out_of) in line["checks"].items()}
            points, out_of = line["further"]
            yield (
                place,
                HandScore(
                    checks, (points, out_of), line["extra"], tuple(line["waiting"]), tuple(line["comments"])
                ),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as problem:
            raise lines.broken(number, problem) from problem
