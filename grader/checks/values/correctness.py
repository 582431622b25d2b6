"""Check that every case returns the reference's result, leaves its inputs unchanged, and refuses bad
input.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import torch

from cusimt.support.words import counted, ended, listed
from grader.checks.bench import Bench, Call, RightAnswer
from grader.checks.device.causes import cause_of, refused_copy, refused_launch
from grader.checks.device.determinism import changing_answer
from grader.checks.device.launches import accepted_launches, calls_without_a_kernel
from grader.checks.device.producers import VALUES, not_earned
from grader.checks.device.unset import variable_without_value
from grader.checks.lesson_links import UNWRITTEN
from grader.checks.open_todos import explained, own_first, waiting
from grader.checks.outcome import Cause, Outcome, passed
from grader.checks.values import formulas, missing_terms, wrong_strides
from grader.checks.values.advice import narrow_indices
from grader.checks.values.case_comparison import told_apart
from grader.checks.values.common_cause import in_a_sentence
from grader.checks.values.compare import Mismatch, compare, compare_values, number
from grader.checks.values.expected import Expected, expected_changes, expected_outputs, tolerance_for
from grader.checks.values.inputs import Drawn, Inputs
from grader.checks.values.launch_errors import INVALID_LAUNCH, unnoticed_refusal
from grader.checks.values.precision import whatever_the_dtype
from grader.checks.values.refusals import judge_refusal
from grader.checks.values.sum_patterns import TRANSPOSED
from grader.checks.values.wording import (
    Hints,
    device_error,
    error_outcome,
    laid_out,
    mismatch_outcome,
    writers_of,
)
from grader.run.values import TUNED_APART, TracedLaunch
from grader.specification import Case, Spec
from grader.verdict import Status


def check(bench: Bench) -> Outcome:
    """Run every case and every refusal; report the first failure, and count the others.

    Right answers that others than the learner's kernels made are a failure, too.
    """
    failures: list[Outcome] = []
    since = len(bench.calls)
    for position, case in enumerate(bench.spec.cases):
        begun = len(bench.calls)
        failure = judge_case(bench, case, position)
        if failure is not None:
            failures.append(explained(bench, failure, bench.calls[begun:]))
            if failure.status not in (Status.FAIL, Status.NOT_ATTEMPTED) or bench.context_lost:
                break
    others = not_earned(bench, bench.calls[since:], VALUES)
    if others is not None and not failures:
        return others
    if not failures:
        refused = (judge_refusal(bench, refusal) for refusal in bench.spec.refusals)
        failures = [failure for failure in refused if failure is not None]
    if failures:
        failure = _without_a_kernel(bench, _first_of(failures, bench))
        return replace(failure, not_own=others.not_own if others else "")
    return replace(passed(_praise(bench)), lines=tuple(narrow_indices(bench.exercise, bench.files)))


def _praise(bench: Bench) -> str:
    cases, refusals = len(bench.spec.cases), len(bench.spec.refusals)
    text = f"All {cases} cases are right" if cases > 1 else "The one case is right"
    text += f", and bad input is refused ({counted(refusals, 'way')})." if refusals else "."
    left_out, too_large = bench.spec.left_out, bench.spec.too_large
    text += f" {left_out} more need a second GPU, which is not here." if left_out else ""
    return text + (f" {too_large} more need more memory than is free on this GPU." if too_large else "")


def _first_of(failures: list[Outcome], bench: Bench) -> Outcome:
    first, *_ = failures = _most_certain(own_first(failures))
    if not first.case or first.topic == UNWRITTEN:
        return first
    if first.topic == "values":
        said = (whatever_the_dtype(first, failures, bench.spec.cases), variable_without_value(bench))
        first = replace(first, lines=(*first.lines, *filter(None, said)))
    if first.status is not Status.NOT_ATTEMPTED:
        first = replace(first, lines=(*first.lines, *waiting(failures)))
        failures = [each for each in failures if each.status is not Status.NOT_ATTEMPTED]
    if first.topic != INVALID_LAUNCH:  # which is looked for in marked cases alone
        first = _with_what_is_shared(first, failures, bench)
    if len(failures) == 1:
        return first
    also = [f'"{each.case}"' for each in failures[1:4]]
    if len(failures) > 4:
        also.append(f"{len(failures) - 4} more")
    label = "Also waiting" if first.status is Status.NOT_ATTEMPTED else "Also wrong"
    return replace(first, lines=(*first.lines, f"{label}: {listed(also)}."))


def _with_what_is_shared(first: Outcome, failures: list[Outcome], bench: Bench) -> Outcome:
    """Say what the wrong cases have in common and the others have not, or that there is but one."""
    shared = told_apart(bench, {failure.case for failure in failures})
    judged = [case for case in bench.spec.cases if bench.has_tried(case)]
    all_tried = len(judged) == len(bench.spec.cases)
    if shared and (all_tried or len(failures) > 1):  # one failure that ended the run has much in common
        others = "no other" if all_tried else "no other that was tried"
        return replace(first, lines=(*first.lines, in_a_sentence(shared, len(failures), others)))
    if len(failures) == 1 < len(judged) and all_tried:
        return replace(first, lines=(*first.lines, f'The only wrong case: "{first.case}".'))
    return first


def _most_certain(failures: list[Outcome]) -> list[Outcome]:
    """Where nothing is known of the first wrong answer, that comes first whose explanation is certain.

    What the device saw, or the numbers suggest, stays in front, and has that explanation beside it.
    """
    first = failures[0]
    if first.topic != "values" or first.certain or first.status is not Status.FAIL:
        return failures
    told = next((each for each in failures if each.certain and each.status is Status.FAIL), None)
    if told is None:
        return failures
    if first.cause is None and not first.guess:
        return [told, *(each for each in failures if each is not told)]
    line = f'Of the case "{told.case}": {told.certain}'
    return [replace(first, lines=(*first.lines, line)), *failures[1:]]


def _without_a_kernel(bench: Bench, failure: Outcome) -> Outcome:
    """Say first of all that others did the work: what they say and return explains itself then."""
    if failure.status is not Status.FAIL or "device_work" not in bench.exercise.scores:
        return failure
    if not calls_without_a_kernel(bench):
        return failure
    return replace(failure, sentence=f"No kernel of yours was launched: see device work. {failure.sentence}")


def judge_case(bench: Bench, case: Case, position: int) -> Outcome | None:
    """Call the entry for one case and compare everything that can be compared."""
    inputs = bench.draw(case.args, "case", position)
    call = bench.forward(case, inputs)
    if call.reply.error is not None:
        outcome = error_outcome(call.text, call.reply.error, case.name)
        return _with_the_cause(outcome, bench, call)
    if call.reply.trace.sticky_error is not None:
        return device_error(call.text, call.reply, case.name)
    expected = expected_outputs(bench.spec, inputs, case.name)
    given = {each.name: each.tensor for each in inputs.tensors()}
    asked = bench.spec, inputs, case.name, call.reply.outputs, expected
    reason = partial(formulas.explain, *asked)
    launches = accepted_launches(bench, call)
    failure = wrong_output(expected, inputs, call, partial(cause_of, bench, call, given), reason, launches)
    if failure is not None and failure.topic == "values":
        why = wrong_strides.explain(*asked) or missing_terms.explain(*asked)
        said = "" if failure.guess.startswith(TRANSPOSED) else why  # strides exchanged: the same again
        sentence = f"{failure.sentence} {said}".strip()
        failure = replace(failure, sentence=sentence, certain=why or failure.certain)
    failure = failure or _wrong_arguments(bench, case, inputs, call)
    if failure is None and case.deterministic:
        failure = changing_answer(bench, case, inputs, call, expected)
    if failure is None and case.launch_errors and bench.backend == "simt":
        failure = unnoticed_refusal(bench, case, call, inputs)
    if failure is None:
        bench.right.append(RightAnswer(case, inputs, expected, call.reply.outputs, call.reply.seconds))
    return failure


def _with_the_cause(outcome: Outcome, bench: Bench, call: Call) -> Outcome:
    """The line that raised is only the first to hear of a kernel that failed, or did not start."""
    if outcome.status is not Status.FAIL:
        return outcome
    said = ended(outcome.sentence)
    if copy := refused_copy(call):
        return replace(outcome, sentence=f"{said} {copy}")
    if bench.spec.part is not None:
        return outcome  # a part lists what was seen on the way
    error = call.reply.error
    if error is not None and error.type == TUNED_APART and (cause := cause_of(bench, call)):
        # What the device saw comes before what the answers show.
        return replace(outcome, sentence=f"{cause.text} {said}", reading=cause.finding.kind)
    if call.reply.trace.sticky_error:
        return replace(outcome, sentence=f"{said} A kernel failed: the safety check says where.")
    if refused := refused_launch(call, bench.files):
        return replace(outcome, sentence=f"{said} {refused.text}", reading=refused.finding.kind)
    return outcome


def wrong_output(
    expected: tuple[Expected, ...],
    inputs: Inputs,
    call: Call,
    cause: Callable[[], Cause | None] | None = None,
    reason: Callable[[], str] = str,
    launches: Sequence[TracedLaunch] = (),
) -> Outcome | None:
    """The first output of `call` that is not what was expected.

    ``cause`` looks for what the device reported in that call, ``reason`` for a formula that gives this
    answer; only a wrong output is worth the search. ``launches`` are those of the learner's kernels.
    """
    outputs = call.reply.outputs
    if len(outputs) != len(expected):
        return Outcome(
            Status.FAIL,
            f"{call.text} returned {len(outputs)} values, expected {len(expected)}.",
            case=call.case, expected=str(len(expected)), got=str(len(outputs)), topic="shape",
        )  # fmt: skip
    for position, (output, wanted) in enumerate(zip(outputs, expected, strict=True)):
        mismatch = compare(output, wanted)
        if mismatch is not None:
            writers = writers_of(call.reply, position)
            hints = Hints(
                writers=writers, cause=cause() if cause else None, autocast=call.autocast,
                launches=launches, reason=reason,
            )  # fmt: skip
            failure = mismatch_outcome(
                call.text, wanted, mismatch, output.tensor, inputs, case=call.case, hints=hints
            )
            return replace(failure, sentence=f"{failure.sentence} {laid_out(output)}".strip())
    return None


def _wrong_arguments(bench: Bench, case: Case, inputs: Inputs, call: Call) -> Outcome | None:
    """Inputs must be untouched bit by bit, but for those that the case says are changed in place."""
    changed = set(bench.session.changed_inputs())
    if not changed and not case.modifies:
        return None
    wanted = expected_changes(bench.spec, inputs, case.modifies, case.name)
    for drawn, after in zip(inputs.tensors(), bench.session.inputs(), strict=True):
        if drawn.name in wanted:
            failure = _change_problem(bench, call, drawn, after, wanted[drawn.name])
            if failure is not None:
                return failure
        elif drawn.name in changed:
            return _modified(call, drawn, after)
    return None


def wrong_change(spec: Spec, drawn: Drawn, after: torch.Tensor, values: torch.Tensor) -> Mismatch | None:
    """Where `after` a call that changes the input `drawn` in place, it does not hold `values`."""
    return compare_values(after, values, tolerance_for(spec, values, drawn.coarsest, 1))


def _change_problem(
    bench: Bench, call: Call, drawn: Drawn, after: torch.Tensor, values: torch.Tensor
) -> Outcome | None:
    mismatch = wrong_change(bench.spec, drawn, after, values)
    if mismatch is None:
        return None
    return Outcome(
        Status.FAIL,
        f"{call.text}: {drawn.name} is changed in place, and afterwards holds {mismatch.got} at "
        f"{list(mismatch.index or ())}, expected {mismatch.expected}.",
        case=call.case, expected=mismatch.expected, got=mismatch.got, index=mismatch.index, topic="values",
    )  # fmt: skip


def _modified(call: Call, drawn: Drawn, after: torch.Tensor) -> Outcome:
    """Name the first changed element; it may also be the bytes between the elements of a view."""
    before = drawn.tensor
    changed = ~((before == after) | (before.isnan() & after.isnan()))
    text = f"{call.text} changed its input {drawn.name}"
    advice = "Inputs are read-only; write to your own tensor."
    if not bool(changed.any()):
        return Outcome(
            Status.FAIL,
            f"{text}, in the memory between its elements. {advice}",
            case=call.case,
            topic="inputs",
        )
    index = tuple(changed.nonzero()[0].tolist())
    was, now = number(before[index].item()), number(after[index].item())
    return Outcome(
        Status.FAIL, f"{text}: at {list(index)} it was {was} and is {now} afterwards. {advice}",
        case=call.case, expected=was, got=now, index=index, topic="inputs",
    )  # fmt: skip
