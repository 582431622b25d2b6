"""Import an LMS's archive into `submitted/STUDENT/EXERCISE/`, nbgrader's layout.

report = import_archive(Path("submissions.zip"), exercise=exercise, into=Path("submitted"))
print(*report.lines(), sep="\\n")
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from pathlib import Path

from cusimt.support.words import counted, listed, noun
from grader.course.exercise import Exercise
from grader.instruct.submissions import feedback_name, timestamps
from grader.instruct.submissions.archives import Source, opened
from grader.instruct.submissions.file_matching import Chosen, choose, fitting, shown
from grader.instruct.submissions.layouts import Found, Handin, Piece, newest, read_layout
from grader.instruct.submissions.names import is_student
from grader.instruct.submissions.placing import (
    Certainty,
    Placement,
    Stamp,
    gather,
    in_the_way,
    place_submission,
)
from grader.instruct.submissions.report import Intake, Report
from grader.instruct.submissions.roster import Roster
from grader.support.durable import make_private, write_atomically


def import_archive(
    archive: Path, *, exercise: Exercise, into: Path, layout: str = "auto", notebook: Path | None = None,
    roster: Roster | None = None, zone: tzinfo | None = None, due: datetime | None = None,
    replace: bool = False,
) -> Report:  # fmt: skip
    """Take everybody's files of ``exercise`` out of ``archive``, a zip file or a folder.

    ``notebook`` is the released one, for those who handed in none. ``zone`` is that of the
    times in a zip file, which name none; without it they are local times here. ``due`` (aware) is the time
    that a submission gets which the LMS calls in time without saying when it came. ``replace`` lets a
    submission take the place of one that is there, which is kept.

    Raises UsageError for an archive, layout or roster that cannot be used, and when nothing can be written.
    What is wrong with one person's files is reported, and does not stop the others'.
    """
    with opened(archive, zone) as source:
        found = read_layout(source, layout, exercise.slug)
        clock = _Clock(found.layout, roster, due)
        import_ = _Import(source, found, exercise, into, notebook, clock, replace)
        make_private(into)
        report = Report(
            strays=[f"{shown(stray.path)}: belongs to no student by its name." for stray in found.strays]
        )
        for student, handin, intake in _by_student(found, roster, report, import_.came):
            import_.take(student, handin, intake)
    report.intakes.sort(key=lambda intake: intake.student)
    report.notes += filter(None, (_about_folder(found), clock.note(), _about_numbers(found, roster)))
    return report


@dataclass
class _Import:
    """What is the same for every hand-in of an archive."""

    source: Source
    found: Found
    exercise: Exercise
    into: Path
    notebook: Path | None
    clock: _Clock
    replace: bool

    @property
    def expected(self) -> str:
        """The name of the notebook that belongs to a submission, or ""."""
        return self.notebook.name if self.notebook else ""

    def came(self, handin: Handin) -> datetime:
        """When it was handed in, as far as its files tell without being read; else before everything."""
        fit = newest(fitting(handin.pieces, self.exercise, self.expected))
        return fit or datetime.min.replace(tzinfo=UTC)

    def take(self, student: str, handin: Handin, intake: Intake) -> None:
        """Write what counts of ``handin``, and tell ``intake``."""

        def read(piece: Piece, limit: int) -> bytes:
            return self.source.read(piece.entry, limit)

        chosen = choose(handin.pieces, self.exercise, self.expected, read)
        intake.remarks += chosen.remarks
        intake.refused += chosen.refused
        if not chosen.files:
            taken = listed(self.exercise.edit)
            intake.refused.append(f"Nothing of it is a file of {self.exercise.slug}, which takes {taken}.")
            return
        missing = [name for name in self.exercise.edit if name not in chosen.files]
        if missing:
            intake.remarks.append(f"{listed(missing)} {noun(len(missing) == 1, 'is', 'are')} missing.")
        self._complete(chosen, intake)
        intake.taken = tuple(chosen.files)
        stamp = self.clock.time_of(handin, chosen.pieces, intake)
        intake.placement = self._place(student, chosen, stamp, intake)
        if not intake.failed:
            self._name_feedback(student, handin, intake)
        if intake.placement is Placement.CORRECTED:
            intake.remarks.append(f"It was handed in at {timestamps.written(stamp.moment)}: time corrected.")

    def _place(self, student: str, chosen: Chosen, stamp: Stamp, intake: Intake) -> Placement:
        """Write the files, and see that nothing of this person stays under another id."""
        slug = self.exercise.slug
        if not self.replace and (others := in_the_way(self.into, student, intake.former, slug, chosen)):
            intake.refused.append(f"Another submission is {listed(others)}; --replace keeps that one aside.")
            return Placement.DIFFERS
        moved = gather(self.into, student, intake.former, slug)
        intake.remarks += moved
        placement = place_submission(self.into, student, slug, chosen, stamp, self.replace)
        return Placement.MOVED if moved and placement is Placement.SAME else placement

    def _name_feedback(self, student: str, handin: Handin, intake: Intake) -> None:
        """Note what the LMS of this archive, the newest, wants feedback on it to be called."""
        name = feedback_name.name_for(self.found, handin)
        if name:
            write_atomically(self.into / student / self.exercise.slug / feedback_name.NAME, name)
        elif self.found.numbered:
            intake.remarks.append(
                "Its name is not UTF-8, and feedback bears that: collect the zip file as it was downloaded."
            )

    def _complete(self, chosen: Chosen, intake: Intake) -> None:
        """See that there is a notebook: nbgrader finds submissions by their notebooks."""
        if self.notebook is None:
            return
        name = self.notebook.name
        if name not in chosen.files:
            intake.remarks.append(f"{name} was missing and comes from the release.")
            chosen.files[name] = self.notebook.read_bytes()
            chosen.stand_in = name


@dataclass
class _Clock:
    """When things were handed in: what the LMS or the roster says, or else the best that can be told."""

    layout: str
    roster: Roster | None
    due: datetime | None
    guessed: int = 0

    def time_of(self, handin: Handin, taken: Iterable[Piece], intake: Intake) -> Stamp:
        """``taken`` are the files that count: a later one of something else makes nobody late."""
        times = self.roster.times if self.roster else {}
        if known := next((times[name] for name in handin.owner if name in times), None):
            return Stamp(known, Certainty.KNOWN)
        if handin.unclear:
            intake.remarks.append("Some of its files are called late and some not: see who handed them in.")
        told = newest(taken) or newest(handin.pieces) or datetime.now(UTC)
        if handin.late:
            intake.remarks.append("The LMS calls it late and not by how much: give its time in a roster.")
            return Stamp(told, Certainty.GUESSED)
        if self.due and self.layout == "canvas":  # the only one that marks what is late
            return Stamp(min(told, self.due), Certainty.AT_LATEST)
        self.guessed += 1
        return Stamp(told, Certainty.GUESSED)

    def note(self) -> str:
        """How many times are guesses, or ""."""
        if not self.guessed:
            return ""
        remedy = "--due, or a roster with times" if self.layout == "canvas" else "a roster with times"
        return (
            f"The archive does not say when {counted(self.guessed, 'submission')} came; the time stamps are "
            f"those of the files in it. To set that right, give {remedy}."
        )


def _by_student(
    found: Found, roster: Roster | None, report: Report, came: Callable[[Handin], datetime]
) -> list[tuple[str, Handin, Intake]]:
    """Every hand-in, with whose it is; of two of one student, the newer."""
    last: dict[str, tuple[Handin, Intake]] = {}
    for handin in sorted(found.handins.values(), key=came):
        owner = handin.owner
        student = student_of(owner, roster)
        intake = Intake(student or shown(" ".join(owner)))
        intake.called = "" if roster else shown(" ".join(name for name in owner if name != student))
        if not student:
            intake.refused.append(_unknown(owner, roster))
            report.intakes.append(intake)
            continue
        intake.former = _former(owner, roster)
        if student in last:
            intake.remarks.append("There are two submissions; the newer one counts.")
            intake.former = tuple(dict.fromkeys(intake.former + last[student][1].former))
        last[student] = handin, intake
    report.intakes += [intake for _, intake in last.values()]
    return [(student, handin, intake) for student, (handin, intake) in last.items()]


def student_of(owner: tuple[str, ...], roster: Roster | None) -> str:
    """The id of the person whom the LMS knows by these names, or ""."""
    if roster is None:
        return next((name for name in owner if is_student(name)), "")
    return next((roster.students[name] for name in owner if name in roster.students), "")


def _former(owner: tuple[str, ...], roster: Roster | None) -> tuple[str, ...]:
    """The id that an import without ``roster`` gives this person, where it is nobody's in the class."""
    name = student_of(owner, None)
    return (name,) if roster and name and name not in roster.students.values() else ()


def _unknown(owner: tuple[str, ...], roster: Roster | None) -> str:
    """Why nobody of the class is ``owner``, and what to do about it."""
    who = shown(owner[0])
    if roster is None:
        return (
            f"{who} cannot be an id. Write a CSV file with the columns lms,student and a line for {who}, "
            "then import again with --roster FILE."
        )
    return f"{who} is not in the roster; add a line for {who} to {roster.path or 'it'}."


def _about_folder(found: Found) -> str:
    return found.within and (
        f"Everything is in {shown(found.within)}: the folders in it are treated as students'."
    )


def _about_numbers(found: Found, roster: Roster | None) -> str:
    if roster or not found.numbered:
        return ""
    anew = ", which Moodle changes for every assignment" if found.layout == "moodle" else ""
    return f"Students are called by their numbers in the LMS{anew}: --roster FILE gives them your ids."
