"""Feedback as a zip file that Canvas or Moodle takes, named as the submissions that it gave out.

Canvas shows a file under the name of the attachment that it is about: so it is text, whatever that is called.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from grader.instruct.submissions.feedback_name import is_moodles
from grader.support.zip_files import packed


@dataclass(frozen=True)
class Feedback:
    """The same twice: plain, and as a document that fetches nothing."""

    text: str
    html: str


@dataclass(frozen=True)
class Bundle:
    """The zip file, and whom it is for; ``without`` are those of the LMS who have no feedback.

    ``layout`` is that of the LMS which takes it, or "".
    """

    layout: str
    content: bytes
    students: tuple[str, ...]
    without: tuple[str, ...]


def bundle(names: Mapping[str, str], pages: Mapping[str, Feedback]) -> Bundle:
    """The feedback of ``pages``, for each student who has one of the LMS's ``names``; both by student.

    Where nobody has, pages are named by student.
    """
    students = sorted(names.keys() & pages.keys())
    if not students:
        files = {f"{student}.html": feedback.html for student, feedback in pages.items()}
        return Bundle("", packed(files), tuple(sorted(pages)), ())
    layout = "moodle" if is_moodles(names[students[0]]) else "canvas"
    files = {names[each]: pages[each].text if layout == "canvas" else pages[each].html for each in students}
    return Bundle(layout, packed(files), tuple(students), tuple(sorted(names.keys() - pages.keys())))
