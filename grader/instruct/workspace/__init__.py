"""Learners' folders, and pages of the course, without the answers.

    release = release_of(Catalog.open(course), ["00", "03"])
    place(release, Path("course-1"))
    Path("course-1.zip").write_bytes(pack(release, "course-1"))

What is handed out is searched for lines that stand in the solutions alone, before anything is written.
"""

from grader.instruct.workspace.archive import pack, read_archive
from grader.instruct.workspace.folder import Changes, create, place, update
from grader.instruct.workspace.lessons import Answers, given_away
from grader.instruct.workspace.release import Release, release_of

__all__ = [
    "Answers",
    "Changes",
    "Release",
    "create",
    "given_away",
    "pack",
    "place",
    "read_archive",
    "release_of",
    "update",
]
