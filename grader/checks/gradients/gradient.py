"""Check the backward pass for every cotangent and every set of inputs that autograd may request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch

from cusimt.support.words import counted as counted_words
from cusimt.support.words import ended
from grader.checks.bench import Bench, Call
from grader.checks.device.determinism import changing_gradient
from grader.checks.device.launches import own_launches
from grader.checks.device.library_work import foreign_operators
from grader.checks.device.producers import GRADIENTS, RECORDED, not_earned
from grader.checks.device.vendor_work import vendor_work
from grader.checks.gradients.comparison import advised, forward_is_wrong, wrong_gradient
from grader.checks.gradients.cotangents import RANDOM, cotangent, differentiable, expected_gradient, kinds
from grader.checks.gradients.double_backward import second_problem
from grader.checks.gradients.engine import numeric_sizes
from grader.checks.gradients.gradcheck import gradcheck_problem
from grader.checks.gradients.in_place import overwritten_problem
from grader.checks.gradients.needless_saves import saved_in_vain
from grader.checks.gradients.reference_graph import Tape, dense, record_tape, unlike
from grader.checks.open_todos import explained
from grader.checks.outcome import Outcome, passed
from grader.checks.values.common_cause import in_a_sentence, in_common
from grader.checks.values.expected import Expected
from grader.checks.values.inputs import Inputs
from grader.checks.values.launch_errors import unnoticed_in_backward
from grader.checks.values.wording import device_error, error_outcome
from grader.specification import Case, Gradient
from grader.specification.vocabulary import tensors_of
from grader.verdict import Status


def check(bench: Bench) -> Outcome:
    """Compare with float64 autograd through the reference, then let torch.autograd.gradcheck look."""
    gradient = bench.spec.gradient
    if gradient is None:
        return Outcome(Status.UNAVAILABLE, "This exercise has no gradient.")
    since = len(bench.calls)
    with numeric_sizes():
        outcome = _judge(bench, gradient)
    others = _made_by_others(bench, bench.calls[since:])
    if others is not None and outcome.status is Status.PASS:
        return others
    if others is not None:
        outcome = replace(outcome, not_own=others.not_own)
    of_values = outcome.topic in ("values", "shape", "dtype")
    outcome = _after_a_wrong_forward(bench, outcome)
    return replace(outcome, reading=outcome.reading or "gradient") if of_values else outcome


def _after_a_wrong_forward(bench: Bench, outcome: Outcome) -> Outcome:
    """Whoever reads of an unexplained gradient first looks into backward, which may be right."""
    unexplained = outcome.status is Status.FAIL and outcome.topic == "values" and outcome.cause is None
    if not unexplained or outcome.guess or outcome.reading or not forward_is_wrong(bench):
        return outcome
    aside = "Results of forward are wrong, too, and this may follow from them: repair forward first."
    return replace(outcome, sentence=f"{ended(outcome.sentence)} {aside}")


def _made_by_others(bench: Bench, calls: Sequence[Call]) -> Outcome | None:
    """Why right gradients earn nothing.

    Forward calls are looked at, too, unless correctness has refused them already, which costs its own points:
    a submission can see by requires_grad that a gradient will be asked for.
    """
    backward = not_earned(bench, [call for call in calls if call.stage == "backward"], GRADIENTS)
    correctness = bench.outcomes.get("correctness")
    if backward is not None or (correctness is not None and correctness.not_own):
        return backward
    return not_earned(bench, [call for call in calls if call.stage == "forward"], RECORDED)


def _judge(bench: Bench, gradient: Gradient) -> Outcome:
    unwritten, since = None, len(bench.calls)
    for case in gradient.cases:
        begun = len(bench.calls)
        failure = judge_case(bench, gradient, case)
        if failure is not None:
            failure = explained(bench, _only_deterministic(failure, gradient, case), bench.calls[begun:])
            if failure.status is not Status.NOT_ATTEMPTED:
                return _with_what_they_share(bench, gradient, case, failure)
            unwritten = unwritten or failure
    if unwritten is not None:
        return unwritten
    failure, advice = _other_ways(bench, gradient)
    if failure is not None:
        return failure
    checked = [case for case in gradient.cases if gradient.mode == "gradcheck" and all_double(case, bench)]
    for case in checked:
        inputs = bench.draw(case.args, "gradient", case.name)
        problem = gradcheck_problem(bench, gradient, case, inputs, differentiable(gradient, inputs))
        if problem is not None:
            return explained(bench, problem, _forwards_of(case, bench.calls[since:]))
    praise = passed(_praise(bool(checked), sum(case.deterministic for case in gradient.cases)))
    return replace(praise, lines=tuple(advice))


def _forwards_of(case: Case, calls: Sequence[Call]) -> list[Call]:
    return [call for call in calls if (call.stage, call.case) == ("forward", case.name)]


def _with_what_they_share(bench: Bench, gradient: Gradient, first: Case, failure: Outcome) -> Outcome:
    """Say what the cases with wrong gradients have in common, and the others have not.

    All cases before `first` are right; only where its values are wrong are those after it worth a run. Where
    the numbers have an explanation, what the few cases share may be a coincidence that contradicts it; and
    where forward is wrong, so is what the cases share: they share the sizes at which forward is.
    """
    if failure.topic != "values" or failure.cause is not None or failure.guess or forward_is_wrong(bench):
        return failure
    wrong = {first.name}
    position = [case.name for case in gradient.cases].index(first.name)
    for case in gradient.cases[position + 1 :]:
        other = judge_case(bench, gradient, case)
        if bench.context_lost or (other is not None and other.status is not Status.FAIL):
            return failure
        wrong |= {case.name} if other is not None else set()
    shared = in_common(gradient.cases, wrong)
    said = [in_a_sentence(shared, len(wrong))] if shared else []
    return replace(failure, lines=(*failure.lines, *said))


def _only_deterministic(failure: Outcome, gradient: Gradient, case: Case) -> Outcome:
    """Say of the first case that fails that it runs other code than those before it."""
    earlier = gradient.cases[: [each.name for each in gradient.cases].index(case.name)]
    if not case.deterministic or not earlier or any(each.deterministic for each in earlier):
        return failure
    if failure.topic not in ("values", "shape", "dtype"):
        return failure
    aside = "All cases outside of deterministic mode are right: look at what runs in that mode only."
    return replace(failure, sentence=f"{failure.sentence} {aside}")


def _praise(checked: bool, deterministic: int) -> str:
    agree = "Random, expanded and non-contiguous cotangents agree with float64 autograd through the reference"
    agree += ", and gradcheck agrees." if checked else "."
    if not deterministic:
        return agree
    cases = counted_words(deterministic, "case")
    return f"{agree} In deterministic mode every run gave the same bits ({cases})."


def _other_ways(bench: Bench, gradient: Gradient) -> tuple[Outcome | None, list[str]]:
    """Ask the first case that has elements again: after changes in place, and for second derivatives.

    Also returns advice that costs no points: what is saved for backward in vain.
    """
    for case in gradient.cases:
        inputs = bench.draw(case.args, "gradient", case.name)
        names = [each.name for each in differentiable(gradient, inputs)]
        if not all(inputs.named(name).tensor.numel() for name in names):
            continue
        tape = record_tape(bench, inputs, names, case.name)
        failure, saved = overwritten_problem(bench, case, inputs, tape)
        if failure is None and gradient.twice:
            failure = second_problem(bench, case, inputs, tape)
        advice = [] if failure is not None else list(saved_in_vain(bench, case, inputs, tape, saved))
        return failure, advice
    return None, []


def all_double(case: Case, bench: Bench) -> bool:
    """Finite differences need float64 throughout: float32 has too few digits left after the subtraction."""
    tensors = bench.draw(case.args, "dtypes").tensors()
    floating = [each for each in tensors if each.spec.floating]
    return bool(floating) and all(each.spec.dtype in ("float64", "complex128") for each in floating)


def judge_case(bench: Bench, gradient: Gradient, case: Case) -> Outcome | None:
    """All inputs together under every kind of cotangent, then each input alone."""
    inputs = bench.draw(case.args, "gradient", case.name)
    names = [each.name for each in differentiable(gradient, inputs)]
    tape = record_tape(bench, inputs, names, case.name)
    counted = gradient.unrequested and not _is_left_to_others(bench, gradient, case)
    launches, failure = _judge_subset(bench, case, inputs, tape, names, None, counted)
    if failure is not None:
        return failure
    for name in names if len(names) > 1 else []:
        alone, failure = _judge_subset(bench, case, inputs, tape, [name], RANDOM, counted)
        if failure is not None:
            return failure
        if counted and alone >= launches > 1:
            return _unrequested(bench, case, inputs, name, alone)
    return _in_every_run(bench, case, inputs, tape, names) if case.deterministic else None


def _is_left_to_others(bench: Bench, gradient: Gradient, case: Case) -> bool:
    """Whether the launches of another case's backward speak for those of this one: a trace takes 8 ms on a
    GPU, which is most of a small backward.
    """
    filled = (one for one in gradient.cases if all(0 not in each.shape for each in tensors_of(one.args)))
    return bench.hurries and case is not next(filled, case)


def _in_every_run(bench: Bench, case: Case, inputs: Inputs, tape: Tape, names: list[str]) -> Outcome | None:
    """In deterministic mode the right gradients are not enough: every run has to give the same bits."""

    def right(cotangents: list[torch.Tensor]) -> list[Expected]:
        wanted, sizes = tape.gradients(cotangents), tape.uncancelled(cotangents)
        return [expected_gradient(bench, inputs, name, wanted[name], size=sizes[name]) for name in names]

    return changing_gradient(bench, case, inputs, names, right)


def _judge_subset(
    bench: Bench, case: Case, inputs: Inputs, tape: Tape, names: list[str],
    only: tuple[str, ...] | None, counted: bool,
) -> tuple[int, Outcome | None]:  # fmt: skip
    """Judge with only `names` requiring grad; when `counted`, also says how many of the learner's kernels a
    backward launched. Its cotangents are of every kind, or of those in ``only``.
    """
    call = bench.forward(case, inputs, requires_grad=names)
    if call.reply.error is not None:
        failed = error_outcome(call.text, call.reply.error, case.name)
        return 0, advised(failed, call.reply.error, bench.files)
    if call.reply.trace.sticky_error is not None:
        return 0, device_error(call.text, call.reply, case.name)
    handle = call.reply.handle
    if handle is None:
        return 0, _detached(call, names, case.name) if tape.depends_on(names) else None
    try:
        failure = unlike(call, tape)
        if failure is not None:
            return 0, failure
        launches = 0
        wanted = only or kinds(dense(call))
        for kind in wanted:
            cotangents = [cotangent(bench, out, kind, case.name) for out in dense(call)]
            is_counted = counted and (kind == wanted[-1] or not bench.hurries)
            back = bench.backward(case, inputs, handle, cotangents, trace=is_counted)
            launches = _pieces_of_work(bench, back)
            failure = wrong_gradient(bench, case, inputs, tape, names, cotangents, back, kind)
            failure = failure or _changed_cotangent(bench, back, len(cotangents))
            if failure is not None:
                return launches, failure
        if case.launch_errors and only is None and bench.backend == "simt":
            return launches, unnoticed_in_backward(bench, back, handle, cotangents)
        return launches, None
    finally:
        bench.session.release(handle)


def _changed_cotangent(bench: Bench, back: Call, outputs: int) -> Outcome | None:
    """Incoming gradients must be as they were, bit by bit."""
    changed = bench.session.changed_inputs() if back.reply.error is None else ()
    if not changed:
        return None
    which = "the incoming gradient" if outputs == 1 else f"an incoming gradient ({changed[0]})"
    return Outcome(
        Status.FAIL,
        f"{back.text} changed {which}. Backward does not own it: autograd may pass the same tensor to other "
        "nodes. Write into a copy (clone); contiguous() makes one only where strides have to change.",
        case=back.case, topic="grad_out_changed",
    )  # fmt: skip


def _detached(call: Call, names: list[str], case: str) -> Outcome:
    return Outcome(
        Status.FAIL,
        f"{call.text}: {names[0]} requires grad, but the result does not: autograd cannot see through the "
        "kernel. Call it through the apply of your autograd.Function.",
        case=case, expected="an output that requires grad", got="one that does not", topic="autograd",
    )  # fmt: skip


def _pieces_of_work(bench: Bench, back: Call) -> int:
    """Launches and calls of libraries; an operator that is not allowed works, too, and is judged apart."""
    launches = len(own_launches(bench, back))
    if not bench.exercise.vendor:
        return launches
    return launches + vendor_work(bench, back) + len(foreign_operators(bench, back))


def _unrequested(bench: Bench, case: Case, inputs: Inputs, name: str, launches: int) -> Outcome:
    return Outcome(
        Status.FAIL,
        f"The backward of {bench.text(inputs)}: only {name} requires grad, and still {launches} kernels are "
        "launched, as many as for all gradients. Ask ctx.needs_input_grad and compute only what is wanted.",
        case=case.name, expected=f"fewer than {launches} launches", got=str(launches),
        topic="needs_input_grad",
    )  # fmt: skip
