"""Right submissions in other styles: the audit has nothing against their text, and some are graded.

`python -m tests.honest.grade` grades them all, which takes half an hour.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.audit import audit_python, audit_sources
from grader.audit.allowed_symbols import BACKENDS
from tests.honest.grade import complaints, graded
from tests.honest.reading import SUBMISSIONS, Submission

# One for each way in which the layers below the text could refuse: joined names, helpers that register
# operators, headers of CUDA's C++ library, loops and atomics that the translation puts calls of its own into.
GRADED = (
    *("muladd_xmacro", "muladd_checked_binding", "reduction_groups", "vector_add_raii"),
    "muladd_work_queue",
)


def test_there_are_eighty_of_them_over_eighteen_exercises() -> None:
    assert len(SUBMISSIONS) >= 80
    assert len({submission.slug for submission in SUBMISSIONS}) >= 18
    assert len({submission.style for submission in SUBMISSIONS}) == len(SUBMISSIONS)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("submission", SUBMISSIONS, ids=lambda each: each.name)
def test_the_audit_has_nothing_against_its_text(submission: Submission, backend: str, tmp_path: Path) -> None:
    files = submission.place(tmp_path)
    found = [audit_sources(submission.exercise(), files, backend), audit_python(submission.exercise(), files)]
    assert [each.sentence for each in found if each is not None] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "submission", [each for each in SUBMISSIONS if each.name in GRADED], ids=lambda each: each.name
)
def test_it_has_full_marks(submission: Submission) -> None:
    assert complaints(graded(submission)) == []
