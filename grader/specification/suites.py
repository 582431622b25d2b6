"""Exercises in which the learner writes tests: the name of the test file, and its time limit.

    TESTS = Tests("test_op.py", seconds=20, total=300)

The suite is run against correct implementations, which it must accept, and against wrong ones, of which it
should refuse as many as it can. Which these are is said beside the solution, not here:
:mod:`grader.course.implementations`. ``ENTRY``, ``reference`` and ``CASES`` describe the operation as always.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from grader.specification.naming import of_kind


@dataclass(frozen=True)
class Tests:
    """``file``, one of those that the learner edits, is a file for pytest that does ``import op``.

    ``seconds`` of processor time bound one run of it against one implementation, and ``total`` those of all
    runs together; a run that waits may take five times that by the clock on the wall.
    """

    __test__: ClassVar = False  # its name is no invitation to pytest

    file: str
    seconds: float = 20.0
    total: float = 300.0


def checked(value: Any) -> Tests | None:
    """``TESTS`` as it is, or None without one; raises TypeError or ValueError when it makes no sense."""
    if value is None:
        return None
    tests: Tests = of_kind(Tests, value, "TESTS")
    if not tests.file.startswith("test_") or not tests.file.endswith(".py"):
        raise ValueError(f"TESTS.file is {tests.file!r}, but pytest collects test_NAME.py")
    if not tests.seconds > 0:
        raise ValueError(f"TESTS.seconds is {tests.seconds}, but every suite takes time")
    if not tests.total >= tests.seconds:
        raise ValueError(f"TESTS.total is {tests.total}, but one run alone may take {tests.seconds}")
    return tests
