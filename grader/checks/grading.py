"""One submission from its files to a verdict.

Three things take about a second each: the zygote importing torch, this process importing torch, and the
compiler. They run at the same time; nothing here may import torch before :func:`grade` has started the
other two.
"""

from __future__ import annotations

import importlib
import secrets
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, TypeAlias

from grader.catalog import Exercise
from grader.checks import build as building
from grader.checks import lanes, todo
from grader.checks.ending import ended_badly, printed
from grader.checks.origin import digest_of, lesson_for, versions_of
from grader.checks.outcome import Outcome
from grader.checks.registry import CHECKS, WITHOUT_CODE, WORKER_MODULES
from grader.checks.repairs import changed
from grader.errors import InfrastructureError, SubmissionError
from grader.run.spawn import Zygote
from grader.spec import Spec, load_spec
from grader.stubs import open_todos
from grader.verdict import NOT_JUDGED, CheckResult, Status, Verdict

if TYPE_CHECKING:
    from grader.build import Artifact
    from grader.build.request import Backend
    from grader.checks.bench import Bench
    from grader.run.session import Session

Progress: TypeAlias = Callable[[str], None]  # told the name of each stage as it begins


def grade(
    exercise: Exercise, files: Path, *, backend: Backend, seed: int | None = None, verbose: bool = False,
    progress: Progress | None = None, isolate: bool = False, owner: str = "", until: str = "",
    zygote: Zygote | None = None,
) -> Verdict:  # fmt: skip
    """Judge the submission in ``files``.

    ``seed`` makes every input the same as in an earlier verdict; ``isolate`` puts learner code into a
    sandbox; ``owner`` keeps what different people submit apart in the build cache; ``until`` names a check,
    after which nothing more is judged. ``zygote`` is one that serves several submissions, from
    `lanes.open_lane`; it is cleared afterwards, not closed.

    Raises:
        ValueError: `files` do not lie below the spool of `zygote`, or it is of another kind than asked for.
        BrokenSpec: the exercise itself is at fault. Everything a submission can do ends in the verdict, and
            so does a fault of the machine (``infra_error``).
    """
    seed = secrets.randbits(48) if seed is None else seed
    if zygote is not None:
        files = lanes.place_in(zygote, files, backend, isolate)
    grading = Grading(exercise, files, backend, seed, progress or (lambda stage: None), until, zygote)
    begun = time.perf_counter()
    grading.run(verbose, isolate, owner)
    return Verdict(
        exercise=exercise.slug,
        title=exercise.title,
        backend=backend,
        seed=seed,
        checks=tuple(grading.results),
        files=str(files),
        digest=digest_of(exercise, files),
        versions=versions_of(exercise),
        seconds=round(time.perf_counter() - begun, 3),
    )


