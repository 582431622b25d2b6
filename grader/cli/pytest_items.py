"""The checks of exercises as pytest items, for `pytest exercises/03_*` and for editors.

A folder of exercises takes part with a ``conftest.py`` beside them that imports ``pytest_collect_file``.
Tests that a learner writes there run when the command line names their file, and not with the checks:
importing them would build the exercise.

Collection reads ``exercise.toml`` alone. The first item of an exercise that runs grades the exercise; the
others read the same verdict, which is also kept for `grader list`. If the exercise cannot be graded, each of
them fails with the reason.
"""

from __future__ import annotations

import warnings
from collections.abc import Generator, Iterator
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

from grader.course.exercise import Exercise, read_exercise
from grader.report.plain import check_lines
from grader.report.words import results_for
from grader.support.errors import ExplainedError
from grader.verdict import NOT_JUDGED, CheckResult, Status, Verdict

_FACTS = "exercise.toml"
_SUITE = "test_*.py"
_OUTCOMES = pytest.StashKey[dict[Path, Verdict | Exception]]()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Generator[None, list[Any], list[Any]]:
    """The file that represents its exercise, and the files in its folder that the user named."""
    found = yield
    root = next((each for each in file_path.parents if (each / _FACTS).is_file()), None)
    if root is None:
        return found
    named = parent.session.isinitpath(file_path)
    try:
        exercise = read_exercise(root)
    except ExplainedError as error:
        broken = named or file_path == root / _FACTS
        return [BrokenFile.of(error, file_path, parent)] if broken else []
    if file_path == root / _shown_file(exercise):
        return [ExerciseFile.of(exercise, file_path, parent)]
    return found if named else []


class BrokenFile(pytest.File):
    """An exercise whose facts cannot be read. Its collection fails with the sentences of the error."""

    error: ExplainedError

    @classmethod
    def of(cls, error: ExplainedError, path: Path, parent: pytest.Collector) -> BrokenFile:
        file: BrokenFile = cls.from_parent(parent, path=path)
        file.error = error
        return file

    def collect(self) -> Iterator[pytest.Item]:
        raise self.CollectError(_sentences(self.error))


class ExerciseFile(pytest.File):
    """One exercise. It goes by a file that its learner edits, which a click in an editor opens."""

    exercise: Exercise

    @classmethod
    def of(cls, exercise: Exercise, path: Path, parent: pytest.Collector) -> ExerciseFile:
        file: ExerciseFile = cls.from_parent(parent, path=path)
        file.exercise = exercise
        return file

    def collect(self) -> Iterator[CheckItem]:
        """The checks in the order of the verdict, with what may stand before them: open TODOs, the build."""
        names = ["todo", *(["changes"] if _limits_changes(self.exercise) else []), "build"]
        for name in [*names, *self.exercise.scores]:
            yield CheckItem.from_parent(self, name=name)

    def verdict(self) -> Verdict:
        """The verdict of this session on the learner's files. Raises CheckFailed where there can be none."""
        outcomes = self.config.stash.setdefault(_OUTCOMES, {})
        root = self.exercise.root
        if root not in outcomes:
            outcomes[root] = _outcome(self.exercise)
        match outcomes[root]:
            case Verdict() as verdict:
                return verdict
            case ExplainedError() as error:
                raise CheckFailed(_sentences(error)) from error
            case Exception() as error:
                raise RuntimeError(f"The grader itself failed on {self.exercise.slug}.") from error


class CheckItem(pytest.Item):
    """One check. It fails with the sentences of the verdict, and without a traceback."""

    def runtest(self) -> None:
        assert isinstance(self.parent, ExerciseFile)
        verdict = self.parent.verdict()
        results = results_for(verdict, self.name)
        failed = [each for each in results if each.status.stands_in_the_way]
        if failed:
            raise CheckFailed("\n".join(_lines(verdict, failed)))
        if not results and self.name not in ("todo", "changes"):  # which are there only when they fail
            pytest.skip("Nothing is written yet." if self.name == "build" else "There is nothing to check.")
        if results and all(each.status is not Status.PASS for each in results):
            pytest.skip(results[0].sentence)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *options: Any) -> Any:
        if isinstance(excinfo.value, CheckFailed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, *options)

    def reportinfo(self) -> tuple[Path, int, str]:
        assert isinstance(self.parent, ExerciseFile)
        return self.path, 0, f"{self.parent.exercise.slug}: {self.name}"


class CheckFailed(Exception):
    """A check that is not passed; the text is what the verdict says of it."""


def _outcome(exercise: Exercise) -> Verdict | Exception:
    """An exception is an outcome, too: grading again for the next item would only raise it again."""
    try:
        return _grade(exercise)
    except Exception as error:
        return error


def _grade(exercise: Exercise) -> Verdict:
    """As `grader check` does. pytest may turn warnings into errors, which no check asks for."""
    from grader.checks import grade
    from grader.cli.grading import keep
    from grader.compilation.devices import detect_backend
    from grader.course.snapshot import taken

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with taken(exercise, exercise.root) as files:
            verdict = grade(exercise, files, backend=detect_backend())
        verdict = replace(verdict, files=str(exercise.root))
    keep(exercise, verdict)
    return verdict


def _lines(verdict: Verdict, failed: list[CheckResult]) -> Iterator[str]:
    """The failed results, and where none of them was judged, the ones that stood before them."""
    for each in failed:
        yield from check_lines(each)
    if all(each.sentence.startswith(NOT_JUDGED) for each in failed):
        for each in verdict.checks:
            if each.status.stands_in_the_way and not each.sentence.startswith(NOT_JUDGED):
                yield from check_lines(each)
                break


def _sentences(error: ExplainedError) -> str:
    return "\n".join(part for part in (error.what, error.rule, error.next) if part)


def _shown_file(exercise: Exercise) -> str:
    """The first file that the learner edits, or else `exercise.toml`.

    A file in a folder below the exercise's does not qualify, and neither does one that is missing. A suite of
    tests has items of its own.
    """
    beside = (name for name in exercise.edit if "/" not in name and not fnmatch(name, _SUITE))
    return next((name for name in beside if (exercise.root / name).is_file()), _FACTS)


def _limits_changes(exercise: Exercise) -> bool:
    sections = exercise.sections.values()
    return exercise.elsewhere is not None or any(each.max_changed is not None for each in sections)
