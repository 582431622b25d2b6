"""The checks of exercises as items of pytest, for `pytest exercises/03_*` and the test explorers of editors.

A folder of exercises takes part with a ``conftest.py`` beside them that imports ``pytest_collect_file``. What
pytest would collect there otherwise, such as the ``test_op.py`` that a learner writes, is left out.

Collection reads ``exercise.toml`` alone. The first item of an exercise that runs grades the exercise; the
others read the same verdict, which is also kept for `grader list`.
"""

from __future__ import annotations

import warnings
from collections.abc import Generator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader.exercise import Exercise, read_exercise
from grader.report.plain import check_lines
from grader.report.words import results_for
from grader.verdict import NOT_JUDGED, CheckResult, Status, Verdict

_FACTS = "exercise.toml"
_VERDICTS = pytest.StashKey[dict[Path, Verdict]]()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Generator[None, list[Any], list[Any]]:
    """The file that stands for its exercise, and nothing else below the folder of an exercise."""
    found = yield
    root = next((each for each in file_path.parents if (each / _FACTS).is_file()), None)
    if root is None:
        return found
    exercise = read_exercise(root)
    if file_path.resolve() != exercise.root / _shown_file(exercise):
        return []
    return [ExerciseFile.of(exercise, file_path, parent)]


class ExerciseFile(pytest.File):
    """One exercise. It goes by the file that its learner edits first, which a click in an editor opens."""

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
        """The verdict of this session on the learner's files."""
        verdicts = self.config.stash.setdefault(_VERDICTS, {})
        if self.exercise.root not in verdicts:
            verdicts[self.exercise.root] = _grade(self.exercise)
        return verdicts[self.exercise.root]


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


def _grade(exercise: Exercise) -> Verdict:
    """As `grader check` does. pytest may turn warnings into errors, which no check asks for."""
    from grader.checks import grade
    from grader.cli.checking import found_backend, keep
    from grader.snapshot import taken

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with taken(exercise, exercise.root) as files:
            verdict = grade(exercise, files, backend=found_backend())
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


def _shown_file(exercise: Exercise) -> str:
    """The first file that the learner edits, unless it lies deeper than the exercise's folder."""
    return next((name for name in exercise.edit if "/" not in name), _FACTS)


def _limits_changes(exercise: Exercise) -> bool:
    sections = exercise.sections.values()
    return exercise.elsewhere is not None or any(each.max_changed is not None for each in sections)
