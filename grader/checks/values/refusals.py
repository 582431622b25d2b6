"""Check that bad input raises the right exception with a message that names the problem."""

from __future__ import annotations

import re

from cusimt.support.words import ended, listed
from grader.checks.bench import Bench
from grader.checks.outcome import Outcome
from grader.checks.values.inputs import Inputs
from grader.checks.values.wording import first_paragraph
from grader.run.values import Reply
from grader.specification import Refusal
from grader.verdict import Status


def judge_refusal(bench: Bench, refusal: Refusal) -> Outcome | None:
    """Bad input must raise the right exception, and its message must name what is wrong."""
    inputs = bench.draw(refusal.args, "refusal", refusal.name)
    call = bench.forward(refusal, inputs, stage="refusal")
    problem = refusal_problem(refusal, call.reply, bench.spec.parameters)
    if problem is None:
        return None
    status, what = problem
    hint = counted_too_often(refusal, call.reply, inputs) if status is Status.FAIL else ""
    what = f"{ended(what)} {hint}" if hint else what
    return Outcome(
        status, f"{call.text}: {what}", case=refusal.name, expected=refusal.wanted,
        got=call.reply.error.type if call.reply.error else "no error", topic="refusals",
    )  # fmt: skip


def counted_too_often(refusal: Refusal, reply: Reply, inputs: Inputs) -> str:
    """Of a number that the message should hold, and that it holds several times over, as an extent says."""
    wanted = [int(word) for word in refusal.mentions if word.isdecimal() and int(word) > 1]
    message = first_paragraph(reply.error.message) if reply.error else ""
    stated = [int(each) for each in re.findall(r"(?<![\w.])\d+(?![\w.])", message)]
    for number in wanted:
        for multiple in stated:
            times = multiple // number
            where = [
                f"{each.name}.size({dim})"
                for each in inputs.tensors()
                for dim, extent in enumerate(each.tensor.shape)
                if extent == times
            ]
            if number in stated or times < 2 or multiple % number or not where:
                continue
            return (
                f"{multiple} = {times} x {number}, and {where[0]} is {times}: is each counted {times} times?"
            )
    return ""


def refusal_problem(refusal: Refusal, reply: Reply, parameters: tuple[str, ...]) -> tuple[Status, str] | None:
    """What is wrong with the answer to bad input, or None."""
    wanted = refusal.wanted
    if reply.error is None:
        return (
            Status.FAIL,
            f"bad input ({refusal.name}) must be refused with {wanted}, but it was accepted.",
        )
    message = first_paragraph(reply.error.message)
    if reply.error.type == "NotImplementedError" and "TODO(" in message:
        return Status.NOT_ATTEMPTED, f"still open: {message}"
    if reply.trace.sticky_error is not None:
        return (
            Status.FAIL,
            f"bad input ({refusal.name}) must be refused with {wanted} before a kernel runs; here a kernel "
            f"ran on it, and failed: {message}",
        )
    if reply.error.type not in refusal.exceptions:
        return (
            Status.FAIL,
            f"bad input ({refusal.name}) must be refused with {wanted}, not {reply.error.type}: {message}",
        )
    missing = [word for word in refusal.mentions if not mentions(message, word, word in parameters)]
    if missing:
        words = listed([f'"{word}"' for word in missing])
        return (
            Status.FAIL,
            f"bad input ({refusal.name}) is refused, but the message does not say {words}. The message must "
            f"name the argument and the problem; this one says: {message}",
        )
    return None


def mentions(message: str, word: str, whole: bool) -> bool:
    """Whether `word` stands in `message`, in any case: as a whole word, or as the beginning of one."""
    end = r"(?!\w)" if whole else ""
    spelled = r"(?:shape|size)" if word == "shape" else re.escape(word)
    return re.search(rf"(?<!\w){spelled}{end}", message, re.IGNORECASE) is not None
