"""Collect from nbgrader's exchange, where anyone may put anything."""

from __future__ import annotations

import errno
import os
import pwd
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any, TypedDict

from nbgrader.exchange.default import ExchangeCollect
from nbgrader.utils import ignore_patterns
from traitlets import Enum, List, Unicode

from grader.instruct.nbgrader.current_submission import exercise_of, released_in
from grader.instruct.nbgrader.hooks import is_plain
from grader.instruct.nbgrader.interrupted import add_notebook, noted, write_timestamp
from grader.instruct.submissions import timestamps
from grader.instruct.submissions.names import is_student

_NEVER = datetime.max  # of a folder that is not collected: after every deadline, and sorted last
_COPYING = timedelta(minutes=1)  # between the time in a folder's name and the end of nbgrader's own copy


class Handin(TypedDict):
    """One folder of the exchange, as nbgrader describes it; ``refused`` says why it is not collected."""

    username: str
    filename: str
    timestamp: datetime  # UTC, without a zone
    refused: str


class CollectExercises(ExchangeCollect):
    """Collects each student's own hand-ins, as files and folders alone, and goes on after a failure.

    The name of a folder says whose hand-in it is, and every user can make one. nbgrader

    - collects the newest folder, also one of another user, which it only logs;
    - follows links when it copies;
    - ignores a submission without the notebook, and does not autograde one whose timestamp it cannot read: an
      earlier grade stays;
    - deletes the old copy before an update, and stops for all where one submission cannot be copied.

    The learner writes the time of handing in, into the folder's name and into ``timestamp.txt``. What counts
    is when the file system last saw the hand-in change, which no user can set.

    What is left out is named, and the command fails in the end.
    """

    src_records: list[Handin]
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

    def _not_theirs(self, folder: Path, student: str) -> str:
        """Why ``folder`` is not that of ``student``, or "".

        Where all hand-ins are of the user who collects, as on some hubs, owners say nothing, and names are
        taken as they are.
        """
        owner = _owner(folder)
        if owner == student:
            return ""
        why = f"it belongs to {owner}, and not to {student}"
        if self.check_owner:
            return why
        if self._users == {os.getuid()} or owner in self.for_anybody:
            return ""
        return f"{why}; c.CollectExercises.for_anybody = [{owner!r}] accepts that"

    @cached_property
    def _users(self) -> set[int]:
        """Whom the folders of this exchange belong to."""
        return {each.lstat().st_uid for each in Path(self.inbound_path).iterdir()}

    def copy_files(self) -> None:
        self.log.info("Collecting %d submissions of %s", len(self.src_records), self.coursedir.assignment_id)
        for record in self.src_records:
            try:
                self._collect(record)
            except (OSError, RuntimeError) as problem:
                self._leave_out(record["filename"], str(problem))
        if self.left_out:
            self.fail("Not collected from {}:\n{}".format(self.inbound_path, "\n".join(self.left_out)))

    def do_copy(self, src: str, dest: str, log: Any = None) -> None:
        """Copy ``src`` as nbgrader does, within its limits, but for what is neither a file nor a folder."""
        size, most = self.get_size(src), 1000 * self.coursedir.max_dir_size
        if size > most:
            raise RuntimeError(f"{size} bytes are too many, CourseDirectory.max_dir_size allows {most}")
        limits = ignore_patterns(
            self.coursedir.ignore, self.coursedir.include, self.coursedir.max_file_size, self.log
        )

        def ignored(folder: str, names: list[str]) -> Iterable[str]:
            strange = [name for name in names if not is_plain(Path(folder, name))]
            for name in strange:
                self.log.warning("Left out, it is neither a file nor a folder: %s", Path(folder, name))
            return [*strange, *limits(folder, [name for name in names if name not in strange])]

        source = os.open(src, os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            _copy_folder(source, Path(src), Path(dest), ignored)
        finally:
            os.close(source)
        _open_up(Path(dest), shared=self.coursedir.groupshared)

    def _path_to_record(self, path: str) -> Handin:
        """As nbgrader's, but a folder that anybody made stops nobody else's from being collected."""
        name = Path(path).name
        words = [*name.rsplit("+", 3), "", ""]  # student, assignment, time, and something random or nothing
        when, refused = _NEVER, _why_not(Path(path), words[0], self._not_theirs)
        if not refused:
            try:
                when = self._came(Path(path), timestamps.read(words[2], self.timezone)).replace(tzinfo=None)
            except ValueError as problem:
                refused = f"{problem}; is c.Exchange.timezone that of the learners?"
            except OSError as problem:
                refused = str(problem)
        if refused:
            self._leave_out(name, refused)
        return Handin(username=words[0], filename=name, timestamp=when, refused=refused)

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

    def _sort_by_timestamp(self, records: Iterable[Handin]) -> list[Handin]:
        """The newest first, and what is refused last, so that it stands in nobody's way."""
        return sorted(records, key=lambda each: (not each["refused"], each["timestamp"]), reverse=True)

    def _leave_out(self, name: str, why: str) -> None:
        self.left_out.append(f"{name!r}: {why}")
        self.log.error("Not collected: %r: %s", name, why)

    def _collect(self, record: Handin) -> None:
        """Put one hand-in into its place; what was there stays until the new one is complete."""
        slug, student = self.coursedir.assignment_id, record["username"]
        place = Path(self.coursedir.format_path(self.coursedir.submitted_directory, student, slug))
        when = record["timestamp"].replace(tzinfo=UTC)
        if place.is_dir() and not self._takes_over(when, noted(place)):
            newer = "no newer one is there" if self.update else "--update takes a newer one"
            self.log.info("Already collected, and %s: %s %s", newer, student, slug)
            return
        self.log.info("Collecting: %s %s", student, slug)
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".collecting-", dir=place.parent) as scratch:
            whole = Path(scratch, slug)
            self.do_copy(str(Path(self.inbound_path, record["filename"])), str(whole))
            self._complete(whole, when)
            if place.exists():
                place.rename(Path(scratch, "earlier"))
            whole.rename(place)

    def _takes_over(self, when: datetime, earlier: datetime | None) -> bool:
        """As nbgrader has it: --update takes what is newer, --before-duedate also what is older."""
        if self.update and (earlier is None or when > earlier):
            return True
        return bool(self.before_duedate) and earlier != when

    def _complete(self, folder: Path, when: datetime) -> None:
        """Add what nbgrader needs beside the files that were handed in."""
        write_timestamp(folder, when)
        slug = self.coursedir.assignment_id
        if exercise_of(self.config.CoursePreprocessor.course, slug) is None:
            return
        if added := add_notebook(folder, released_in(self.coursedir, slug)):
            self.log.warning("%s was not handed in; the released notebook takes its place.", added.name)


