"""`nbgrader zip_collect`: which student an archive belongs to."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from nbgrader.api import Gradebook
from nbgrader.plugins import FileNameCollectorPlugin

from grader.instruct.course import class_in, read_people
from grader.instruct.submissions.names import is_student


class CollectArchives(FileNameCollectorPlugin):
    """Takes ``extracted/ARCHIVE/...`` for whom the archive is named after: ``ID`` or ``ID_whatever``.

    An id may have underscores, too, so that of all ids known the longest one counts. What is inside of an
    archive is its owner's, however it is called there. A ``named_regexp`` of one's own takes its place.
    """

    def _match(self, filename: str) -> dict[str, str] | None:
        if self.named_regexp:
            found: dict[str, str] | None = super()._match(filename)
            return found
        app = self.parent
        archive, *rest = Path(filename).relative_to(app._format_collect_path(app.extracted_directory)).parts
        if rest[:1] == [app.coursedir.assignment_id]:
            rest = rest[1:]
        student = self._owner(archive) if rest else ""
        if not student:
            self.log.error("Not collected, it is not known whose it is: %r", filename)
            return None
        return {"student_id": student, "file_id": str(Path(*rest))}

    def _owner(self, archive: str) -> str:
        """The id that ``archive`` begins with, or "" where that is not clear."""
        named = [each for each in self._students if f"{archive}_".startswith(f"{each}_")]
        if named:
            return max(named, key=len)
        return archive if is_student(archive) and "_" not in archive else ""

    @cached_property
    def _students(self) -> frozenset[str]:
        """The ids in students.csv and in the gradebook."""
        courses = self.parent.coursedir
        with Gradebook(courses.db_url, courses.course_id) as gradebook:
            known = {student.id for student in gradebook.students}
        course = class_in(Path(courses.root)).course
        return frozenset(known | set(read_people(course).students if course else ()))
