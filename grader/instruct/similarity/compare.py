"""Similar submissions of a class: hints for a person who then reads both."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from grader.course.catalog import Catalog
from grader.course.exercise import Exercise
from grader.course.stubs import without_markers
from grader.instruct.similarity.comparison import Comparison, LookAlike
from grader.instruct.similarity.document import Document, Handout, document
from grader.instruct.similarity.passages import passages
from grader.instruct.similarity.scores import Prints, Scores, contained, fewest, overlaps, shares
from grader.instruct.submissions import Submission, files_of

SOLUTION = "the reference solution"
LEAST_OVERLAP = 0.7  # below it nothing is reported: authors of one short exercise come near by themselves
MOST = 50  # pairs that are reported for an exercise
_SEVERAL = 3  # hand-ins, from which on a class has a majority


def together_never(first: str, second: str) -> bool:
    """No two students submit together."""
    return False


def look_alikes(
    submissions: Sequence[Submission], exercise: Exercise, *,
    past: Mapping[str, Submission] | None = None,
    together: Callable[[str, str], bool] = together_never,
    most: int = MOST,
) -> list[LookAlike]:  # fmt: skip
    """The pairs of :func:`comparison_of`."""
    return comparison_of(submissions, exercise, past=past, together=together, most=most).pairs


def comparison_of(
    submissions: Sequence[Submission], exercise: Exercise, *,
    past: Mapping[str, Submission] | None = None,
    together: Callable[[str, str], bool] = together_never,
    most: int = MOST,
) -> Comparison:  # fmt: skip
    """This class with the stubs and the solution first, then with itself and ``past`` hand-ins (by label).

    Distributed code does not count. Who has the solution is compared with the others as one author: it
    explains what they have in common. ``together`` says who hands in as one and is not compared. The
    strongest pairs come first, at most ``most``.
    """
    handout = Handout.of(exercise)
    everybody = {
        each.student: _read(each, exercise, handout) for each in submissions if each.exercise == exercise.slug
    }
    own = {student: found for student, found in everybody.items() if found.stretches()}
    solution = _solution(exercise, handout)
    solved = dict(_like_solution(own, solution)) if solution else {}
    others = {student: each for student, each in own.items() if student not in solved}
    one = next(iter(solved), "")
    authors = {student: each for student, each in own.items() if student in others or student == one}
    before = {label: _read(each, exercise, handout) for label, each in (past or {}).items()}
    enough = fewest(LEAST_OVERLAP, len(authors) + len(before))
    found = [
        _look_alike(exercise, first, second, score, own[first], (own | before)[second])
        for first, second, score in islice(_pairs(authors, before, together), most)
    ]
    if solution is not None:
        found += [
            _look_alike(exercise, student, SOLUTION, score, own[student], solution)
            for student, score in islice(solved.items(), most)
        ]
    return Comparison(
        exercise.slug,
        len(everybody),
        sorted(found, key=lambda each: (-each.overlap, each.first, each.second))[:most],
        untouched=[student for student in everybody if student not in own],
        short=[
            student
            for student, each in own.items()
            if student not in solved and len(each.fingerprints(each.plain)) < enough
        ],
        solved=sorted(solved),
        alike=_most_alike(others, together, len(everybody)),
    )


def look_alikes_of_class(
    submissions: Sequence[Submission], catalog: Catalog, *,
    past: Sequence[Path] = (),
    together: Callable[[str], Callable[[str, str], bool]] = lambda slug: together_never,
) -> list[Comparison]:  # fmt: skip
    """:func:`comparison_of` of every exercise that somebody handed in, in the order of the catalog.

    ``past`` are folders of past terms, laid out as ``STUDENT/EXERCISE/``.
    """
    found = []
    for exercise in catalog.exercises:
        if any(each.exercise == exercise.slug for each in submissions):
            before = dict(each for folder in past for each in past_term(folder, exercise))
            found.append(comparison_of(submissions, exercise, past=before, together=together(exercise.slug)))
    return found


def past_term(folder: Path, exercise: Exercise) -> Iterator[tuple[str, Submission]]:
    """What a folder of a past term holds for ``exercise``, with ``FOLDER/STUDENT`` to name it."""
    for place in sorted(folder.glob(f"*/{exercise.slug}")):
        student = place.parent.name
        if place.is_dir() and not place.is_symlink() and not student.startswith("."):
            yield f"{shown(folder)}/{student}", Submission(student, exercise.slug, place)


def shown(folder: Path) -> str:
    """``folder`` as it is seen from here; two past terms may both be called ``submitted``."""
    return Path(os.path.relpath(folder)).as_posix()


def _read(submission: Submission, exercise: Exercise, handout: Handout) -> Document:
    files = files_of(submission, exercise)
    return document({name: text.decode("utf-8", "replace") for name, text in files.items()}, handout)


def _solution(exercise: Exercise, handout: Handout) -> Document | None:
    masters = {name: exercise.solution_dir / name for name in exercise.edit}
    texts = {
        name: without_markers(path.read_text(encoding="utf-8"))
        for name, path in masters.items()
        if path.is_file()
    }
    return document(texts, handout) if texts else None


def _pairs(
    own: Mapping[str, Document], before: Mapping[str, Document], together: Callable[[str, str], bool]
) -> Iterator[tuple[str, str, float]]:
    """(student, student or past hand-in, overlap) of all pairs that have enough in common, the most first.

    Names count for nothing here: who copies renames. Who hands in ``together`` is left out here already:
    a class of groups would fill every list, and hide who copied.
    """
    names = [*own, *before]
    prints = Prints.of([each.fingerprints(each.plain) for each in (*own.values(), *before.values())])
    scores = overlaps(prints, len(own)) if own else np.zeros((0, 0), dtype=np.float32)
    scores[:, : len(own)] = np.triu(
        scores[:, : len(own)], k=1
    )  # each pair once, and no student with themselves
    for first, second in _strongest(scores):
        if not together(names[first], names[second]):
            yield names[first], names[second], float(scores[first, second])


def _like_solution(own: Mapping[str, Document], solution: Document) -> Iterator[tuple[str, float]]:
    """(student, overlap) of those whose own text stands in the solution, the most first.

    Names count here: a short exercise has few right answers, and what tells is whose names they bear. How
    many others have the solution does not count: a class that copied it would hide each of them.
    """
    theirs = solution.fingerprints(solution.named)
    shares = {student: contained(each.fingerprints(each.named), theirs) for student, each in own.items()}
    for student in sorted(shares, key=lambda each: -shares[each]):
        if shares[student] >= LEAST_OVERLAP:
            yield student, shares[student]


def _most_alike(own: Mapping[str, Document], together: Callable[[str, str], bool], handins: int) -> list[str]:
    """The largest number of students around one text, where they are most of the class; else none."""
    students = list(own)
    if not students:
        return []
    near = shares(Prints.of([each.fingerprints(each.plain) for each in own.values()])) >= LEAST_OVERLAP
    first = int(np.argmax(near.sum(axis=1)))
    around = [students[other] for other in np.flatnonzero(near[first])]
    around = [each for each in around if each == students[first] or not together(each, students[first])]
    return around if len(around) >= _SEVERAL and 2 * len(around) > handins else []


def _strongest(scores: Scores) -> Iterator[tuple[int, int]]:
    """Places of what is worth a look, the largest first."""
    rows, columns = np.nonzero(scores >= LEAST_OVERLAP)
    for each in np.argsort(-scores[rows, columns], kind="stable"):
        yield int(rows[each]), int(columns[each])


def _look_alike(
    exercise: Exercise, first: str, second: str, score: float, one: Document, other: Document
) -> LookAlike:
    return LookAlike(
        exercise.slug, first, second, min(1.0, round(score, 3)),
        int(one.own.sum()), int(other.own.sum()), tuple(passages(one, other)),
    )  # fmt: skip
