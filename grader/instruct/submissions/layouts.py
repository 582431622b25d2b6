"""How each LMS lays out its archive of an assignment's submissions.

canvas       lovelaceada_LATE_4711_90210_kernel-1.cu      name, late, user, attachment, file
moodle       Ada Lovelace_12345_assignsubmission_file_/kernel.cu      name, participant; a folder or not,
                                                                      from Moodle 4.1 on without the last _
plain        ada/03_fused_muladd/kernel.cu, or ada/kernel.cu
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePosixPath

from grader.instruct.submissions.archives import Entry, Source
from grader.support.errors import UsageError

CANVAS = re.compile(
    r"(?P<name>(?:\w*?_)??)(?P<late>late_)?(?P<user>\d+|anon_[^_]+)_(?P<attachment>\d+)_(?P<file>.+)",
    re.IGNORECASE,
)
MOODLE = re.compile(
    r"(?P<name>.+)_(?P<participant>\d+)_assignsubmission_(?P<kind>file|onlinetext)(?:_(?P<rest>.*))?"
)
_MARK = re.compile(r"_\d+_assignsubmission_")
LITTER = ("__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini", ".ipynb_checkpoints", "__pycache__", ".git")


@dataclass(frozen=True)
class Piece:
    """One file of a submission: ``path`` within it, and ``order``, which is higher for a newer upload.

    ``late`` is what the LMS says of it by its name.
    """

    entry: Entry
    path: PurePosixPath
    order: int = 0
    late: bool = False


def newest(pieces: Iterable[Piece]) -> datetime | None:
    """When the latest of these files was modified, as far as the archive tells."""
    return max((piece.entry.modified for piece in pieces if piece.entry.modified), default=None)


@dataclass
class Handin:
    """What an archive holds of one person; ``owner`` are the names by which the LMS knows them, the best id
    first.
    """

    owner: tuple[str, ...]
    pieces: list[Piece] = field(default_factory=list)

    @property
    def late(self) -> bool:
        """Whether the LMS calls it late: it does so of all files of a submission, or of none."""
        return all(piece.late for piece in self.pieces)

    @property
    def unclear(self) -> bool:
        """Whether some files are called late and others not: somebody's name looks like the LMS's words."""
        return len({piece.late for piece in self.pieces}) > 1


@dataclass
class Found:
    """The hand-ins of an archive, and the files that belong to none of them.

    ``within`` is the folder of the class that everything lies in, where there is one.
    """

    layout: str = ""
    within: str = ""
    handins: dict[str, Handin] = field(default_factory=dict)
    strays: list[Entry] = field(default_factory=list)

    @property
    def numbered(self) -> bool:
        """Whether the layout has numbers of the LMS where a class has ids."""
        return self.layout in ("canvas", "moodle")

    def add(self, owner: tuple[str, ...], piece: Piece) -> None:
        """The first of the names of ``owner`` is no one else's."""
        self.handins.setdefault(owner[0], Handin(owner)).pieces.append(piece)


def read_layout(source: Source, layout: str, slug: str) -> Found:
    """What ``source`` holds, laid out as ``layout`` says; "auto" looks which one it is.

    Raises UsageError for an unknown layout, and where nobody's submission is found.
    """
    name = recognised(source) if layout == "auto" else layout
    if name not in LAYOUTS:
        raise UsageError(
            f"There is no layout {layout!r}.",
            f"An archive is laid out as {', '.join(LAYOUTS)} have it.",
            "Leave out --layout: it is recognised.",
        )
    found = LAYOUTS[name]([entry for entry in source.entries if not _litter(entry)], slug)
    found.layout = name
    if not found.handins:
        raise UsageError(
            f"No submission was found in {len(source.entries)} files, read as {name} lays them out.",
            "The names in the archive say whose a file is.",
            f"Name the layout ({', '.join(LAYOUTS)}) with --layout, or lay it out as STUDENT/{slug}/.",
        )
    return found


