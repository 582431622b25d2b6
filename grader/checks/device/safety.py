"""Check for device errors that correct answers do not reveal.

Out-of-bounds accesses that stay inside mapped memory, races that the usual schedule hides, leaks, launches
on the wrong stream: the answers may all be right. This check reads the record of every call made so far,
and has what was right repeated in other orders of blocks and threads.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from cusimt.support.words import counted
from grader.checks.bench import Bench, Call
from grader.checks.device.findings import in_words, source_line
from grader.checks.device.launches import kernel_name, own_launches
from grader.checks.device.schedules import LARGE_CASE, LONG_CASE, other_orders
from grader.checks.device.streams import stray_work
from grader.checks.device.vendor_work import vendor_work
from grader.checks.outcome import Outcome, passed
from grader.run.values import TracedLaunch
from grader.verdict import NOT_JUDGED, ReportedFinding, Status

_REFUSE = "This happens on bad input only. Refuse bad input before a kernel runs: check the arguments first."
_STREAM = re.compile(r"\bstream \d+")


def check(bench: Bench) -> Outcome:
    """Every finding of every traced call, merged, the most frequent place told first."""
    bench.ensure_calls()
    findings = stray_work(bench) + in_words(bench) + failed_launches(bench)
    findings += leaks(bench.calls)
    repeated = 0
    if bench.backend == "simt" and not findings:
        findings, repeated = other_orders(bench)
    merged = rules_for_bad_input(bench, merge(findings))
    if merged:
        return _failure(bench, merged)
    forward = [call for call in bench.calls if call.stage == "forward"]
    if not any(own_launches(bench, call) or vendor_work(bench, call) for call in forward if call.succeeded):
        if any(call.has_result for call in forward) or all(call.succeeded for call in forward):
            return Outcome(Status.FAIL, "No kernel was launched, so its safety is unknown.")
        return Outcome(Status.FAIL, f"{NOT_JUDGED}: no call finished.")
    return _of_others(bench) or passed(_praise(bench, repeated))


def _of_others(bench: Bench) -> Outcome | None:
    """A kernel beside which others do the work shows no more than none: forward's has to make its results."""
    known = bench.outcomes.get("correctness")
    if known is None or not known.not_own:
        return None
    sentence = f"{NOT_JUDGED}: your kernels did not make what forward returned."
    return Outcome(known.status, sentence, case=known.case, topic=known.topic, not_own=known.not_own)


def _praise(bench: Bench, repeated: int) -> str:
    traced = len(bench.calls)
    if bench.backend == "simt":
        return (
            f"{traced} traced calls: no access out of bounds, no missing barrier, no leak, all work in order "
            f"with the caller's stream{_praise_of_orders(len(bench.right), repeated)}"
        )
    return f"{traced} calls: no launch failed and no device memory was lost. Accesses are checked on simt."


def _praise_of_orders(right: int, repeated: int) -> str:
    """What is known of other orders, where `repeated` of the `right` cases were asked for again."""
    if not right:
        return ". No case was repeated in other orders of blocks and threads: none is known to be right."
    same = ", and the same answers in other orders of blocks and threads"
    if repeated == right:
        return f"{same}."
    if repeated:
        return f"{same} ({repeated} of {right} cases: the largest and slowest are not repeated)."
    return (
        ". No case was repeated in other orders of blocks and threads: each took over "
        f"{LONG_CASE:g} s or has over {LARGE_CASE:,} elements."
    )


def _failure(bench: Bench, findings: list[ReportedFinding]) -> Outcome:
    first = findings[0]
    place = f"{first.where}: " if first.where else ""
    others = len(findings) - 1
    more = (
        f" There {'is one more finding' if others == 1 else f'are {others} more findings'}." if others else ""
    )
    call = _first_call(bench, first)
    seen = f" First seen in {call.text.replace('The backward', 'the backward', 1)}." if call else ""
    return Outcome(
        Status.FAIL,
        f"{place}{first.sentence} {first.rule}{seen}{_aside(bench, first)}{more}".replace("  ", " "),
        case=call.case if call is not None else "",
        findings=tuple(findings),
        topic=first.kind,
    )


