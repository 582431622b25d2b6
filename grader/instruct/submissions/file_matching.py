"""Match uploaded files to those of the exercise, whatever an LMS renamed them to."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from grader.course.exercise import Exercise
from grader.instruct.submissions import feedback_name, timestamps
from grader.instruct.submissions.layouts import Piece
from grader.instruct.submissions.submission import FILE_BYTES, NOTEBOOK_BYTES, SUBMISSION_BYTES
from grader.support.reading import Refused, in_words

ARCHIVES = (".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar")
# Never taken from an archive: a student cannot submit the submission time.
OURS = (timestamps.NAME, feedback_name.NAME, "submission_secret.txt")
_COPY = re.compile(r"(?P<stem>.+?)(?:-(?P<dash>\d{1,3})| \((?P<paren>\d{1,3})\))(?P<suffix>(?:\.[^.]*)?)")
_SHOWN = 80

Read = Callable[[Piece, int], bytes]  # raises Refused


@dataclass
class Chosen:
    """The files that are taken, by the name they get; what is worth knowing; and what was not taken, why.

    ``pieces`` are those files as they were handed in; ``stand_in`` is the name of one that was not.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    pieces: list[Piece] = field(default_factory=list)
    stand_in: str = ""
    remarks: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Claim:
    """A piece that can be the file ``name``; the greatest ``rank`` of several is it."""

    name: str
    piece: Piece
    rank: tuple[int, ...]
    renamed: bool


def choose(pieces: Iterable[Piece], exercise: Exercise, notebook: str, read: Read) -> Chosen:
    """Read the files that ``exercise`` lets a learner edit, and the notebook of this name.

    Case, Unicode form, folders around it and the number of a repeated upload or download (``kernel-1.cu``,
    ``kernel (1).cu``) do not matter. Of several that fit, the newest counts.
    """
    chosen = Chosen()
    claims: dict[str, list[_Claim]] = {}
    for piece in pieces:
        claim = _claim(piece, exercise, notebook)
        if isinstance(claim, _Claim):
            claims.setdefault(claim.name, []).append(claim)
        elif claim:
            chosen.refused.append(f"{shown(piece.path)} {claim}.")
    for name, several in claims.items():
        ranked = sorted(several, key=lambda claim: claim.rank, reverse=True)
        _take(name, ranked, chosen, read, is_notebook=name == notebook)
    return chosen


def fitting(pieces: Iterable[Piece], exercise: Exercise, notebook: str) -> list[Piece]:
    """Those of ``pieces`` that `choose` would choose from."""
    return [piece for piece in pieces if isinstance(_claim(piece, exercise, notebook), _Claim)]


def _take(name: str, claims: list[_Claim], chosen: Chosen, read: Read, is_notebook: bool) -> None:
    """Read the best of ``claims``. One that is refused is not made up for by an older one."""
    best, *others = claims
    so_far = sum(len(content) for key, content in chosen.files.items() if not key.endswith(".ipynb"))
    try:
        content = read(best.piece, NOTEBOOK_BYTES if is_notebook else FILE_BYTES)
    except Refused as why:
        chosen.refused.append(f"{shown(best.piece.path)} {why}.")
        return
    if not is_notebook and so_far + len(content) > SUBMISSION_BYTES:
        chosen.refused.append(f"{name} makes the submission longer than {in_words(SUBMISSION_BYTES)}.")
        return
    chosen.files[name] = content
    chosen.pieces.append(best.piece)
    if not content.strip():
        chosen.remarks.append(f"{name} is empty.")
    if best.renamed:
        chosen.remarks.append(f"{shown(best.piece.path)} was taken as {name}.")
    for other in others:
        chosen.refused.append(f"{shown(other.piece.path)} is an older or second {name}; one counts.")


def _claim(piece: Piece, exercise: Exercise, notebook: str) -> _Claim | str:
    """What ``piece`` can be taken for, or why it is not taken; "" where nobody needs to know."""
    path = piece.path
    if path.name in OURS:
        return ""
    if path.suffix.lower() in ARCHIVES:
        return "is an archive inside of the archive and stays packed: ask for the files themselves"
    copy = _COPY.fullmatch(path.name)
    copies = [(path, 0)]
    if copy:
        number = int(copy["dash"] or copy["paren"])
        copies.append((path.parent / (copy["stem"] + copy["suffix"]), number))
    for candidate, number in copies:
        name = _named(candidate, exercise.edit)
        if name or (notebook and _folded(candidate.name) == _folded(notebook)):
            name = name or notebook
            exact = path.as_posix() == name
            return _Claim(name, piece, (piece.order, exact, -len(path.parts), number), not exact)
    if _named(path, exercise.given):
        return ""
    if notebook and path.suffix.lower() == ".ipynb":
        return _Claim(notebook, piece, (-1, piece.order, -len(path.parts)), True)
    return f"is not a file of {exercise.slug}"


def _named(path: PurePosixPath, names: Iterable[str]) -> str:
    """The one of ``names`` that ``path`` ends in; without a folder of its own, its last part is enough."""
    folded = _folded(path.as_posix())
    for name in names:
        if folded == _folded(name) or folded.endswith("/" + _folded(name)):
            return name
    if len(path.parts) == 1:
        same = [name for name in names if _folded(PurePosixPath(name).name) == folded]
        if len(same) == 1:
            return same[0]
    return ""


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()


def shown(name: PurePosixPath | str) -> str:
    """A name from an archive, fit to be printed: on a terminal, too, and in one line."""
    text = "".join(each if each.isprintable() else "?" for each in str(name))
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