def recognised(source: Source) -> str:
    """The layout that the names in ``source`` have.

    One person's files never decide: they may be called what they like. So most of what lies at the top has
    to look alike.
    """
    paths = [entry.path for entry in source.entries if not _litter(entry)]
    first = {path.parts[0] for path in paths}
    # One folder around everything is a wrapper, unless it is called as Moodle calls that of its only student.
    wrapped = len(first) == 1 and all(
        len(path.parts) > 1 and not MOODLE.fullmatch(path.parts[0]) for path in paths
    )
    tops = {path.parts[1] for path in paths} if wrapped else first
    # The names that one person gave many files may look like another layout's, but never more of the names.
    alike = {
        layout: sum(pattern.fullmatch(top) is not None for top in tops)
        for layout, pattern in (("moodle", MOODLE), ("canvas", CANVAS))
    }
    layout = max(alike, key=alike.__getitem__)
    return layout if alike[layout] * 2 > len(tops) else "plain"


def _canvas(entries: Sequence[Entry], slug: str) -> Found:
    """Everything lies in one folder. A later upload of a name has a higher attachment number."""
    found = Found()
    for entry in entries:
        match = CANVAS.fullmatch(entry.path.name)
        if not match:
            found.strays.append(entry)
            continue
        user = match["user"]
        owner = (user, match["name"].strip("_")) if match["name"] else (user,)
        path, late = PurePosixPath(match["file"]), bool(match["late"])
        found.add(owner, Piece(entry, path, int(match["attachment"]), late))
    return found


def _moodle(entries: Sequence[Entry], slug: str) -> Found:
    """A folder for each participant, or where folders were turned off, its name before that of the file.

    A name of a person or a file in which these words stand again could be anybody's: it is left out.
    """
    found = Found()
    for entry in entries:
        parts = entry.path.parts
        matches = ((index, MOODLE.fullmatch(part)) for index, part in enumerate(parts))
        index, match = next(((at, match) for at, match in matches if match), (0, None))
        if match is None or len(_MARK.findall(parts[index])) > 1:
            found.strays.append(entry)
            continue
        rest = [match["rest"]] if match["rest"] else []
        path = PurePosixPath(*rest, *parts[index + 1 :])
        found.add((match["participant"], match["name"]), Piece(entry, path))
    return found


def _plain(entries: Sequence[Entry], slug: str) -> Found:
    """``STUDENT/SLUG/...`` or ``STUDENT/...``, maybe all in the folder of a class.

    How deep the students' folders lie is found out once. So no name within somebody's folder, whatever its
    owner called it, is taken for a student's.
    """
    paths = [entry.path for entry in entries]
    levels = zip(*(path.parent.parts for path in paths), strict=False)
    shared = [level[0] for level in itertools.takewhile(lambda level: len(set(level)) == 1, levels)]
    if slug in shared[2:]:  # submitted/ada/SLUG, or Ada's folder in which she wrote bob/SLUG: nobody can tell
        return Found(strays=[*entries])
    depth = len(shared) if _holds_a_class(len(shared), paths, slug) and slug not in shared[1:] else 0
    found = Found(within="/".join(shared[:depth]))
    for entry in entries:
        parts = entry.path.parts
        student = parts[depth] if len(parts) > depth + 1 else ""
        if student in ("", "/", ".."):
            found.strays.append(entry)
            continue
        inside = depth + 2 if parts[depth + 1] == slug and len(parts) > depth + 2 else depth + 1
        found.add((student,), Piece(entry, PurePosixPath(*parts[inside:])))
    return found


def _holds_a_class(depth: int, paths: Sequence[PurePosixPath], slug: str) -> bool:
    """Whether the folders at ``depth``, below one that holds everything, are students'.

    They are several. Files may lie beside them where each has a folder ``slug``.
    """
    below = [path for path in paths if len(path.parts) > depth + 1]
    folders = {path.parts[depth] for path in below}
    clear = len(below) == len(paths) or all(path.parts[depth + 1] == slug for path in below)
    return clear and len(folders) > 1 and not folders & {slug, "/", ".."}


def _litter(entry: Entry) -> bool:
    """What operating systems and tools leave behind in folders, and entries that are the folder itself."""
    return not entry.path.parts or any(part in LITTER or part.startswith("._") for part in entry.path.parts)


LAYOUTS: Mapping[str, Callable[[Sequence[Entry], str], Found]] = {
    "canvas": _canvas,
    "moodle": _moodle,
    "plain": _plain,
}