def _first_call(bench: Bench, first: ReportedFinding) -> Call | None:
    """The call in which the checked build saw the first finding; other sentences name theirs."""
    kinds = ((call, {each.get("kind") for each in call.reply.trace.findings}) for call in bench.calls)
    return next((call for call, seen in kinds if first.kind in seen), None)


def _aside(bench: Bench, first: ReportedFinding) -> str:
    if first.kind == "schedule":  # an answer that changes is not right
        return ""
    if first.rule == _REFUSE or len(bench.right) < len(bench.spec.cases):
        return ""
    gradient = bench.outcomes.get("gradient")
    if gradient is not None and gradient.status.stands_in_the_way:
        return " (The forward answers are still right.)"
    return " (The answers are still right.)"


def rules_for_bad_input(bench: Bench, findings: list[ReportedFinding]) -> list[ReportedFinding]:
    """What the checked build found only in calls that should have been refused is not the kernel's matter.

    A race is: bad input sends a thread to the wrong address, but never two threads without order to one.
    """
    found_in = [call for call in bench.calls if call.reply.trace.findings]
    if any(call.stage != "refusal" for call in found_in):
        return findings
    kinds = {str(found.get("kind")) for call in found_in for found in call.reply.trace.findings}
    kinds -= {kind for kind in kinds if kind.startswith("race_")}
    return [replace(each, rule=_REFUSE) if each.kind in kinds else each for each in findings]


def merge(findings: Iterable[ReportedFinding]) -> list[ReportedFinding]:
    """One finding per kind and source line, with the counts added up, in the order of first sight.

    Findings without a line differ by their sentences, but for the streams in it: they have other numbers in
    every call.
    """
    merged: dict[tuple[str, str, int, str], ReportedFinding] = {}
    for each in findings:
        key = (each.kind, each.file, each.line, "" if each.line else _STREAM.sub("stream", each.sentence))
        earlier = merged.get(key)
        merged[key] = each if earlier is None else replace(earlier, count=earlier.count + each.count)
    return list(merged.values())


def failed_launches(bench: Bench) -> list[ReportedFinding]:
    """Launches that the runtime refused, where no exception told the caller."""
    found = []
    for call in bench.calls:
        refused = [each for each in call.reply.trace.launches if each.error]
        if refused and call.reply.error is None:
            first = refused[0]
            what = (
                f"The launch of {kernel_name(first)} with grid {first.grid} and block {first.block} failed, "
                "and the call returned without an error."
            )
            rule = "Check every launch: C10_CUDA_KERNEL_LAUNCH_CHECK() turns its error into an exception."
            found.append(_at_launch("invalid_launch", what, rule, first, len(refused), bench))
    return found


def _at_launch(
    kind: str, what: str, rule: str, launch: TracedLaunch, count: int, bench: Bench
) -> ReportedFinding:
    name = Path(launch.file).name
    source = source_line(bench.files / name, launch.line) if name else ""
    return ReportedFinding(kind, what, rule, name, launch.line, source, count=count)


def leaks(calls: list[Call]) -> list[ReportedFinding]:
    """Device memory that is still allocated after the results of a call are gone.

    A call that keeps a graph is left out, since its saved tensors live on; so is a single allocation that
    happens once and never again, since that is a cache and not a leak. After a failed kernel every cudaFree
    fails too, so such a call says nothing.
    """
    plain = [
        call
        for call in calls
        if call.reply.handle is None and call.stage != "backward" and call.reply.trace.sticky_error is None
    ]
    losing = [call for call in plain if call.reply.trace.live_allocations > 0]
    if len(losing) < min(2, len(plain)) or not losing:
        return []
    worst = max(losing, key=lambda call: call.reply.trace.live_bytes)
    trace = worst.reply.trace
    what = counted(trace.live_allocations, "device allocation")
    freed = "were never freed" if trace.live_allocations > 1 else "was never freed"
    return [
        ReportedFinding(
            "leak",
            f"{what} ({trace.live_bytes} bytes) made during {worst.text} {freed}.",
            "Every cudaMalloc needs a cudaFree on every path, also on the one that raises; and a tensor of "
            "the call lives for as long as a static variable, a list or a dict holds it.",
            count=len(losing),
        )
    ]
