"""A learner's folder: the release that was handed out, as a zip file and on disk, and how it is updated.

    place(release, Path("course-1"))
    Path("course-1.zip").write_bytes(pack(release, "course-1"))
    update(read_archive(Path("course-2.zip")), Path("course-1"))     # what a learner wrote stays

What a release contains is decided where it is made: :mod:`grader.instruct.workspace`.
"""

from grader.handout.archive import pack, read_archive
from grader.handout.folder import Changes, create, place, update
from grader.handout.manifest import Release

__all__ = ["Changes", "Release", "create", "pack", "place", "read_archive", "update"]
