"""Put imported submissions where nbgrader and `grader class grade` look, keeping earlier ones."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum, StrEnum, auto
from pathlib import Path

from cusimt.support.words import listed
from grader.instruct.submissions import timestamps
from grader.instruct.submissions.archives import FolderSource
from grader.instruct.submissions.file_matching import OURS, Chosen
from grader.instruct.submissions.folder import submission_in
from grader.instruct.submissions.submission import NOTEBOOK_BYTES
from grader.support.durable import make_private, sync_folder, write_atomically
from grader.support.errors import UsageError
from grader.support.reading import Refused


class Placement(StrEnum):
    """What became of a submission on disk."""

    NEW = "new"
    SAME = "as it was"
    MOVED = "moved"
    CORRECTED = "time corrected"
    REPLACED = "replaced"
    DIFFERS = "refused"


class Certainty(Enum):
    """What is known about a time: it, that it was no later, or nothing."""

    KNOWN = auto()
    AT_LATEST = auto()
    GUESSED = auto()


@dataclass(frozen=True)
class Stamp:
    """When something was handed in, aware, and how well that is known."""

    moment: datetime
    certainty: Certainty

    def corrects(self, there: datetime | None) -> bool:
        """Whether it takes the place of the time that was written before; None: of one nobody can read."""
        if self.certainty is Certainty.GUESSED:
            return False
        if there is None:
            return True
        return there > self.moment or (self.certainty is Certainty.KNOWN and there != self.moment)


def place_submission(
    into: Path, student: str, slug: str, chosen: Chosen, submitted: Stamp, replace: bool
) -> Placement:
    """Write ``into/student/slug/`` in one step, with nbgrader's time stamp, for this user alone.

    A submission that is there with the same files keeps its time stamp, unless ``submitted`` corrects it, and
    gets what stands in for a file that it lacks. One with other files stays, unless ``replace``; then it
    moves to ``INTO.replaced/STUDENT/SLUG/TIME``.

    Raises UsageError when ``into`` cannot be written, InfrastructureError when what is there cannot be read.
    """
    place = into / student / slug
    placement = Placement.NEW
    with writing(into):
        if is_there(place):
            if holds(place, chosen):
                _stand_in(place, chosen)
                return _stamped_again(place, submitted)
            if not replace:
                return Placement.DIFFERS
            placement = Placement.REPLACED
        make_private(place.parent)
        with tempfile.TemporaryDirectory(prefix=".incoming-", dir=into) as scratch:
            whole = Path(scratch) / slug
            stamped = {timestamps.NAME: timestamps.written(submitted.moment).encode()}
            for name, content in {**chosen.files, **stamped}.items():
                write_atomically(whole / name, content)  # on the disk before the folder gets its name
            if placement is Placement.REPLACED:
                set_aside(into, place)
            whole.rename(place)
            sync_folder(place.parent)
    return placement


@contextlib.contextmanager
def writing(into: Path) -> Iterator[None]:
    """Raises UsageError for what goes wrong on the disk meanwhile."""
    try:
        yield
    except OSError as error:
        raise UsageError(
            f"{error.filename or into} cannot be written: {error.strerror}.",
            "Submissions are unpacked to INTO/STUDENT/EXERCISE/; what was there is as it was.",
            "Make the folder writable and see that the disk has room, then run the command again.",
        ) from error


def is_there(place: Path) -> bool:
    """Whether anything has this name, a link that leads nowhere too."""
    return place.exists() or place.is_symlink()


def _stamped_again(place: Path, submitted: Stamp) -> Placement:
    """Put the time right that was a guess when the same files came before."""
    if not submitted.corrects(submission_in(place).submitted):
        return Placement.SAME
    write_atomically(place / timestamps.NAME, timestamps.written(submitted.moment))
    return Placement.CORRECTED


def _stand_in(place: Path, chosen: Chosen) -> None:
    name = chosen.stand_in
    if name and not is_there(place / name):
        write_atomically(place / name, chosen.files[name])


def holds(place: Path, chosen: Chosen) -> bool:
    """Whether ``place`` holds exactly the chosen files; stamps apart, and what stands in for one.

    That is as it was released when it came, and missing where nothing was released yet.
    """
    if place.is_symlink() or not place.is_dir():
        return False
    source = FolderSource(place)
    apart = (*OURS, chosen.stand_in)
    files = {name: content for name, content in chosen.files.items() if name not in apart}
    entries = {entry.name: entry for entry in source.entries if entry.name not in apart}
    try:
        return entries.keys() == files.keys() and all(
            source.read(entry, NOTEBOOK_BYTES) == files[name] for name, entry in entries.items()
        )
    except Refused:
        return False


def set_aside(into: Path, place: Path) -> Path:
    """Move ``place``, a submission in ``into``, to where replaced ones are kept; returns where that is."""
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
    kept = into.with_name(f"{into.name}.replaced") / place.relative_to(into) / stamp
    make_private(kept.parent)
    place.rename(kept)
    sync_folder(kept.parent)
    return kept


# ---- what was imported under a name of the LMS, without a roster ----


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
