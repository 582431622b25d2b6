"""Run the entry under torch.func in the worker; compare with the reference here, call by call.

A forged result would have to be the right one. The number of launches is a claim.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch

from cusimt.support.words import counted
from grader.checks.bench import Bench, Call
from grader.checks.device import device_work
from grader.checks.device.launches import own_launches
from grader.checks.gradients.cotangents import cotangent, differentiable, expected_gradient
from grader.checks.gradients.reference_graph import record_tape
from grader.checks.operators.messages import raised
from grader.checks.operators.registered import run
from grader.checks.outcome import Outcome
from grader.checks.values.compare import compare
from grader.checks.values.expected import Expected, accumulation, expected_outputs, tolerance_for
from grader.checks.values.inputs import Drawn, Inputs
from grader.checks.values.wording import call_text, mismatch_outcome
from grader.run.values import Reply, TensorArg
from grader.specification.dispatcher import Dispatcher, Mapped
from grader.verdict import Status


def functional(bench: Bench, dispatcher: Dispatcher) -> Outcome | None:
    """vmap, gradients by torch.func, and one over the other; without a launch for every single call."""
    for mapped in dispatcher.mapped:
        bench.current_case = mapped.name
        inputs = bench.draw(mapped.args, "mapped", mapped.name)
        slices = [_slice(inputs, mapped, number) for number in range(mapped.size)]
        failure = _judge_vmap(bench, mapped, inputs, slices)
        if failure is None and bench.spec.gradient is not None:
            failure = _judge_gradients(bench, mapped, inputs, slices)
        if failure is not None:
            sentence = f"{failure.sentence} {_moved(dispatcher, mapped, inputs)}".strip()
            return replace(failure, sentence=sentence, case=mapped.name)
    return None


def _moved(dispatcher: Dispatcher, mapped: Mapped, inputs: Inputs) -> str:
    """Of the first call whose batch is not in front, after calls that were right."""
    earlier = dispatcher.mapped[: dispatcher.mapped.index(mapped)]
    behind = [(value, dim) for value, dim in zip(inputs.values, mapped.in_dims, strict=False) if dim]
    if not earlier or not behind or any(dim for each in earlier for dim in each.in_dims):
        return ""
    value, dim = behind[0]
    name = value.name if isinstance(value, Drawn) else "an argument"
    return (
        f"With the batch in dimension 0 all is right, and here it is dimension {dim} of {name}: does the "
        "rule move it to the front, as in_dims says, and return where the batch is in the result?"
    )


def _slice(inputs: Inputs, mapped: Mapped, number: int) -> Inputs:
    """The arguments of one of the calls that the mapped call is equivalent to."""
    values = list(inputs.values)
    for position, dim in enumerate(mapped.in_dims):
        whole = values[position]
        if dim is not None and isinstance(whole, Drawn):
            part = whole.tensor.select(dim, number)
            values[position] = Drawn(replace(whole.spec, shape=tuple(part.shape)), part)
    return Inputs(tuple(values))


def _judge_vmap(bench: Bench, mapped: Mapped, inputs: Inputs, slices: Sequence[Inputs]) -> Outcome | None:
    entry = bench.spec.entry
    alone = bench.session.call(entry, slices[0].for_worker(), trace=True)
    text = call_text(entry, slices[0])
    failure = raised(text, alone)
    if failure is not None:
        return failure
    reply = run(bench, "mapped", [entry, list(mapped.in_dims), *inputs.for_worker()], trace=True)
    text = call_text(f"vmap({entry}, in_dims={mapped.in_dims})", inputs)
    each = [expected_outputs(bench.spec, part, mapped.name) for part in slices]
    expected = [_stacked(bench, inputs, outputs) for outputs in zip(*each, strict=True)]
    failure = _misplaced(text, reply, expected) or _wrong(text, reply, expected, inputs)
    call = Call("forward", mapped.name, text, reply)
    return failure or _loop(bench, text, alone, call, mapped) or device_work.judge_call(bench, call)


def _judge_gradients(
    bench: Bench, mapped: Mapped, inputs: Inputs, slices: Sequence[Inputs]
) -> Outcome | None:
    """By torch.func.vjp: of the first call alone, then of every call, under vmap."""
    entry, gradient = bench.spec.entry, bench.spec.gradient
    assert gradient is not None
    names = [each.name for each in differentiable(gradient, slices[0])]
    wanted = [
        at for at, value in enumerate(inputs.values) if isinstance(value, Drawn) and value.name in names
    ]
    first = expected_outputs(bench.spec, slices[0], mapped.name)
    cotangents = [
        cotangent(bench, torch.empty((mapped.size, *out.shape), dtype=out.dtype), "random", mapped.name)
        for out in first
    ]
    device = first[0].device
    truths = [
        _gradients(bench, part, names, [whole[number] for whole in cotangents], mapped.name)
        for number, part in enumerate(slices)
    ]
    given = [TensorArg(whole[0].clone(), device, name="grad_out") for whole in cotangents]
    alone = run(bench, "vjp", [entry, wanted, given, *slices[0].for_worker()], trace=True)
    text = f"The gradients of {call_text(entry, slices[0])} by torch.func.vjp"
    failure = _wrong(text, alone, truths[0], slices[0])
    if failure is not None:
        return failure
    given = [TensorArg(whole, device, name="grad_out") for whole in cotangents]
    arguments = [entry, list(mapped.in_dims), wanted, given, *inputs.for_worker()]
    reply = run(bench, "mapped_vjp", arguments, trace=True)
    text = f"The gradients of {call_text(f'vmap({entry}, in_dims={mapped.in_dims})', inputs)}, one by one"
    expected = [_stacked(bench, inputs, gradients) for gradients in zip(*truths, strict=True)]
    call = Call("backward", mapped.name, text, reply)
    failure = _misplaced(text, reply, expected) or _wrong(text, reply, expected, inputs)
    return failure or _loop(bench, text, alone, call, mapped) or device_work.judge_call(bench, call)


def _gradients(
    bench: Bench, part: Inputs, names: list[str], cotangents: list[torch.Tensor], case: str
) -> list[Expected]:
    """What the reference says of one of the calls."""
    found = record_tape(bench, part, names, case).gradients(cotangents)
    return [expected_gradient(bench, part, name, values) for name, values in found.items()]


def _stacked(bench: Bench, inputs: Inputs, each: Sequence[Expected]) -> Expected:
    values = torch.stack([one.values for one in each])
    tolerance = tolerance_for(bench.spec, values, each[0].dtype, accumulation(bench.spec, inputs))
    return replace(each[0], values=values, tolerance=tolerance)


def _wrong(text: str, reply: Reply, expected: Sequence[Expected], inputs: Inputs) -> Outcome | None:
    failure = raised(text, reply)
    if failure is not None:
        return failure
    for output, wanted in zip(reply.outputs, expected, strict=True):
        mismatch = compare(output, wanted)
        if mismatch is not None:
            return mismatch_outcome(text, wanted, mismatch, output.tensor, inputs, case="")
    return None


def _misplaced(text: str, reply: Reply, expected: Sequence[Expected]) -> Outcome | None:
    """A rule whose result has the batch in another dimension than it says."""
    if reply.error is not None:
        kind, message = reply.error.type, reply.error.message
        outside = kind == "IndexError" and message.startswith("Dimension out of range")
        return _batch_elsewhere(f"{text} raised {kind}", kind, expected[0].shape) if outside else None
    for output, one in zip(reply.outputs, expected, strict=False):
        if output.tensor is None:
            continue
        shape, wanted = tuple(output.tensor.shape), one.shape
        moved = sorted(shape) == sorted(wanted) or shape[1:] == wanted
        if shape != wanted and moved:
            said = f"{text}: {one.name} has shape {shape}, expected {wanted}"
            return _batch_elsewhere(said, str(shape), wanted)
    return None


def _batch_elsewhere(said: str, got: str, wanted: tuple[int, ...]) -> Outcome:
    return Outcome(
        Status.FAIL,
        f"{said}. The second value that a rule returns says where the batch dimension of its result is; it "
        "is not there.",
        expected=str(wanted), got=got,
    )  # fmt: skip


def _loop(bench: Bench, text: str, alone: Reply, call: Call, mapped: Mapped) -> Outcome | None:
    """Launches that grow by one or more with every call are those of a loop."""
    single = len(own_launches(bench, replace(call, reply=alone)))
    launches = len(own_launches(bench, call))
    if launches - single < mapped.size - 1:
        return None
    return Outcome(
        Status.FAIL,
        f"{text}: {counted(launches, 'launch', 'launches')} for {mapped.size} samples, {single} expected: no "
        "rule is registered, or the rule loops. torch.library.register_vmap gives an operator a rule, which "
        "calls it once, with one more dimension.",
        expected=f"{single}", got=f"{launches}",
    )  # fmt: skip
