"""Import a verdict from another machine into this course's progress, unverified."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cusimt.support.words import reason
from grader.course import progress
from grader.course.catalog import Catalog, Exercise
from grader.course.snapshot import digest_of
from grader.support.errors import UsageError
from grader.verdict import Verdict

_LARGEST = 16 << 20  # bytes: no verdict comes near it


@dataclass(frozen=True)
class Imported:
    """A verdict, its exercise here, and whether the files here are the ones that it is about."""

    exercise: Exercise
    verdict: Verdict
    same_files: bool


def import_verdict(file: Path, catalog: Catalog) -> Imported:
    """Read the verdict in ``file`` and keep it for `grader list` and `grader replay`, marked as imported.

    Raises UsageError where it is none, or none that this exercise can have.
    """
    verdict = Verdict.from_json(_text(file), str(file))
    exercise = catalog.find(verdict.exercise)
    _require_sense(exercise, verdict)
    told = verdict.versions.get("exercise", "")
    result = progress.Result(
        passed=verdict.passed,
        status=verdict.status.value,
        score=verdict.earned,
        backend=verdict.backend,
        version=int(told) if told.isdecimal() else 0,
        out_of=verdict.out_of,
        imported=True,
        digest=verdict.digest,
    )
    progress.store_verdict(exercise, verdict.to_json(), result)
    return Imported(exercise, verdict, verdict.digest == digest_of(exercise, exercise.root))


def _text(file: Path) -> str:
    try:
        if file.stat().st_size > _LARGEST:
            raise _not_for(file.name, f"it has more than {_LARGEST >> 20} MiB")
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{file} cannot be read: {reason(error)}.",
            "report.save() in a notebook writes a verdict, and so does grader check --json.",
            "Name such a file: grader import-verdict 03_fused_muladd.verdict.json",
        ) from None


def _require_sense(exercise: Exercise, verdict: Verdict) -> None:
    """Refuse what no grading of this exercise gives: a check twice, points beyond a check's own."""
    names = [check.name for check in verdict.checks]
    if len(set(names)) != len(names):
        raise _not_for(exercise.slug, "it has a check twice")
    if verdict.backend not in ("simt", "cuda"):
        raise _not_for(exercise.slug, f"its backend is {verdict.backend[:20]!r}")
    for check in verdict.checks:
        most = exercise.scores.get(check.name, check.out_of)
        if not 0 <= check.points <= check.out_of or check.out_of != most:
            raise _not_for(
                exercise.slug, f"{check.name[:40]} has {check.points:g} of {check.out_of:g} points"
            )
    if sum(check.out_of for check in verdict.checks) > sum(exercise.scores.values()):
        raise _not_for(exercise.slug, "its points are more than the exercise has")


def _not_for(slug: str, why: str) -> UsageError:
    return UsageError(
        f"This is no verdict on {slug} as it is in this course: {why}.",
        "A verdict holds the checks of its exercise, each once, with points up to those in exercise.toml.",
        "Import the file as the grader wrote it, into the course of the same version.",
    )
