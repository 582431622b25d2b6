"""Collect from nbgrader's exchange, where anyone may put anything, as `grader class collect` collects."""

from __future__ import annotations

import os
import pwd
import stat
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import TypedDict

from nbgrader.exchange.default import ExchangeCollect
from traitlets import Enum, List, Unicode

from grader.course.exercise import Exercise
from grader.instruct.nbgrader.current_submission import exercise_of, released_in
from grader.instruct.nbgrader.hooks import strange_entries
from grader.instruct.submissions import feedback_secret, timestamps
from grader.instruct.submissions.archives import FolderSource
from grader.instruct.submissions.folder import submission_in
from grader.instruct.submissions.importing import take_in
from grader.instruct.submissions.layouts import Found, Handin, Piece
from grader.instruct.submissions.names import is_student
from grader.support.errors import ExplainedError
from grader.support.reading import Refused

_NEVER = datetime.max  # of a folder that is not collected: after every deadline, and sorted last
_COPYING = timedelta(minutes=1)  # between the time in a folder's name and the end of nbgrader's own copy


class Record(TypedDict):
    """One folder of the exchange, as nbgrader describes it; ``refused`` says why it is not collected."""

    username: str
    filename: str
    timestamp: datetime  # UTC, without a zone
    refused: str


class CollectExercises(ExchangeCollect):
    """Collects each student's own hand-ins, follows no link, and goes on after a failure.

    The name of a folder says whose hand-in it is, and every user can make one. nbgrader collects the newest
    folder, also one of another user, which it only logs; copies what a link leads to; and stops for all where
    one submission cannot be copied. Here the files that count are taken, as from an LMS's archive. Of an
    assignment that is no exercise nbgrader copies hand-ins, unless they have a link.

    The learner writes the time of handing in, into the folder's name and into ``timestamp.txt``. What counts
    is when the file system last saw the hand-in change, which no user can set.

    What is left out is named, and the command fails in the end.
    """

    src_records: list[Record]
    clock = Enum(
        ("system", "name"), "system",
        help="Whose clock counts: the file system's, or that of the folder's name, which the learner writes. "
        "Choose `name` where the exchange was copied or restored, which makes everything in it new.",
    ).tag(config=True)  # fmt: skip
    for_anybody = List(
        Unicode(),
        help="Users, other than the only one, who may hand in for anybody, where check_owner is off.",
    ).tag(config=True)

    def init_src(self) -> None:
        self.left_out: list[str] = []
        super().init_src()
        self.src_records = [record for record in self.src_records if not record["refused"]]

    def _insist(self, folder: Path, student: str) -> None:
        """Raises Refused unless ``folder`` is a hand-in of ``student``, and OSError where nobody can tell.

        Where all hand-ins are of the user who collects, as on some hubs, owners say nothing, and names are
        taken as they are.
        """
        if not is_student(student):
            raise Refused("that is no id of a student")
        status = folder.lstat()
        if not stat.S_ISDIR(status.st_mode):
            raise Refused("it is no folder")
        owner = _called(status.st_uid)
        if owner != student and self.check_owner:
            raise Refused(f"it belongs to {owner}, and not to {student}")
        if owner != student and self._users != {os.getuid()} and owner not in self.for_anybody:
            accepted = f"c.CollectExercises.for_anybody = [{owner!r}] accepts that"
            raise Refused(f"it belongs to {owner}, and not to {student}; {accepted}")
        if self._exercise is None and strange_entries(folder):  # nbgrader copies what they lead to
            raise Refused("it has a link, or something that is neither a file nor a folder")

    @cached_property
    def _users(self) -> set[int]:
        """Whom the folders of this exchange belong to."""
        return {each.lstat().st_uid for each in Path(self.inbound_path).iterdir()}

    @cached_property
    def _exercise(self) -> Exercise | None:
        """What is collected, if it is one."""
        return exercise_of(self.config.GradedNotebook.course, self.coursedir.assignment_id)

    def copy_files(self) -> None:
        if self._exercise is None:
            super().copy_files()
        else:
            self.log.info("Collecting %d submissions of %s", len(self.src_records), self._exercise.slug)
            for record in self.src_records:
                try:
                    self._collect(self._exercise, record)
                except (OSError, ExplainedError) as problem:
                    self._leave_out(record["filename"], str(problem))
        if self.left_out:
            self.fail("Not collected from {}:\n{}".format(self.inbound_path, "\n".join(self.left_out)))

    def _path_to_record(self, path: str) -> Record:
        """As nbgrader's, but a folder that anybody made stops nobody else's from being collected."""
        folder = Path(path)
        words = [*folder.name.rsplit("+", 3), "", ""]  # student, assignment, time, and something random
        when, refused = _NEVER, ""
        try:
            self._insist(folder, words[0])
            when = self._came(folder, timestamps.read(words[2], self.timezone)).replace(tzinfo=None)
        except ValueError as problem:
            refused = f"{problem}; is c.Exchange.timezone that of the learners?"
        except (Refused, ExplainedError, OSError) as why:
            refused = str(why)
        if refused:
            self._leave_out(folder.name, refused)
        return Record(username=words[0], filename=folder.name, timestamp=when, refused=refused)

    def _came(self, folder: Path, claimed: datetime) -> datetime:
        """When a hand-in was complete, by the clock that counts."""
        changed = _last_change(folder) if self.clock == "system" else claimed
        if abs(changed - claimed) <= _COPYING:
            return claimed
        self.log.warning(
            "%s says %s, and the file system %s, which counts. If the exchange was copied or restored, set "
            "c.CollectExercises.clock = 'name'.",
            folder.name, timestamps.written(claimed), timestamps.written(changed),
        )  # fmt: skip
        return changed

    def _sort_by_timestamp(self, records: Iterable[Record]) -> list[Record]:
        """The newest first, and what is refused last, so that it stands in nobody's way."""
        return sorted(records, key=lambda each: (not each["refused"], each["timestamp"]), reverse=True)

    def _leave_out(self, name: str, why: str) -> None:
        self.left_out.append(f"{name!r}: {why}")
        self.log.error("Not collected: %r: %s", name, why)

    def _collect(self, exercise: Exercise, record: Record) -> None:
        """Take one hand-in in; what was there stays until the new one is complete, and is kept."""
        slug, student = exercise.slug, record["username"]
        there = Path(self.coursedir.format_path(self.coursedir.submitted_directory, student, slug))
        when = record["timestamp"].replace(tzinfo=UTC)
        if there.is_dir() and not self._takes_over(when, submission_in(there).submitted):
            newer = "no newer one is there" if self.update else "--update takes a newer one"
            self.log.info("Already collected, and %s: %s %s", newer, student, slug)
            return
        self.log.info("Collecting: %s %s", student, slug)
        folder = Path(self.inbound_path, record["filename"])
        source = FolderSource(folder)
        pieces = [Piece(entry, entry.path) for entry in source.entries]
        handin = Handin([(student,)], pieces, submitted=when, secret=feedback_secret.handed_in(folder))
        released = released_in(self.coursedir, slug) / f"{slug}.ipynb"
        notebook = released if released.is_file() else None
        found = Found("exchange", handins={student: handin})
        report = take_in(
            source, found, exercise=exercise, into=there.parents[1], notebook=notebook, replace=True
        )
        for line in report.lines()[:-1]:
            self.log.warning("%s", line)
        if report.exit_code:
            self._leave_out(record["filename"], " ".join(report.intakes[0].refused))
        elif self.coursedir.groupshared:
            self.set_perms(str(there), fileperms=0o660, dirperms=0o2770)

    def _takes_over(self, when: datetime, earlier: datetime | None) -> bool:
        """As nbgrader has it: --update takes what is newer, --before-duedate also what is older."""
        if self.update and (earlier is None or when > earlier):
            return True
        return bool(self.before_duedate) and earlier != when


def _last_change(folder: Path) -> datetime:
    """The newest change of status of ``folder`` and of all in it: the kernel sets it, from its own clock.

    A time of modification is whatever its owner says.
    """
    inside = (Path(parent, name) for parent, folders, files in os.walk(folder) for name in (*folders, *files))
    paths = (folder, *inside)
    return datetime.fromtimestamp(max(path.lstat().st_ctime for path in paths), UTC)


def _called(user: int) -> str:
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return f"user {user}"
