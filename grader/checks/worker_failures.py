"""The outcome of a check whose worker did not answer, with the submission's output until then."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from grader.checks.outcome import Outcome
from grader.run.failures import ProtocolViolation, WorkerTimeout
from grader.support.errors import SubmissionError
from grader.verdict import Status

if TYPE_CHECKING:
    from grader.checks.bench import Bench

PRINTED_LINES = 20  # that are shown of what was printed
ALL_LINES = 1000  # where all is asked for: beyond that nobody reads, and a record is to be kept


def ended_badly(failure: SubmissionError, bench: Bench) -> Outcome:
    """The worker did not answer as a worker does; the check is lost, and nothing else."""
    if isinstance(failure, WorkerTimeout):
        status = Status.TIMEOUT
    else:
        status = Status.FAIL if isinstance(failure, ProtocolViolation) else Status.CRASH
    case = bench.current_case
    bad_input = case in {refusal.name for refusal in bench.spec.refusals}
    kind = "bad input, to be refused:" if bad_input else "case"
    where = f' ({kind} "{case}")' if case else ""
    sentence = f"{failure.what.rstrip('.')}{where}. {failure.rule}"
    return Outcome(status, sentence, case=case, topic="refusals" if bad_input else status.value)


def printed(bench: Bench, first_call: int, lost: str = "", most: int = PRINTED_LINES) -> Iterator[str]:
    """The beginning, `most` lines, of what the submission printed during the calls from `first_call` on.

    Each call's lines follow a line that names the call. With what was printed in a call that gave no reply,
    ``lost``, the end is shown: what a program says before it dies comes last.
    """
    texts = [(call.text, call.reply.printed) for call in bench.calls[first_call:]]
    texts.append((bench.pending or "a call without a reply", lost))
    lines = [(number, call, line) for number, (call, text) in enumerate(texts) for line in text.splitlines()]
    shown, before, after = lines, "", ""
    if len(lines) > most and lost:
        shown = lines[1 - most :]
        before = f"  ... {len(lines) - len(shown)} lines before"
    elif len(lines) > most:
        shown = lines[:most]
        after = f"  ... and {len(lines) - len(shown)} more lines"
    if lines:
        yield from filter(None, ("It printed:", before, *_by_call(shown), after))


def _by_call(lines: Sequence[tuple[int, str, str]]) -> Iterator[str]:
    """Each line, (number of its call, the call, what was printed), below a heading for its call."""
    last: tuple[int, str] | None = None
    for number, call, line in lines:
        if last != (number, call):
            again = ", again" if last is not None and last[1] == call else ""
            yield f"  in {call[:1].lower() if call.startswith('The ') else call[:1]}{call[1:]}{again}:"
            last = (number, call)
        yield f"    {line}"
