"""Feedback as a zip file that Canvas or Moodle takes, named as the submissions that it gave out.

Canvas attaches each file to the submission whose user's and attachment's numbers are in its name, and shows
it under the attachment's own name: so it is text, whatever that is called. Moodle looks for the participant's
number in the name of a folder.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from grader.instruct.submissions.archives import opened
from grader.instruct.submissions.importing import student_of
from grader.instruct.submissions.layouts import MOODLE, Found, Handin, read_layout
from grader.instruct.submissions.roster import Roster
from grader.support.errors import UsageError
from grader.support.zip_files import packed

_PAGE = "feedback.html"


@dataclass(frozen=True)
class Feedback:
    """The same twice: plain, and as a document that fetches nothing."""

    text: str
    html: str


@dataclass(frozen=True)
class Bundle:
    """The zip file, and whom it is for; ``without`` are those in the archive who have no feedback.

    ``layout`` is that of the LMS which takes it, or "".
    """

    layout: str
    content: bytes
    students: tuple[str, ...]
    without: tuple[str, ...]


def bundle(archive: Path | None, slug: str, roster: Roster | None, pages: Mapping[str, Feedback]) -> Bundle:
    """The feedback of everybody in ``archive``, what the LMS gave out, who has some in ``pages``, by student.

    Without an archive of Canvas or Moodle, pages are named by student. Raises UsageError for an archive that
    has no one with feedback, and for a folder with names that no zip file can have.
    """
    found = _found(archive, slug) if archive else None
    if found is None:
        files = {f"{student}.html": feedback.html for student, feedback in pages.items()}
        return Bundle("", packed(files), tuple(sorted(pages)), ())
    students: dict[str, str] = {}  # the name in the bundle for each
    without = []
    for handin in found.handins.values():
        ids = [student_of(owner, roster) or owner[0] for owner in handin.owners]
        for student in ids:
            if student in pages:
                students[student] = _name(found.layout, handin)
            else:
                without.append(student)
    if not students:
        raise UsageError(
            f"No one in {archive} has a mark for {slug}.",
            "Who a submission belongs to follows from the LMS's numbers, or from the roster of the import.",
            "Collect it again with its roster: grader class collect EXERCISE ARCHIVE --roster FILE",
        )
    text = found.layout == "canvas"
    files = {name: pages[each].text if text else pages[each].html for each, name in students.items()}
    try:
        content = packed(files)
    except UnicodeEncodeError as problem:  # of a folder, whose names may be any bytes
        raise UsageError(
            f"{archive} has a name that is not UTF-8: {problem.object!a}.",
            "Feedback bears the names that the LMS gave, and unpacking the folder changed this one.",
            "Collect the zip file as it was downloaded, in the place of the folder",
        ) from problem
    return Bundle(found.layout, content, tuple(sorted(students)), tuple(sorted(without)))


def _found(archive: Path, slug: str) -> Found | None:
    """What the archive holds, if it bears an LMS's names."""
    with opened(archive) as source:
        found = read_layout(source, "auto", slug)
    return found if found.numbered else None


def _name(layout: str, handin: Handin) -> str:
    """Of several files of a student the newest upload stands for all."""
    piece = max(handin.pieces, key=lambda each: each.order)
    path = piece.entry.path
    if layout == "canvas":
        return path.name
    part = next(part for part in path.parts if MOODLE.fullmatch(part))
    if part != path.name:
        return str(PurePosixPath(part, _PAGE))
    rest = MOODLE.fullmatch(part)
    assert rest is not None
    return part.removesuffix(rest["rest"] or "") + _PAGE
