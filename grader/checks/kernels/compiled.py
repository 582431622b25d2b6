"""What Triton's compiler says of the kernels that its interpreter ran: not all of them compile for a GPU.

The interpreter runs a kernel as Python, with NumPy's types and shapes. So each specialisation that a call has
launched is also compiled, to Triton's intermediate language, which needs no GPU. A worker of its own does it
beside the checks, with the same text of the kernels. The check whose calls launched a specialisation first
fails if that does not compile.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from cusimt.support.words import counted, ended, noun
from grader.checks.bench import Bench, Call
from grader.checks.open_todos import explained
from grader.checks.outcome import Outcome
from grader.checks.values.wording import first_paragraph
from grader.compilation.diagnostics import line_of
from grader.run.session import Session
from grader.run.values import Output
from grader.support.errors import SubmissionError
from grader.verdict import Status

TOPIC = "compiler"
_RULE = (
    "On a GPU the launch raises this error: types, shapes and constants have to be known when a kernel is "
    "compiled. Here Triton's interpreter ran it, by NumPy's rules."
)
_INSIDE = Path(__file__).parent / "inside.py"
# As MLIR prints it: `/folder/kernel.py:12:8: error: ...`.
_PRINTED = re.compile(r"^(?P<file>[^\n:]+):(?P<line>\d+):\d+: error: (?P<said>[^\n]+)", re.MULTILINE)


@dataclass(frozen=True)
class Refused:
    """What the compiler has against a kernel, with these constants; the line is 0 where it names none."""

    kernel: str
    said: str
    constants: str = ""
    file: str = ""
    line: int = 0


@dataclass(frozen=True)
class Loaded:
    """A worker with the compiler and the kernels; else why there is no compiler, or why they do not load."""

    session: Session | None = None
    lacking: str = ""
    failure: str = ""


@contextmanager
def compiling(bench: Bench) -> Iterator[None]:
    """Within the context `bench.compiler` compiles what the calls on the bench launch."""
    with ThreadPoolExecutor(1, "compiles-kernels") as pool:
        bench.compiler = Compiler(pool, pool.submit(_loaded, bench))
        try:
            yield
        finally:
            bench.compiler.close()
            bench.compiler = None


class Compiler:
    """Compiles each specialisation once, one after another, in the thread of ``pool``."""

    def __init__(self, pool: ThreadPoolExecutor, loading: Future[Loaded]) -> None:
        self._pool = pool
        self._loading = loading
        self._taken: set[str] = set()
        self._waiting: list[tuple[Call, Future[Refused | None]]] = []

    def take(self, call: Call) -> None:
        """Begin to compile what the call launched, and no call before it."""
        for text in call.reply.trace.specialisations:
            if text not in self._taken:
                self._taken.add(text)
                self._waiting.append((call, self._pool.submit(self._compiled, text)))

    def judged(self, bench: Bench, outcome: Outcome) -> Outcome:
        """The outcome of the check that made the last calls, now that their kernels are compiled."""
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return outcome
        if lacking := self._loading.result().lacking:
            left_out = f"Triton's compiler cannot be loaded here, so no kernel was compiled: {lacking}"
            return replace(outcome, lines=(*outcome.lines, left_out))
        refused = [(call, found) for call, each in waiting if (found := each.result()) is not None]
        if refused:
            return _with(refused, len(waiting), bench, outcome)
        return _praised(outcome, len(waiting))

    def close(self) -> None:
        """End the worker; what has not begun is not compiled."""
        self._pool.shutdown(cancel_futures=True)
        if not self._loading.cancelled() and self._loading.exception() is None:
            session = self._loading.result().session
            if session is not None:
                session.close()

    def _compiled(self, text: str) -> Refused | None:
        loaded, kernel = self._loading.result(), _kernel_of(text)
        if loaded.session is None:
            return Refused(kernel, loaded.failure) if loaded.failure else None
        try:
            reply = loaded.session.run_inside(f"{_INSIDE}:refusal", [text])
        except SubmissionError as failure:  # also of the compiler, which aborts at some mistakes
            return Refused(kernel, f"{failure.what} {failure.rule}")
        if reply.error is not None:
            return Refused(kernel, str(reply.error))
        return _read(reply.outputs, reply.printed)


def _loaded(bench: Bench) -> Loaded:
    session = bench.spawn()
    try:
        session.load(bench.artifact, None, bench.files)
        said = session.run_inside(f"{_INSIDE}:lacking", []).outputs
    except SubmissionError as failure:
        session.close()
        return Loaded(failure=failure.what)
    lacking = str(said[0].value or "") if said else ""
    if not lacking:
        return Loaded(session)
    session.close()
    return Loaded(lacking=lacking)


def _kernel_of(text: str) -> str:
    """The name in a text that a worker sent."""
    try:
        return str(json.loads(text)["kernel"])
    except (ValueError, LookupError, TypeError, RecursionError):
        return "a kernel"


def _read(outputs: Sequence[Output], printed: str) -> Refused | None:
    """What `inside.refusal` returned, with what the compiler printed where it did no more."""
    fields = [each.value for each in outputs]
    if not fields:
        return None
    kernel, constants, file, line, said = (*fields, *[""] * 5)[:5]
    place, number = str(file), line if isinstance(line, int) else 0
    if not said:
        found = _PRINTED.search(printed)
        if found is None:
            return Refused(str(kernel), "it gives no reason", str(constants))
        place, number, said = Path(found["file"]).name, int(found["line"]), found["said"]
    return Refused(str(kernel), first_paragraph(str(said)), str(constants), place, number)


def _with(refused: Sequence[tuple[Call, Refused]], number: int, bench: Bench, outcome: Outcome) -> Outcome:
    """`outcome` as a failure, or with a line about the kernels if it is one already."""
    call, first = refused[0]
    failure = explained(bench, _failure(call, first, bench.files), [call])
    if outcome.status is Status.PASS:
        verb = noun(len(refused) == 1, "is", "are")
        kinds = counted(number, "specialisation")
        also = f"{len(refused)} of the {kinds} that these calls were the first to launch {verb} refused."
        return replace(failure, lines=(*failure.lines, also))
    if failure.status is Status.NOT_ATTEMPTED:
        return outcome
    return replace(outcome, lines=(*outcome.lines, failure.sentence, *failure.lines))


def _praised(outcome: Outcome, number: int) -> Outcome:
    if outcome.status is not Status.PASS:
        return outcome
    kinds = counted(number, "specialisation")
    return replace(outcome, sentence=f"{outcome.sentence} Triton's compiler takes the kernels ({kinds}).")


def _failure(call: Call, refused: Refused, files: Path) -> Outcome:
    where = f" at {refused.file}:{refused.line}" if refused.line else ""
    having = f" for {refused.constants}" if refused.constants else ""
    in_a_sentence = call.text.replace("The backward", "the backward", 1)
    sentence = (
        f"Triton's compiler refuses `{refused.kernel}`{where}{having}: {ended(refused.said)} {_RULE} "
        f"It was launched by {in_a_sentence}."
    )
    source = line_of(files / Path(refused.file).name, refused.line)
    lines = (f"{refused.line:5} | {source}",) if source else ()
    return Outcome(
        Status.FAIL, sentence, case=call.case, expected="a kernel that compiles", got=refused.said,
        lines=lines, topic=TOPIC,
    )  # fmt: skip
