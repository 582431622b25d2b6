"""Running a learner's tests against one implementation after another, each in a worker of its own.

The folder that the worker reads holds the test file and the implementation's op.py, under names that do not
tell which implementation it is.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from cusimt.support.processors import processors
from grader.checks.bench import Bench
from grader.checks.suites.budget import PATIENCE, Budget, Ticker
from grader.checks.suites.builds import built
from grader.compilation import Artifact
from grader.course.implementations import Implementation
from grader.run.failures import LoadFailed, WorkerTimeout, once_more
from grader.run.values import Arg, Reply
from grader.specification import Tests
from grader.support.errors import BrokenExercise, BrokenSpec, SubmissionError

if TYPE_CHECKING:
    from grader.checks.results import Progress

_INSIDE = Path(__file__).resolve().parent / "inside.py"
_GRACE_SECONDS = 10.0  # for a run to say itself that its time is over, after what it could not interrupt
_MARK = "[tests] "
_FAILED = "[failed] "
_MOST_AT_ONCE = 4
_SEEDS = 2**62
# What reading a text raises that is not what was asked for.
_NO_CLAIM = (AttributeError, KeyError, MemoryError, OverflowError, RecursionError, TypeError, ValueError)


@dataclass(frozen=True)
class Failure:
    """A test that failed: ``line`` is the last one of the test file that was reached, 0 if unknown.

    ``caller`` is the line of the test where ``line`` is in a function that it calls, else 0. ``own`` is
    whether the test itself raised the exception: nothing that it asked for was judged.
    """

    test: str
    line: int
    message: str
    caller: int = 0
    own: bool = False


@dataclass(frozen=True)
class Run:
    """How the tests ended against one implementation.

    ``passed``, ``skipped`` and ``expected`` (failures that a test announces) count tests. ``broken`` says why
    the file could not be collected; ``late`` names the test that ran when the time was over, and ``waited``
    says that it was the time by the clock; ``crash`` says how the worker ended, while ``during`` ran.
    ``unrun``: there was no time left to begin.

    ``seconds`` of processor time is what the run took, or as many as a run may wait that long with.
    ``slowest`` has the slowest tests with theirs.
    """

    passed: int = 0
    skipped: int = 0
    expected: int = 0
    failures: tuple[Failure, ...] = ()
    broken: str = ""
    late: str = ""
    crash: str = ""
    during: str = ""
    waited: bool = False
    unrun: bool = False
    seconds: float = 0.0
    slowest: tuple[tuple[str, float], ...] = ()

    @property
    def accepted(self) -> bool:
        """Whether no test had anything against the implementation."""
        return not (self.failures or self.broken or self.late or self.crash)


def run_all(
    bench: Bench, implementations: Sequence[Implementation], first: bool, progress: Progress,
    budget: Budget | None = None, slowness: Sequence[float] = (),
) -> list[Run]:  # fmt: skip
    """One run for each, in their order; with ``first`` a run ends at its first failure.

    `progress` receives the number of finished runs. Once the ``budget`` is spent, no further run begins.
    ``slowness`` is that of each run's machine, by the times of its events (`inside.run`); by default 1.
    """
    budget = budget or Budget()
    total = len(implementations)
    at_once = min(_MOST_AT_ONCE, processors())
    tick = Ticker(progress, f"of {total} implementations compiled")
    with ThreadPoolExecutor(at_once, "build") as pool:
        artifacts = list(pool.map(lambda each: tick.after(built(bench, each)), implementations))
    # Seeds that follow one another would tell a suite which implementation it is run against.
    drawn = (bench.generator("suite", number).initial_seed() for number in range(total))
    seeds = [seed % _SEEDS for seed in drawn]
    asked = list(zip(implementations, artifacts, seeds, slowness or [1.0] * total, strict=True))
    # On a GPU, one run would slow down what another one times.
    at_once = 1 if bench.backend == "cuda" else at_once
    tick = Ticker(progress, f"of {total} implementations tested")
    with ThreadPoolExecutor(at_once, "tests") as pool:
        runs = list(pool.map(lambda each: tick.after(_run(bench, first, budget, *each)), asked))
    if at_once > 1:
        _repeat_late(runs, lambda number: _run(bench, first, budget, *asked[number]), first)
    return runs


def _repeat_late(runs: list[Run], alone: Callable[[int], Run], most: bool) -> None:
    """What was late beside others is asked again alone: a loaded machine is no fault, and sees no mistake.

    Without ``most`` one run that is late alone, too, is enough to know.
    """
    for number in [number for number, run in enumerate(runs) if run.late]:
        runs[number] = alone(number)
        if runs[number].late and not most:
            return


def tests_of(bench: Bench) -> Tests:
    """What the spec says about the tests; raises BrokenSpec for an exercise that has none."""
    tests = bench.spec.tests
    if tests is None or tests.file not in bench.exercise.edit:
        raise BrokenSpec(
            f"{bench.spec.path}: TESTS does not name a file that the learner edits.",
            "An exercise with points for `accepts` or `kills` says which file holds the tests.",
            'Write TESTS = Tests("test_op.py") with a name that is in `edit`.',
        )
    return tests


def _run(
    bench: Bench, first: bool, budget: Budget, implementation: Implementation, artifact: Artifact, seed: int,
    slowness: float,
) -> Run:  # fmt: skip
    if budget.spent:
        return Run(unrun=True)
    tests = tests_of(bench)
    with TemporaryDirectory(dir=bench.scratch) as name:  # what runs beside it reads its own folder alone
        folder = Path(name)
        (folder / "op.py").write_text(implementation.files["op.py"], encoding="utf-8")
        audited = bench.artifact.sources.get(tests.file) if bench.artifact is not None else None
        if audited is None:
            shutil.copyfile(bench.files / tests.file, folder / tests.file)
        else:
            (folder / tests.file).write_text(audited, encoding="utf-8", newline="")
        begun = time.monotonic()
        run = _run_in_worker(bench, tests, artifact, folder, first, seed, slowness)
        # What the worker says of its time is a claim; that it was not gone for longer is known.
        run = replace(run, seconds=max(run.seconds, (time.monotonic() - begun) / PATIENCE))
    budget.spend(run.seconds)
    return run


def _run_in_worker(
    bench: Bench, tests: Tests, artifact: Artifact, folder: Path, first: bool, seed: int, slowness: float
) -> Run:
    wall = float(PATIENCE * tests.seconds)
    arguments: list[Arg] = [
        *(str(folder / tests.file), bench.spec.entry, first),
        *(float(tests.seconds), wall, bench.backend == "simt", seed, slowness),
    ]
    with bench.spawn() as session:
        session.limits = replace(session.limits, seconds=wall + _GRACE_SECONDS)

        def answer() -> Reply:
            session.load(artifact, folder / "op.py", folder)
            return session.run_inside(f"{_INSIDE}:run", arguments, seconds=wall + _GRACE_SECONDS)

        try:
            reply = once_more(answer)
        except LoadFailed as failure:
            raise BrokenExercise(
                f"An implementation of {bench.exercise.slug} does not load.",
                failure.what,
                "Tests are run against implementations that do.",
            ) from failure
        except WorkerTimeout as failure:
            return Run(late=_running(failure) or tests.file, waited=True, failures=_failed(failure))
        except SubmissionError as failure:
            return Run(crash=failure.what, during=_running(failure), failures=_failed(failure))
    if reply.error is not None:
        return Run(broken=f"{reply.error.type}: {reply.error.message}")
    return _read(reply.outputs[0].value if reply.outputs else None)


def _running(failure: SubmissionError) -> str:
    """The last test that said its name."""
    said = [line for line in failure.printed.splitlines() if line.startswith(_MARK)]
    return said[-1].removeprefix(_MARK) if said else ""


def _failed(failure: SubmissionError) -> tuple[Failure, ...]:
    """The tests that said that they failed, before the run ended without an answer."""
    found = []
    for line in failure.printed.splitlines():
        if line.startswith(_FAILED):
            # The learner's tests print, too.
            with contextlib.suppress(*_NO_CLAIM):
                found.append(_failure(json.loads(line.removeprefix(_FAILED))))
    return tuple(found)


def _failure(each: Mapping[str, Any]) -> Failure:
    return Failure(
        *(str(each["test"]), int(each["line"]), str(each["message"])),
        *(int(each["caller"]), bool(each["own"])),
    )


def _read(answer: Any) -> Run:
    """The returned results, which are untrusted: any form but the required one is a broken suite."""
    try:
        found = json.loads(answer)
        failures = tuple(_failure(each) for each in found["failures"])
        passed, skipped, expected = (max(0, int(found[name])) for name in ("passed", "skipped", "expected"))
        return Run(
            *(passed, skipped, expected, failures, str(found["broken"]), str(found["late"])),
            waited=bool(found["waited"]),
            seconds=max(0.0, float(found["seconds"])),
            slowest=tuple((str(name), max(0.0, float(seconds))) for name, seconds in found["slowest"]),
        )
    except _NO_CLAIM:
        return Run(broken="the run ended without saying how")
