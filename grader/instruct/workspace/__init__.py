"""Learners' folders, and pages of the course, without the answers.

    release = release_of(Catalog.open(course), ["00", "03"])
    create(release, Path("course-1"))                # or: update(release, folder)
    write_archive(release, Path("course-1.zip"))

What is handed out is searched for lines that stand in the solutions alone, before anything is written.
"""

from grader.instruct.workspace.archive import read_archive, write_archive
from grader.instruct.workspace.folder import Changes, create, update
from grader.instruct.workspace.lessons import Answers
from grader.instruct.workspace.release import Release, release_of

__all__ = [
    "Answers",
    "Changes",
    "Release",
    "create",
    "read_archive",
    "release_of",
    "update",
    "write_archive",
]
