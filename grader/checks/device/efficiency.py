"""Check a call's memory traffic against the limits of the spec. Traffic is counted, so this runs on simt
only.

The counts come from the worker, like every trace: they are a claim (docs/reference/trust.md). A wrong answer,
or one that other code than the learner's kernels wrote, is not counted at all: doing nothing is cheap.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path

from cusimt.counters import symbolise
from cusimt.profile.occupancy import simulated_device
from cusimt.records.source_lines import SourceReader
from grader.checks.bench import Bench, Call
from grader.checks.device import device_work
from grader.checks.device.counted_case import tensor_names
from grader.checks.device.launches import is_of_a_library
from grader.checks.device.limit_causes import CountedStage, amount_of
from grader.checks.device.limit_results import Judged, outcome_of
from grader.checks.device.producers import is_right
from grader.checks.device.vendor_work import recorded_calls
from grader.checks.gradients.comparison import wrong_gradient
from grader.checks.gradients.cotangents import cotangent, differentiable
from grader.checks.gradients.engine import numeric_sizes
from grader.checks.gradients.reference_graph import dense, record_tape
from grader.checks.outcome import Outcome
from grader.checks.prerequisites import obstacle
from grader.checks.values.correctness import wrong_output
from grader.checks.values.expected import expected_outputs
from grader.checks.values.inputs import Inputs
from grader.checks.values.wording import error_outcome
from grader.specification.efficiency import (
    COTANGENT,
    GRADIENT_OF,
    METRICS,
    OUTPUT,
    Cotangent,
    Efficiency,
    Limit,
    Stage,
)
from grader.verdict import NOT_JUDGED, Status

ON_SIMT_ONLY = (
    "The simulated GPU counts memory traffic, since it sees every access; on a real one these points do not "
    "count. Run: grader check {} --backend simt"
)
TOO_SMALL = (
    "The limits on memory traffic are for tiles that do not fit into the shared memory of the GPU that "
    "CUSIMT_DEVICE names, so these points do not count."
)


def check(bench: Bench) -> Outcome:
    """Count each case of EFFICIENCY once; the limits that hold earn their shares of the points."""
    if bench.backend != "simt":
        return Outcome(Status.UNAVAILABLE, ON_SIMT_ONLY.format(f"{bench.exercise.number:02d}"))
    if not bench.spec.efficiency:
        return Outcome(Status.UNAVAILABLE, "This exercise sets no limits on memory traffic.")
    wanted = _stages(bench)
    uncounted = _not_counted(bench, wanted or {"backward"})
    if uncounted is not None:
        return uncounted
    judged = _compare(bench, wanted)
    if not judged:
        return Outcome(Status.UNAVAILABLE, TOO_SMALL)
    return judged if isinstance(judged, Outcome) else _of_all_limits(bench, outcome_of(bench, judged), wanted)


def of_a_part(bench: Bench) -> Outcome:
    """The limits of a part whose answers, gradients and work are judged already: it holds all or none."""
    if bench.backend != "simt":
        return Outcome(Status.UNAVAILABLE, ON_SIMT_ONLY.format(f"{bench.exercise.number:02d}"))
    judged = _compare(bench, ("forward", "backward"))
    return judged if isinstance(judged, Outcome) else replace(outcome_of(bench, judged), share=None)


def _compare(bench: Bench, wanted: Collection[Stage]) -> list[Judged] | Outcome:
    """Every limit on these stages beside what was counted; or what stands in the way."""
    judged: list[Judged] = []
    device = simulated_device()
    for efficiency in bench.spec.efficiency:
        if efficiency.shared_bytes > device.shared - device.shared_reserved:
            continue
        inputs = bench.draw(efficiency.case.args, "efficiency", efficiency.case.name)
        limits = [limit for limit in efficiency.limits if limit.stage in wanted]
        stages = _count(bench, replace(efficiency, limits=limits), inputs) if limits else {}
        if isinstance(stages, Outcome):
            return stages
        found = (_judge(efficiency.case.name, limit, stages[limit.stage], inputs) for limit in limits)
        judged += [each for each in found if each is not None]
    return judged


def _judge(case: str, limit: Limit, stage: CountedStage, inputs: Inputs) -> Judged | None:
    """None for what is not known on this machine."""
    bound = limit.bound
    bound = bound(*inputs.for_reference(widen=False)) if callable(bound) else bound
    bound = math.floor(bound) if limit.least is None else math.ceil(bound)  # what is counted has no fractions
    if limit.of:
        stage = stage.only(limit.of)
    amount = amount_of(METRICS[limit.metric], stage)
    return Judged(case, limit, stage, amount, bound) if amount is not None else None


# ---- counting ----------------------------------------------------------------------------------------------


def _count(bench: Bench, efficiency: Efficiency, inputs: Inputs) -> dict[Stage, CountedStage] | Outcome:
    """Run the case with counting on, and its backward if a limit asks for it; or what stands in the way."""
    case = efficiency.case
    both = any(limit.stage == "backward" for limit in efficiency.limits)
    asked = differentiable(bench.spec.gradient, inputs) if both and bench.spec.gradient else []
    names = [each.name for each in asked]
    call = bench.forward(case, inputs, requires_grad=names, count=True)
    failure = _failed(call) or wrong_output(expected_outputs(bench.spec, inputs, case.name), inputs, call)
    if failure is not None:
        return failure
    back = _count_backward(bench, efficiency, inputs, call, names) if both else None
    if isinstance(back, Outcome):
        return back
    for each in (call, back):
        work = device_work.judge_call(bench, each) if each is not None else None
        if work is not None:
            return work
    sizes = _sizes(inputs, call)
    stages: dict[Stage, CountedStage] = {"forward": _stage(call, call, bench.files, sizes)}
    if back is not None:
        stages["backward"] = _stage(back, call, bench.files, sizes, efficiency.cotangent)
    return stages


def _sizes(inputs: Inputs, forward: Call) -> dict[str, int]:
    """The bytes of every tensor that a limit may be about, by its name."""
    arguments = {each.name: each.tensor.nbytes for each in inputs.tensors()}
    gradients = {GRADIENT_OF + name: nbytes for name, nbytes in arguments.items()}
    output = sum(each.nbytes for each in dense(forward))
    return {**arguments, **gradients, OUTPUT: output, COTANGENT: output}


def _count_backward(
    bench: Bench, efficiency: Efficiency, inputs: Inputs, call: Call, names: list[str]
) -> Call | Outcome:
    case, handle = efficiency.case, call.reply.handle
    if handle is None:
        return Outcome(Status.FAIL, f"{call.text} returned what has no gradient.", case=case.name)
    try:
        with numeric_sizes():
            tape = record_tape(bench, inputs, names, case.name)
            kind = efficiency.cotangent
            cotangents = [cotangent(bench, out, kind, case.name) for out in dense(call)]
            back = bench.backward(case, inputs, handle, cotangents, count=True)
            wrong = wrong_gradient(bench, case, inputs, tape, names, cotangents, back, kind)
        return _failed(back) or wrong or back
    finally:
        bench.session.release(handle)


def _failed(call: Call) -> Outcome | None:
    """An exception or a kernel that was stopped."""
    if call.reply.error is not None:
        return error_outcome(call.text, call.reply.error, call.case)
    trace = call.reply.trace
    if trace.sticky_error is not None:
        sentence = f"{call.text}: a kernel failed with {trace.sticky_error}, so its counts mean nothing."
        return Outcome(Status.FAIL, sentence, case=call.case, topic="errors")
    if trace.launches_total > len(trace.counts):
        sentence = (
            f"{call.text} launches {trace.launches_total} kernels, of which {len(trace.counts)} were "
            "counted. A launch costs more than most kernels of this size: do the work in fewer."
        )
        return Outcome(Status.FAIL, sentence, case=call.case, topic="launches")
    return None


def _not_counted(bench: Bench, stages: Collection[Stage]) -> Outcome | None:
    """Counts of what is wrong say nothing, also where the case that is counted happens to be right."""
    for check, why in _NOT_COUNTED.items():
        known = obstacle(bench, check) if "backward" in stages or check != "gradient" else None
        if known is None or (check == "device_work" and known.not_own):
            continue  # by correctness and gradient, these stages are the learner's; what is counted is asked
        judged = "part" if check == "correctness" and bench.spec.part is not None else check
        why = _NOT_COUNTED["device_work"] if known.not_own else _REASONS.get((judged, known.topic), why)
        return Outcome(known.status, f"{NOT_JUDGED}: {why}.", topic=known.topic, not_own=known.not_own)
    return None


def _stages(bench: Bench) -> set[Stage]:
    """What is limited, without a backward whose right gradients others made."""
    limited = {limit.stage for each in bench.spec.efficiency for limit in each.limits}
    gradient = bench.outcomes.get("gradient")
    return limited - {"backward"} if gradient is not None and is_right(gradient) else limited


def _of_all_limits(bench: Bench, outcome: Outcome, stages: Collection[Stage]) -> Outcome:
    """`outcome`, of the limits on these stages, for its share of all limits."""
    limits = [limit for each in bench.spec.efficiency for limit in each.limits]
    left_out = [limit for limit in limits if limit.stage not in stages]
    if not left_out:
        return outcome
    share = outcome.share if outcome.share is not None else float(outcome.status is Status.PASS)
    counted = sum(limit.share for limit in limits if limit.stage in stages)
    return replace(
        outcome,
        status=Status.FAIL,
        sentence=f"Backward is not counted: only your own kernels are. {outcome.sentence}",
        share=share * counted / sum(limit.share for limit in limits),
        topic=outcome.topic or left_out[0].metric,
        not_own=bench.outcomes["gradient"].not_own,
    )


_NOT_COUNTED = {
    "correctness": "the cost of a wrong answer means nothing",
    "gradient": "the cost of a wrong gradient means nothing",
    "device_work": "only your own kernels are counted",
}
_REASONS = {  # where the earlier check, by its topic, found something else than others' work or wrong values
    ("gradient", "needs_input_grad"): "backward also computes gradients that were not requested",
    ("gradient", "saved"): "what backward saves changes what is counted",
    ("gradient", "errors"): "backward raised an error",
    ("gradient", "number_of_gradients"): "backward raised an error",
    ("gradient", "autograd_registration"): "there is no backward to be counted",
    ("correctness", "errors"): "forward raised an error",
    ("part", "errors"): "a call raised an error",  # in forward or in backward: a part is judged as a whole
    ("device_work", "synchronisation"): "the call waits for the device",
    ("device_work", "copies"): "the call copies between host and device",
    ("device_work", "handle"): "the call creates a handle",
    ("device_work", "allocation"): "the call takes memory from the runtime",
    ("device_work", "library"): "an operator of PyTorch does work that is not counted",
}


def _stage(
    call: Call, forward: Call, files: Path, sizes: Mapping[str, int], kind: Cotangent = "random"
) -> CountedStage:
    """What was counted in `call`, which is `forward` or its backward for a cotangent of `kind`."""
    found = symbolise(call.reply.trace.counts, quote=SourceReader(files))
    counts = [each for each in found if not is_of_a_library(each.launch.kernel)]
    names = tensor_names(forward.reply)
    if call is not forward:
        names |= tensor_names(call.reply, backward=True)  # forward's tensors are still alive
    text = forward.text if call is forward else f"the backward of {forward.text}"
    if kind != "random":
        text = f"{text} for {'an' if kind[0] in 'aeiou' else 'a'} {kind} cotangent"
    trace = call.reply.trace
    return CountedStage(
        text, tuple(counts), names, files, trace.allocations, trace.peak_bytes,
        tuple(recorded_calls(call)), trace.operators, sizes,
    )  # fmt: skip
