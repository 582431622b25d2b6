"""Grade every right submission in another style and say which ones lost a point.

Takes some 20 s each; run by hand: .venv/bin/python -m tests.honest.grade [NAME ...]
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from grader.checks import grade
from grader.compilation.devices import detect_backend
from grader.verdict import Verdict
from tests.desks import desk
from tests.honest.reading import SUBMISSIONS, Submission

SEED = 1


def graded(submission: Submission) -> Verdict:
    with desk(submission.exercise()) as folder:
        files = submission.place(folder)
        return grade(submission.exercise(), files, backend=detect_backend(), seed=SEED)  # type: ignore[arg-type]


def complaints(verdict: Verdict) -> list[str]:
    """What the verdict holds against a submission."""
    bad = [each for each in verdict.checks if each.status.stands_in_the_way]
    return [f"{each.name}: {each.sentence} {' '.join(each.lines)}" for each in bad]


def main(names: Sequence[str]) -> int:
    lost = 0
    for submission in SUBMISSIONS:
        if names and submission.name not in names:
            continue
        verdict = graded(submission)
        found = complaints(verdict)
        lost += bool(found)
        points = f"{verdict.earned:g} of {verdict.out_of:g}"
        print(f"{submission.name:28} {submission.slug:24} {points:10} {verdict.seconds:6.1f} s", flush=True)
        for line in found:
            print(f"    {line[:1500]}", flush=True)
    return 1 if lost else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