def _last_change(folder: Path) -> datetime:
    """The newest change of status of ``folder`` and of all in it: the kernel sets it, from its own clock.

    A time of modification is whatever its owner says.
    """
    inside = (Path(parent, name) for parent, folders, files in os.walk(folder) for name in (*folders, *files))
    paths = (folder, *inside)
    return datetime.fromtimestamp(max(path.lstat().st_ctime for path in paths), UTC)


def _why_not(folder: Path, student: str, not_theirs: Callable[[Path, str], str]) -> str:
    """Why ``folder`` is no hand-in of ``student``, or ""."""
    if not is_student(student):
        return "that is no id of a student"
    try:
        if not stat.S_ISDIR(folder.lstat().st_mode):
            return "it is no folder"
        return not_theirs(folder, student)
    except OSError as problem:
        return str(problem)


def _owner(folder: Path) -> str:
    number = folder.lstat().st_uid
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"user {number}"


def _copy_folder(
    source: int, shown: Path, place: Path, ignored: Callable[[str, list[str]], Iterable[str]]
) -> None:
    """Copy the folder that ``source`` has open, and that ``shown`` names, with modes and times.

    Each entry is opened from the descriptor of its folder, and no link is followed, also when the learner
    exchanges a folder for one after it was listed: what only the instructor may read is copied for nobody.
    Raises RuntimeError for what is neither a file nor a folder any more.
    """
    names = os.listdir(source)
    left_out = set(ignored(str(shown), names))
    place.mkdir()
    for name in (name for name in names if name not in left_out):
        entry = _opened(name, source, shown)
        try:
            if stat.S_ISDIR(os.fstat(entry).st_mode):
                _copy_folder(entry, shown / name, place / name, ignored)
            else:
                _copy_file(entry, shown / name, place / name)
        finally:
            os.close(entry)
    _like(place, os.fstat(source))


def _opened(name: str, within: int, shown: Path) -> int:
    try:
        # A pipe would keep an opener waiting for a writer, for ever.
        return os.open(name, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=within)
    except OSError as problem:
        if problem.errno == errno.ELOOP:
            raise RuntimeError(f"{shown / name} became a link while it was copied") from problem
        raise


def _copy_file(source: int, shown: Path, place: Path) -> None:
    about = os.fstat(source)
    if not stat.S_ISREG(about.st_mode):
        raise RuntimeError(f"{shown} is no file any more")
    with os.fdopen(os.dup(source), "rb") as content, place.open("xb") as copy:
        shutil.copyfileobj(content, copy)
    _like(place, about)


def _like(place: Path, about: os.stat_result) -> None:
    os.utime(place, ns=(about.st_atime_ns, about.st_mtime_ns))
    place.chmod(stat.S_IMODE(about.st_mode) & 0o777)  # a copy is the instructor's: nothing runs as them


def _open_up(folder: Path, *, shared: bool) -> None:
    """Let the owner, or the whole group, write to all of a copy, which comes with the learner's modes."""
    to_folders, to_files = (0o2770, 0o660) if shared else (0o700, 0o600)
    for parent, _, files in os.walk(folder):
        for path in (Path(parent), *(Path(parent, name) for name in files)):
            if is_plain(path):
                path.chmod(stat.S_IMODE(path.stat().st_mode) | (to_folders if path.is_dir() else to_files))
