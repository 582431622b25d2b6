"""`feedback_name.txt` beside a submission: what an LMS wants a file of feedback on it to be called.

Canvas attaches a file to the submission whose user's and attachment's numbers are in its name. Moodle looks
for the participant's number in the name of a folder.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from grader.instruct.submissions.layouts import MOODLE, Found, Handin
from grader.support.reading import KIB, read_below

NAME = "feedback_name.txt"
_PAGE = "feedback.html"


def name_for(found: Found, handin: Handin) -> str:
    """The name, from those in the archive; "" where it is not of such an LMS, or no text.

    Of several files of a student the newest upload stands for all.
    """
    path = max(handin.pieces, key=lambda each: each.order).entry.path
    if not found.numbered or not _is_text(str(path)):
        return ""
    if found.layout == "canvas":
        return path.name
    part = next(part for part in path.parts if MOODLE.fullmatch(part))
    if part != path.name:
        return str(PurePosixPath(part, _PAGE))
    rest = MOODLE.fullmatch(part)
    assert rest is not None
    return part.removesuffix(rest["rest"] or "") + _PAGE


def is_moodles(name: str) -> bool:
    """Whether it is a name for Moodle, and not for Canvas."""
    return MOODLE.fullmatch(PurePosixPath(name).parts[0]) is not None


def names_in(submissions: Path, slug: str) -> dict[str, str]:
    """By student, of those hand-ins to an exercise that an LMS gave out."""
    places = sorted(submissions.glob(f"*/{slug}/{NAME}"))
    return {place.parts[-3]: read_below(place.parent, NAME, KIB).decode() for place in places}


def _is_text(name: str) -> bool:
    """A folder's names may be any bytes, and those in a zip file are UTF-8."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
