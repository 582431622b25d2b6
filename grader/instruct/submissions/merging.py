"""Assign submissions imported under LMS names, without a roster, to student ids.

An LMS's number and the id in the roster are one person, who would stand twice in the marks.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path

from cusimt.support.words import listed
from grader.instruct.submissions.file_matching import Chosen
from grader.instruct.submissions.placing import holds, is_there, set_aside, writing
from grader.support.durable import make_private, sync_folder


def in_the_way(into: Path, student: str, former: Iterable[str], slug: str, chosen: Chosen) -> list[str]:
    """Where another submission of this person lies: which one counts is not ours to say."""
    where = {student: "there already"}
    where |= {name: f"in {name}/{slug}, from an import without this roster" for name in former}
    places = [(into / name / slug, words) for name, words in where.items()]
    return [words for place, words in places if is_there(place) and not holds(place, chosen)]


def gather(into: Path, student: str, former: Iterable[str], slug: str) -> list[str]:
    """Move ``NAME/slug`` of ``former`` names to ``student``, or aside where there is a submission already.

    Returns a sentence about each. Raises UsageError where ``into`` cannot be written.
    """
    told = []
    place = into / student / slug
    with writing(into):
        for name in former:
            before = into / name / slug
            if is_there(before):
                after = set_aside(into, before) if is_there(place) else _moved(before, place)
                shown = after.relative_to(into.parent)
                told.append(f"{name}/{slug}, from an import without this roster, was moved to {shown}.")
            told += _left(into / name)
    return told


def _moved(before: Path, place: Path) -> Path:
    make_private(place.parent)
    before.rename(place)
    sync_folder(place.parent)
    return place


def _left(folder: Path) -> list[str]:
    """What of other exercises is still in the folder of an earlier name; without any, it goes."""
    if not folder.is_dir():
        return []
    with contextlib.suppress(OSError):  # it is not empty
        folder.rmdir()
        sync_folder(folder.parent)
        return []
    others = sorted(each.name for each in folder.iterdir())
    return [f"{folder.name} still holds {listed(others)}: import the archive of that with the roster, too."]
