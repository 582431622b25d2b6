"""Grade one submission: from its files to a verdict.

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
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from cusimt.support.scratch import scratch
from grader.checks import build as building
from grader.checks import lanes, todo
from grader.checks.outcome import Outcome
from grader.checks.provenance import versions_of
from grader.checks.registry import CHECKS, WITHOUT_CODE, worker_modules
from grader.checks.repairs import change_size
from grader.checks.results import Progress, Results
from grader.course.catalog import Exercise
from grader.course.snapshot import digest_of
from grader.course.stubs import open_todos
from grader.run.failures import once_more
from grader.run.zygote_handle import Zygote
from grader.specification import Spec, load_spec
from grader.support import machine
from grader.support.errors import InfrastructureError, SubmissionError
from grader.verdict import NOT_JUDGED, Status, Verdict

if TYPE_CHECKING:
    from grader.checks.bench import Bench
    from grader.checks.timing.clean_worker import StandingWorker
    from grader.compilation import Artifact
    from grader.run.session import Session
    from grader.support.backends import Backend


def grade(
    exercise: Exercise, files: Path, *, backend: Backend, seed: int | None = None, verbose: bool = False,
    progress: Progress | None = None, isolate: bool = False, owner: str = "", until: str = "",
    zygote: Zygote | None = None, clean: StandingWorker | None = None, quick: bool = False,
) -> Verdict:  # fmt: skip
    """Judge the submission in ``files``.

    ``seed`` makes every input the same as in an earlier verdict; ``isolate`` puts learner code into a
    sandbox; ``owner`` keeps what different people submit apart in the build cache; ``until`` names a check,
    after which nothing more is judged. ``zygote`` is one that serves several submissions, from
    `lanes.open_lane`; it is cleared afterwards, not closed. ``clean`` is the worker beside which several
    verdicts, one after another, time a submission. ``quick`` builds and times as a loop of edits needs it;
    what counts is built by nvcc itself, and timed for longer.

    Raises:
        ValueError: `files` do not lie below the spool of `zygote`, or it is of another kind than asked for.
        BrokenSpec: the exercise itself is at fault. Everything a submission can do ends in the verdict, and
            so does a fault of the machine (``infra_error``).
    """
    seed = secrets.randbits(48) if seed is None else seed
    if zygote is not None:
        files = lanes.place_in(zygote, files, backend, isolate)
    results = Results(exercise, files, progress or (lambda stage: None), until, verbose)
    grading = Grading(exercise, files, backend, seed, results, zygote, clean)
    begun = time.perf_counter()
    grading.run(verbose, isolate, owner, quick)
    return Verdict(
        exercise=exercise.slug,
        title=exercise.title,
        backend=backend,
        seed=seed,
        checks=tuple(results.found),
        files=str(files),
        digest=digest_of(exercise, files),
        versions=versions_of(exercise),
        seconds=round(time.perf_counter() - begun, 3),
    )


@dataclass
class Grading:
    """One run: what stands before the checks, and what becomes of them where there is no code to run."""

    exercise: Exercise
    files: Path
    backend: Backend
    seed: int
    results: Results
    lent: Zygote | None = None
    clean: StandingWorker | None = None
    _scratch: Path = field(default=Path(), init=False)

    def run(self, verbose: bool, isolate: bool, owner: str, quick: bool) -> None:
        open_outcome = todo.check(self.exercise, self.files)
        if open_outcome is not None:
            self.results.add("todo", open_outcome, 0.0)
            # A broken part shows what is wrong with it.
            nothing_to_see = "parts" not in self.exercise.scores or not self.exercise.is_repair
            if nothing_to_see and todo.untouched(self.exercise, open_todos(self.exercise, self.files)):
                left = [name for name in self.exercise.scores if name not in WITHOUT_CODE]
                self.results.skip(left, Status.NOT_ATTEMPTED, f"{NOT_JUDGED}: nothing is written yet.")
                self._ask()
                return
        try:
            self._run_code(verbose, isolate, owner, quick)
        except InfrastructureError as fault:
            self._blame_the_machine(fault)
        except OSError as error:
            blame = machine.fault_of(error)
            if blame is None:
                raise
            self._blame_the_machine(blame)

    def _run_code(self, verbose: bool, isolate: bool, owner: str, quick: bool) -> None:
        spool = self.lent.spool if self.lent is not None else None
        with scratch("grade", spool) as self._scratch, self._zygote(isolate) as zygote:
            self._judge(zygote, verbose, owner, quick)

    def _ask(self) -> None:
        """Questions are there to be read before anything is written."""
        if "answers" in self.exercise.scores:
            ask = importlib.import_module("grader.checks.questions.answers").ask
            self.results.add("answers", ask(self.exercise, load_spec(self.exercise), self.files), 0.0)

    def _zygote(self, isolate: bool) -> AbstractContextManager[Zygote]:
        if self.lent is not None:
            return lanes.cleared(self.lent)
        readable = (self.files, self.exercise.root, self._scratch)
        modules = worker_modules([self.exercise], self.backend)
        return Zygote.start(self.backend, isolate, readable=readable, modules=modules)

    def _blame_the_machine(self, fault: InfrastructureError) -> None:
        """Say once what this machine could not do; nothing of it counts against the submission."""
        done = {result.name for result in self.results.found}
        left = [name for name in ("build", *self.exercise.scores) if name not in done]
        for name in left[:1]:
            self.results.add(name, Outcome(Status.INFRA_ERROR, str(fault)), 0.0)
        self.results.skip(left[1:], Status.INFRA_ERROR, f"{NOT_JUDGED}: this machine failed.")

    def _judge(self, zygote: Zygote, verbose: bool, owner: str, quick: bool) -> None:
        with ThreadPoolExecutor(1, "import-torch") as pool:
            compiling = threading.Event()
            preparing = pool.submit(_prepare, self.exercise, self.backend, self.seed, compiling)
            if self._is_changed_too_much():
                compiling.set()
                why = f"{NOT_JUDGED}: more was changed than a repair needs."
                self._give_up(zygote, preparing.result(), Status.FAIL, why)
                return
            begun = time.perf_counter()
            try:
                built = building.compile_submission(
                    self.exercise, self.files, self.backend, owner, verbose, zygote.isolate, compiling.set,
                    self.results.progress, quick,
                )  # fmt: skip
            finally:
                compiling.set()
            if isinstance(built, Outcome):
                self.results.add("build", built, time.perf_counter() - begun)
                why = "it is refused" if built.topic == "audit" else "it does not build"
                self._give_up(zygote, preparing.result(), built.status, f"{NOT_JUDGED}: {why}.")
                return
            self._load_and_check(zygote, built, preparing, begun, quick)

    def _is_changed_too_much(self) -> bool:
        excess = change_size.check(self.exercise, self.files)
        if excess is not None:
            self.results.add("changes", excess, 0.0)
        return excess is not None and excess.status is Status.FAIL

    def _load_and_check(
        self, zygote: Zygote, artifact: Artifact, preparing: Future[Spec], begun: float, quick: bool
    ) -> None:
        self.results.progress("load")
        spec = preparing.result()
        op_file = self.files / "op.py"

        with zygote.spawn_worker() as session:

            def load() -> None:
                session.load(artifact, op_file if op_file.is_file() else None, self.files)

            try:
                once_more(load)
            except SubmissionError as failure:
                outcome = building.load_failure(failure, artifact, self.exercise, self.files)
                self.results.add("build", outcome, time.perf_counter() - begun)
                self._give_up(zygote, spec, outcome.status, f"{NOT_JUDGED}: it does not load.")
                return
            bench = self._bench(zygote, spec, session, load)
            bench.artifact = artifact
            if quick and self.backend == "cuda":
                bench.hurry()
            bench.spec = self._within_memory(bench)
            self.results.add("build", building.built(artifact), time.perf_counter() - begun)
            names = self.results.judged(spec)
            with (
                self._timing_ahead(bench, names),
                self._counting_ahead(bench, names),
                self._compiling_beside(bench),
            ):
                for name in names:
                    self.results.check(name, bench)

    def _within_memory(self, bench: Bench) -> Spec:
        """The spec without cases that this GPU has no memory for."""
        if self.backend != "cuda":
            return bench.spec
        from grader.checks.values.memory import within_memory

        return within_memory(bench)

    def _timing_ahead(self, bench: Bench, names: list[str]) -> AbstractContextManager[None]:
        """Get ready what a timing needs, if there is to be one."""
        if "performance" not in names or self.backend != "cuda" or bench.spec.speed is None:
            return nullcontext()
        from grader.checks.timing.clean_worker import clean_worker

        return self.clean.serving(bench) if self.clean is not None else clean_worker(bench)

    def _counting_ahead(self, bench: Bench, names: list[str]) -> AbstractContextManager[object]:
        """Start the simulated GPU that the questions' programs run on while other checks use the real one."""
        if "answers" not in names or self.backend != "cuda":
            return nullcontext()
        from grader.checks.questions.answers import need_counting
        from grader.checks.questions.predicted import simulated_beside

        if not need_counting(self.exercise, bench.spec, self.files):
            return nullcontext()
        bench.simulated = simulated_beside(self.exercise)
        return bench.simulated

    def _compiling_beside(self, bench: Bench) -> AbstractContextManager[None]:
        """Compile the kernels that an interpreter runs here, and a compiler on a GPU."""
        if self.backend != "simt" or not self.exercise.has_python_kernels:
            return nullcontext()
        from grader.checks.kernels.compiled import compiling

        return compiling(bench)

    def _bench(self, zygote: Zygote, spec: Spec, session: Session, load: Callable[[], None]) -> Bench:
        from grader.checks.bench import Bench

        return Bench(
            self.exercise, spec, self.backend, self.seed, session, self.files, load, zygote.spawn_worker,
            self._scratch, isolated=zygote.isolate,
        )  # fmt: skip

    def _give_up(self, zygote: Zygote, spec: Spec, status: Status, sentence: str) -> None:
        """There is no code to run: what needs none is judged all the same."""
        names = self.results.judged(spec)
        self.results.skip([name for name in names if name not in WITHOUT_CODE], status, sentence)
        with zygote.spawn_worker() as session:
            bench = self._bench(zygote, spec, session, lambda: None)
            for name in names:
                if name in WITHOUT_CODE:
                    self.results.check(name, bench)


def _prepare(exercise: Exercise, backend: Backend, seed: int, compiling: threading.Event) -> Spec:
    """Import torch and what the checks need, load the spec and draw its sizes: all that needs no build.

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
    from grader.checks.values.sizes import with_sizes

    return within(with_sizes(spec, exercise.slug, seed), present(backend))
