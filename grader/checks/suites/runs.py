"""Running a learner's tests against one implementation after another, each in a worker of its own.

What is built is the implementation's, not the learner's: it is compiled once and kept in the cache, whoever
grades. The folder that the worker reads holds the test file and the implementation's op.py, under names that
do not tell which implementation it is.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

from grader import cache
from grader.build import Artifact, BuildRequest, build
from grader.build.request import Backend, Interface
from grader.checks.bench import Bench
from grader.errors import BrokenExercise, BrokenSpec, BuildFailed, SubmissionError
from grader.implementations import Implementation
from grader.processors import processors
from grader.run.failures import LoadFailed, WorkerTimeout
from grader.run.values import Arg
from grader.spec import Tests

_INSIDE = Path(__file__).resolve().parent / "inside.py"
_GRACE_SECONDS = 10.0  # for a run to say itself that its time is over, after what it could not interrupt
_PATIENCE = 5  # as in `inside`: wall-clock seconds for each second of processor time
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
    the file could not be collected; ``late`` names the test that ran when the time was over; ``crash`` says
    how the worker ended, while ``during`` ran.
    """

    passed: int = 0
    skipped: int = 0
    expected: int = 0
    failures: tuple[Failure, ...] = ()
    broken: str = ""
    late: str = ""
    crash: str = ""
    during: str = ""

    @property
    def accepted(self) -> bool:
        """Whether no test had anything against the implementation."""
        return not (self.failures or self.broken or self.late or self.crash)


def run_all(bench: Bench, implementations: Sequence[Implementation], first: bool) -> list[Run]:
    """One run for each, in their order; with ``first`` a run ends at its first failure."""
    at_once = min(_MOST_AT_ONCE, processors())
    with ThreadPoolExecutor(at_once, "build") as pool:
        artifacts = list(pool.map(lambda each: _built(bench, each), implementations))
    # Seeds that follow one another would tell a suite which implementation it is run against.
    drawn = (bench.generator("suite", number).initial_seed() for number in range(len(implementations)))
    seeds = [seed % _SEEDS for seed in drawn]
    asked = list(zip(implementations, artifacts, seeds, strict=True))
    # On a GPU, one run would slow down what another one times.
    at_once = 1 if bench.backend == "cuda" else at_once
    with ThreadPoolExecutor(at_once, "tests") as pool:
        runs = list(pool.map(lambda each: _run(bench, first, *each), asked))
    if at_once > 1:
        _repeat_late(runs, lambda number: _run(bench, first, *asked[number]), first)
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


def _run(bench: Bench, first: bool, implementation: Implementation, artifact: Artifact, seed: int) -> Run:
    tests = tests_of(bench)
    with TemporaryDirectory(dir=bench.scratch) as name:  # what runs beside it reads its own folder alone
        folder = Path(name)
        (folder / "op.py").write_text(implementation.files["op.py"], encoding="utf-8")
        audited = bench.artifact.sources.get(tests.file) if bench.artifact is not None else None
        if audited is None:
            shutil.copyfile(bench.files / tests.file, folder / tests.file)
        else:
            (folder / tests.file).write_text(audited, encoding="utf-8", newline="")
        return _run_in_worker(bench, tests, artifact, folder, first, seed)


def _run_in_worker(
    bench: Bench, tests: Tests, artifact: Artifact, folder: Path, first: bool, seed: int
) -> Run:
    simulated = bench.backend == "simt"
    arguments: list[Arg] = [
        str(folder / tests.file),
        bench.spec.entry,
        first,
        float(tests.seconds),
        simulated,
        seed,
    ]
    with bench.spawn() as session:
        wall = _PATIENCE * tests.seconds + _GRACE_SECONDS
        session.limits = replace(session.limits, seconds=wall)
        try:
            session.load(artifact, folder / "op.py", folder)
            reply = session.run_inside(f"{_INSIDE}:run", arguments, seconds=wall)
        except LoadFailed as failure:
            raise BrokenExercise(
                f"An implementation of {bench.exercise.slug} does not load.",
                failure.what,
                "Tests are run against implementations that do.",
            ) from failure
        except WorkerTimeout as failure:
            return Run(late=_running(failure) or tests.file, failures=_failed(failure))
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
    """What came back, which is a claim: anything but the form that is asked for is a broken suite."""
    try:
        found = json.loads(answer)
        failures = tuple(_failure(each) for each in found["failures"])
        passed, skipped, expected = (max(0, int(found[name])) for name in ("passed", "skipped", "expected"))
        return Run(passed, skipped, expected, failures, str(found["broken"]), str(found["late"]))
    except _NO_CLAIM:
        return Run(broken="the run ended without saying how")


def _built(bench: Bench, implementation: Implementation) -> Artifact:
    """The implementation's library, compiled from a folder that only its sources decide."""
    facts = bench.exercise.build
    sources = {name: text for name, text in implementation.files.items() if not name.endswith(".py")}
    with cache.entry(["sources", *itertools.chain(*sorted(sources.items()))], room="implementations") as slot:
        if slot.missing:
            _write(sources, slot.folder)
    request = BuildRequest(
        name=facts.name,
        interface=cast("Interface", facts.interface),
        sources=tuple(slot.path / name for name in facts.sources),
        backend=cast("Backend", bench.backend),
        checked=bench.backend == "simt",
        cuda_flags=facts.cuda_flags,
    )
    try:
        return build(request)
    except BuildFailed as failure:
        raise BrokenExercise(
            f"The implementation {implementation.name!r} of {bench.exercise.slug} does not compile.",
            failure.diagnostics or failure.what,
            "Tests are run against implementations that do.",
        ) from failure


def _write(files: Mapping[str, str], folder: Path) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
