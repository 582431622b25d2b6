"""Shows pytest, and the test explorer of an editor, one item for each check of each exercise.

    pytest exercises/03_fused_muladd        # the checks of one exercise, graded once
    pytest exercises -k gradient            # one check of every exercise

The items are the checks of `grader check`. See the guide "Editors" of the course.
"""

from grader.cli.pytest_items import pytest_collect_file

__all__ = ["pytest_collect_file"]