@dataclass
class Grading:
    """One run: ``results`` fills up in the order of the checks."""

    exercise: Exercise
    files: Path
    backend: Backend
    seed: int
    progress: Progress
    until: str = ""
    lent: Zygote | None = None
    results: list[CheckResult] = field(default_factory=list)
    _scratch: str = field(default="", init=False)

    def run(self, verbose: bool, isolate: bool, owner: str) -> None:
        open_outcome = todo.check(self.exercise, self.files)
        if open_outcome is not None:
            self._add("todo", open_outcome, 0.0)
            nothing_to_see = "parts" not in self.exercise.scores  # a broken part shows what is wrong with it
            if nothing_to_see and todo.untouched(self.exercise, open_todos(self.exercise, self.files)):
                left = [name for name in self.exercise.scores if name not in WITHOUT_CODE]
                self._skip(left, Status.NOT_ATTEMPTED, f"{NOT_JUDGED}: nothing is written yet.")
                self._ask()
                return
        try:
            spool = self.lent.spool if self.lent is not None else None
            scratch = TemporaryDirectory(prefix="cu2grad-", dir=spool)
            with scratch as self._scratch, self._zygote(isolate) as zygote:
                self._judge(zygote, verbose, owner)
        except InfrastructureError as fault:
            self._blame_the_machine(fault)

    def _ask(self) -> None:
        """Questions are there to be read before anything is written."""
        if "answers" in self.exercise.scores:
            ask = importlib.import_module("grader.checks.questions.answers").ask
            self._add("answers", ask(self.exercise, load_spec(self.exercise), self.files), 0.0)

    def _zygote(self, isolate: bool) -> AbstractContextManager[Zygote]:
        if self.lent is not None:
            return lanes.cleared(self.lent)
        readable = (self.files, self.exercise.root, Path(self._scratch))
        modules = [name for check in self.exercise.scores for name in WORKER_MODULES.get(check, ())]
        return Zygote.start(self.backend, isolate, readable=readable, modules=modules)

    def _blame_the_machine(self, fault: InfrastructureError) -> None:
        """Say once what this machine could not do; nothing of it counts against the submission."""
        done = {result.name for result in self.results}
        first, *rest = [name for name in ("build", *self.exercise.scores) if name not in done]
        self._add(first, Outcome(Status.INFRA_ERROR, str(fault)), 0.0)
        self._skip(rest, Status.INFRA_ERROR, f"{NOT_JUDGED}: this machine could not go on.")

    def _judge(self, zygote: Zygote, verbose: bool, owner: str) -> None:
        with ThreadPoolExecutor(1, "import-torch") as pool:
            compiling = threading.Event()
            preparing = pool.submit(_prepare, self.exercise, self.backend, compiling)
            if self._is_changed_too_much():
                compiling.set()
                why = f"{NOT_JUDGED}: more was changed than a repair takes."
                self._give_up(zygote, preparing.result(), Status.FAIL, why)
                return
            self.progress("build")
            begun = time.perf_counter()
            try:
                built = building.compile_submission(
                    self.exercise, self.files, self.backend, owner, verbose, zygote.isolate, compiling.set
                )
            finally:
                compiling.set()
            if isinstance(built, Outcome):
                self._add("build", built, time.perf_counter() - begun)
                why = "it is refused" if built.topic == "audit" else "it does not build"
                self._give_up(zygote, preparing.result(), built.status, f"{NOT_JUDGED}: {why}.")
                return
            self._load_and_check(zygote, built, preparing, begun)

    def _is_changed_too_much(self) -> bool:
        excess = changed.check(self.exercise, self.files)
        if excess is not None:
            self._add("changes", excess, 0.0)
        return excess is not None and excess.status is Status.FAIL

    def _load_and_check(
        self, zygote: Zygote, artifact: Artifact, preparing: Future[Spec], begun: float
    ) -> None:
        spec = preparing.result()
        op_file = self.files / "op.py"

        with zygote.spawn_worker() as session:

            def load() -> None:
                session.load(artifact, op_file if op_file.is_file() else None, self.files)

            try:
                load()
            except SubmissionError as failure:
                outcome = building.load_failure(failure, artifact, self.exercise, self.files)
                self._add("build", outcome, time.perf_counter() - begun)
                self._give_up(zygote, spec, outcome.status, f"{NOT_JUDGED}: it does not load.")
                return
            bench = self._bench(zygote, spec, session, load)
            bench.artifact = artifact
            self._add("build", building.built(artifact), time.perf_counter() - begun)
            for name in self._judged(spec):
                if name == "parts":
                    self._check_parts(bench)
                else:
                    self._check(name, bench, self.exercise.scores[name])

    def _bench(self, zygote: Zygote, spec: Spec, session: Session, load: Callable[[], None]) -> Bench:
        from grader.checks.bench import Bench

        return Bench(
            self.exercise, spec, self.backend, self.seed, session, self.files, load, zygote.spawn_worker,
            Path(self._scratch),
        )  # fmt: skip

    def _give_up(self, zygote: Zygote, spec: Spec, status: Status, sentence: str) -> None:
        """There is no code to run: what needs none is judged all the same."""
        names = self._judged(spec)
        self._skip([name for name in names if name not in WITHOUT_CODE], status, sentence)
        with zygote.spawn_worker() as session:
            bench = self._bench(zygote, spec, session, lambda: None)
            for name in names:
                if name in WITHOUT_CODE:
                    self._check(name, bench, self.exercise.scores[name])

    def _judged(self, spec: Spec) -> list[str]:
        """The checks that exist for this exercise, in order; the others leave the denominator."""
        names = [
            name
            for name in CHECKS
            if name in self.exercise.scores and not (name == "gradient" and spec.gradient is None)
        ]
        order = ["build", *names]
        return order[1 : order.index(self.until) + 1] if self.until in order else names

    def _check_parts(self, bench: Bench) -> None:
        """One result for each part; what becomes of one leaves the others alone."""
        settled: set[str] = set()
        for spec in bench.spec.parts:
            assert spec.part is not None and spec.part.points is not None
            bench = replace(bench, spec=spec, calls=[], right=[], current_case="", tried=False)
            self._check(spec.part.name, bench, spec.part.points, CHECKS["parts"])
            if self.results[-1].status is Status.PASS:
                settled.update(spec.part.sections)
        # A part that is right has no open TODO, whatever comment still stands above the repair.
        if settled and self.results[0].name == "todo":
            del self.results[0]
            if left := todo.check(self.exercise, self.files, settled):
                self._add("todo", left, 0.0)
                self.results.insert(0, self.results.pop())

    def _check(self, name: str, bench: Bench, points: float, module: str = "") -> None:
        self.progress(name)
        check = importlib.import_module(f"grader.checks.{module or CHECKS[name]}").check
        begun = time.perf_counter()
        first_call = len(bench.calls)
        try:
            outcome: Outcome = check(bench)
        except SubmissionError as failure:
            outcome = ended_badly(failure, bench)
        bench.outcomes[name] = outcome
        if outcome.status.stands_in_the_way:
            outcome = replace(outcome, lines=(*outcome.lines, *printed(bench, first_call)))
        self._add(name, outcome, time.perf_counter() - begun, points)

    def _add(self, name: str, outcome: Outcome, seconds: float, points: float | None = None) -> None:
        out_of = self.exercise.scores.get(name, 0) if points is None else points
        lesson = lesson_for(self.exercise, outcome.topic)
        self.results.append(outcome.scored(name, out_of, seconds, lesson))

    def _skip(self, names: list[str], status: Status, sentence: str) -> None:
        for name in names:
            self._add(name, Outcome(status, sentence), 0.0)


def _prepare(exercise: Exercise, backend: Backend, compiling: threading.Event) -> Spec:
    """Import torch and what the checks need, and load the spec: all that does not need the build.

    It begins when the compilers run: while torch's libraries are loaded, which takes most of the time, no
    other thread gets to run Python, and the compilers would be started after that.
    """
    compiling.wait()
    for module in ("bench", *(CHECKS[name] for name in exercise.scores)):
        importlib.import_module(f"grader.checks.{module}")
    importlib.import_module("grader.run.session")
    import torch

    torch.set_num_threads(1)  # references are small, and a second thread would only wait for a busy core
    spec = load_spec(exercise)
    from grader.checks.values.devices import present, within

    return within(spec, present(backend))
