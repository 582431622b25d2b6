"""Put a release into a folder, new or already worked in.

What a learner wrote is never overwritten and never removed. The files of ``edit`` are theirs: where both
sides changed one, theirs stays. What else they changed is kept in ``.cu2grad/backups/`` before the release
takes its place. An update that is interrupted is taken up again by the same command.

Whoever updates a workspace may have more rights than the learner who fills it: no link in it is followed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from cusimt.support.words import reason
from grader.handout.manifest import MANIFEST, Manifest, Release, digest, read_manifest
from grader.support.backups import BACKUPS, new_backup
from grader.support.durable import PUBLIC, write_atomically
from grader.support.errors import UsageError
from grader.support.reading import Refused, read_below

_BACKUPS = f"{BACKUPS.as_posix()}/update"
_LARGEST = 64 << 20  # bytes of a file that an update looks at


@dataclass
class Changes:
    """What was done, in paths within the workspace. ``kept`` is the learner's where the release has another.

    ``backup`` holds the learner's versions of ``replaced``; None where there are none.
    """

    written: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    backup: Path | None = None


def create(release: Release, folder: Path) -> Changes:
    """Writes ``release`` into ``folder``, which is new or empty; else UsageError, and nothing is written."""
    with _writing(folder):
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise UsageError(
                f"{folder} is there already, and is no workspace.",
                "A workspace is made in a new folder.",
                "Move it away, then run the command again.",
            )
        # The manifest first: an update can finish what is begun.
        write_atomically(folder / MANIFEST, release.manifest().to_json(), PUBLIC)
        for path, content in release.files.items():
            write_atomically(folder / path, content, PUBLIC)
    return Changes(written=list(release.files))


def place(release: Release, folder: Path) -> Changes:
    """Makes the workspace ``folder``, or brings the one that is there up to ``release``."""
    return (update if (folder / MANIFEST).exists() else create)(release, folder)


def update(release: Release, folder: Path) -> Changes:
    """Brings the workspace in ``folder`` up to ``release``. Raises UsageError where there is no workspace."""
    there = _manifest_of(folder)
    before = there.files
    changes = Changes()
    with _writing(folder):
        _refuse_links(folder, {*release.files, *before, MANIFEST, _BACKUPS})
        for path, content in release.files.items():
            mine = path in release.edit or path in there.edit
            _bring(folder, path, content, before.get(path, ""), mine, changes)
        for path in sorted(before.keys() - release.files.keys()):
            _take_away(folder, path, before[path], changes)
        write_atomically(folder / MANIFEST, release.manifest().to_json(), PUBLIC)
    return changes


def _bring(folder: Path, path: str, new: bytes, before: str, mine: bool, changes: Changes) -> None:
    """One file of the release; ``before`` is the digest of what the last one had there."""
    target = folder / path
    found = _content(folder, path)
    if found == new:
        return
    if found is not None and digest(found) != before:  # the learner changed it
        if mine:
            if digest(new) != before:
                changes.kept.append(path)
            return
        changes.backup = changes.backup or new_backup(folder / _BACKUPS)
        write_atomically(changes.backup / path, found, PUBLIC)
        changes.replaced.append(path)
    else:
        changes.written.append(path)
    write_atomically(target, new, PUBLIC)


def _take_away(folder: Path, path: str, before: str, changes: Changes) -> None:
    """A file that the release has no more: it is deleted if unchanged."""
    found = _content(folder, path)
    if found is None:
        return
    if digest(found) != before:
        changes.left.append(path)
        return
    target = folder / path
    target.unlink()
    changes.removed.append(path)
    for parent in target.parents:
        if parent == folder or any(parent.iterdir()):
            break
        parent.rmdir()


def _manifest_of(folder: Path) -> Manifest:
    try:
        return read_manifest(read_below(folder.resolve(), MANIFEST, _LARGEST))
    except Refused as refusal:
        raise _in_the_way(folder / MANIFEST, str(refusal)) from refusal
    except (OSError, ValueError) as error:
        why = reason(error)
        raise UsageError(
            f"{folder.resolve()} is no workspace that can be brought up to date ({MANIFEST}: {why}).",
            "Only what grader class release made says what was handed out and what you wrote.",
            "Run it in that folder; without one, unpack the new version and copy your own files over.",
        ) from error


def _content(folder: Path, path: str) -> bytes | None:
    """What the workspace has at ``path``; None where there is nothing."""
    try:
        return read_below(folder.resolve(), path, _LARGEST)
    except FileNotFoundError:
        return None
    except Refused as reason:
        raise _in_the_way(folder / path, str(reason)) from reason


def _refuse_links(folder: Path, paths: set[str]) -> None:
    """Raises UsageError, before anything is written, if one of ``paths`` is a link or lies behind one."""
    steps = {step for path in paths for step in (PurePosixPath(path), *PurePosixPath(path).parents)}
    for step in sorted(steps - {PurePosixPath(".")}):
        if (folder / step).is_symlink():
            raise _in_the_way(folder / step, "is a link")


def _in_the_way(path: Path, reason: str) -> UsageError:
    return UsageError(
        f"{path} {reason}.",
        "An update reads and writes plain files in the workspace, and nothing that a link leads to.",
        "Put a file or folder of your own in its place, or move it away; then run the command again.",
    )


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UsageError(
            f"{error.filename or folder} cannot be written: {error.strerror}.",
            "Nothing was lost: every file is as it was, or as the release has it.",
            "Make the folder writable and see that the disk has room, then run the command again.",
        ) from error
