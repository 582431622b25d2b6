"""Collect from nbgrader's exchange, where anyone may put anything."""

from __future__ import annotations

import os
import pwd
import shutil
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePosixPath
from typing import Any

from nbgrader.exchange import ExchangeError
from nbgrader.exchange.default import ExchangeCollect
from traitlets import Enum

from grader.instruct.submissions import timestamps
from grader.instruct.submissions.archives import FolderSource
from grader.instruct.submissions.names import is_student
from grader.support.errors import ExplainedError
from grader.support.reading import Refused

_COPYING = timedelta(minutes=1)  # between the time in a folder's name and the end of nbgrader's own copy


class CollectExercises(ExchangeCollect):
    """nbgrader's, but it collects each student's own hand-ins, follows no link, and goes on after a failure.

    The name of a folder says whose hand-in it is, and every user can make one. nbgrader collects the newest
    folder, also one of another user, which it only logs; copies what a link leads to; and stops for all where
    one submission cannot be copied.

    The learner writes the time of handing in, into the folder's name and into ``timestamp.txt``. What counts
    is when the file system last saw the hand-in change, which no user can set.

    What is left out is named, and the command fails in the end.
    """

    src_records: list[dict[str, Any]]
    clock = Enum(
        ("system", "name"), "system",
        help="Whose clock counts: the file system's, or that of the folder's name, which the learner writes. "
        "Choose `name` where the exchange was copied or restored, which makes everything in it new.",
    ).tag(config=True)  # fmt: skip

    def init_src(self) -> None:
        self.left_out: list[str] = []
        self._times: dict[str, datetime] = {}
        super().init_src()
        self.src_records = [record for record in self.src_records if record["filename"] in self._times]

    def _path_to_record(self, path: str) -> dict[str, Any]:
        """As nbgrader's; a folder that is not collected is alone in its group, and so in no one's way."""
        folder = Path(path)
        student = folder.name.rsplit("+", 3)[0]  # assignment, time, and something random
        try:
            self._insist(folder, student)
            when = self._came(folder, super()._path_to_record(path)["timestamp"])
        except (Refused, ExplainedError, ExchangeError, OSError, ValueError, OverflowError) as why:
            self._leave_out(folder.name, why)
            return {"username": folder.name, "filename": folder.name, "timestamp": datetime.max}
        self._times[folder.name] = when
        return {"username": student, "filename": folder.name, "timestamp": when}

    def _insist(self, folder: Path, student: str) -> None:
        """Raises Refused unless ``folder`` is a hand-in of ``student``; without ``check_owner`` it may be the
        collector's, as on hubs where all users are one.
        """
        if not is_student(student):
            raise Refused("that is no id of a student")
        status = folder.lstat()
        if not stat.S_ISDIR(status.st_mode):
            raise Refused("it is no folder")
        owner = _called(status.st_uid)
        if owner != student and (self.check_owner or status.st_uid != os.getuid()):
            raise Refused(f"it belongs to {owner}, and not to {student}")
        self._files_in(folder)  # now, since nbgrader deletes an earlier hand-in before it copies a newer one

    def _came(self, folder: Path, claimed: datetime) -> datetime:
        """When a hand-in was complete, by the clock that counts; UTC, without a zone."""
        changed = _last_change(folder)
        if self.clock == "name" or abs(changed - claimed) <= _COPYING:
            return claimed
        self.log.warning(
            "%s was last changed at %s by the file system's clock, which counts. If the exchange was copied "
            "or restored, set c.CollectExercises.clock = 'name'.", folder.name, changed,
        )  # fmt: skip
        return changed

    def do_copy(self, src: str, dest: str, log: Any = None) -> None:
        """As nbgrader's, without following a link, and with the time that counts."""
        folder, into = Path(src), Path(dest)
        try:
            for path, content in self._files_in(folder).items():
                (into / path).parent.mkdir(parents=True, exist_ok=True)
                (into / path).write_bytes(content)
            stamp = timestamps.written(self._times[folder.name].replace(tzinfo=UTC))
            (into / timestamps.NAME).write_text(stamp)
            if self.coursedir.groupshared:
                self.set_perms(dest, fileperms=0o660, dirperms=0o2770)
        except (OSError, Refused, ExplainedError) as why:
            shutil.rmtree(into, ignore_errors=True)
            self._leave_out(folder.name, why)

    def _files_in(self, folder: Path) -> dict[PurePosixPath, bytes]:
        """Read through descriptors that follow no link, up to nbgrader's limit for all. Raises Refused."""
        source, files, left = FolderSource(folder), {}, self.coursedir.max_dir_size * 1000
        for entry in source.entries:
            try:
                files[entry.path] = source.read(entry, left)
            except Refused as why:
                raise Refused(f"{entry.name} {why}") from why
            left -= len(files[entry.path])
        return files

    def copy_files(self) -> None:
        super().copy_files()
        if self.left_out:
            self.fail("Not collected from {}:\n{}".format(self.inbound_path, "\n".join(self.left_out)))

    def _leave_out(self, name: str, why: BaseException) -> None:
        self.left_out.append(f"{name!r}: {why}")
        self.log.error("Not collected: %r: %s", name, why)


def _last_change(folder: Path) -> datetime:
    """The newest change of status of ``folder`` and of all in it: the kernel sets it, from its own clock.

    A time of modification is whatever its owner says.
    """
    latest = max(path.lstat().st_ctime for path in (folder, *folder.rglob("*")))
    return datetime.fromtimestamp(latest, UTC).replace(tzinfo=None)


def _called(user: int) -> str:
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return f"user {user}"
