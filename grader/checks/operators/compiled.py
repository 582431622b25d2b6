"""Run the entry and its operator under torch.compile in the worker; compare with the reference here.

A forged result would have to be the right one. The number of graphs is a claim.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import torch

from grader.checks.bench import Bench, Call
from grader.checks.device import device_work, library_work
from grader.checks.gradients.cotangents import cotangent, differentiable, expected_gradient
from grader.checks.gradients.reference_graph import record_tape
from grader.checks.operators.messages import raised
from grader.checks.operators.registered import has_derivative, run
from grader.checks.outcome import Outcome
from grader.checks.values.compare import compare
from grader.checks.values.correctness import wrong_output
from grader.checks.values.expected import Expected, expected_outputs
from grader.checks.values.inputs import Inputs
from grader.checks.values.wording import Hints, call_text, mismatch_outcome
from grader.run.values import Output, Reply, TensorArg
from grader.specification import Case
from grader.specification.dispatcher import Dispatcher
from grader.verdict import Status

TRACED = "aot_eager"  # captures what inductor captures, and runs it without generating code
# On a GPU also what users run. Its kernels are generated, so they cannot be told from the learner's.
COMPILERS = {"simt": (TRACED,), "cuda": (TRACED, "inductor")}


@dataclass(frozen=True)
class Asked:
    """One call of the compiled function, and what has to come back."""

    case: Case
    inputs: Inputs
    expected: tuple[Expected, ...]
    names: tuple[str, ...]  # of the arguments whose gradients are asked for
    cotangents: tuple[torch.Tensor, ...]


def compiled(bench: Bench, dispatcher: Dispatcher) -> Outcome | None:
    """One graph for all sizes, with right values and gradients: of the entry, and of the operator itself."""
    asked = [_ask(bench, case) for case in dispatcher.compiled]
    functions = ((bench.spec.entry, ""), ("", dispatcher.operators[0].name))
    for (entry, operator), compiler in product(functions, COMPILERS[bench.backend]):
        reply = run(
            bench, "compiled",
            [
                entry, operator, compiler,
                [each.inputs.for_worker(each.names) for each in asked],
                [[_argument(given, each) for given in each.cotangents] for each in asked],
            ],
            trace=compiler == TRACED,
        )  # fmt: skip
        failure = _judge(bench, asked, entry or operator, reply)
        if failure is not None:
            return _blamed(bench, dispatcher, failure)
    return None


def _blamed(bench: Bench, dispatcher: Dispatcher, failure: Outcome) -> Outcome:
    """A gradient that is lost for want of a registered derivative is the fault of another step."""
    if failure.got != "None" or has_derivative(bench, dispatcher.operators[0].name):
        return failure
    return replace(failure, topic="autograd_registration")


def _ask(bench: Bench, case: Case) -> Asked:
    inputs = bench.draw(case.args, "compiled", case.name)
    expected = expected_outputs(bench.spec, inputs, case.name)
    gradient = bench.spec.gradient
    names = tuple(each.name for each in differentiable(gradient, inputs)) if gradient else ()
    cotangents = (
        cotangent(bench, torch.empty(each.shape, dtype=each.dtype), "random", case.name) for each in expected
    )
    return Asked(case, inputs, expected, names, tuple(cotangents))


def _argument(given: torch.Tensor, asked: Asked) -> TensorArg:
    return TensorArg(given, asked.expected[0].device, name="grad_out")


def _judge(bench: Bench, asked: Sequence[Asked], name: str, reply: Reply) -> Outcome | None:
    """Count the graphs last: wrong values are the more telling failure."""
    failure = raised(f"{name}, compiled with fullgraph=True and dynamic=True,", reply)
    if failure is not None:
        return failure
    graphs, *rest = reply.outputs
    for each in asked:
        results, rest = rest[: len(each.expected)], rest[len(each.expected) :]
        gradients, rest = rest[: len(each.names)], rest[len(each.names) :]
        bench.current_case = each.case.name
        text = f"{call_text(name, each.inputs)}, compiled,"
        call = Call("compiled", each.case.name, text, replace(reply, outputs=tuple(results)))
        failure = wrong_output(each.expected, each.inputs, call) or _wrong_gradient(
            bench, each, gradients, f"{call_text(name, each.inputs)}, compiled"
        )
        if failure is not None:
            return failure
    whole = Call("backward", "", f"{name}, compiled,", reply)
    return _several_graphs(name, graphs, len(asked)) or _judge_work(bench, whole)


def _judge_work(bench: Bench, call: Call) -> Outcome | None:
    """Whether kernels of the submission did the work.

    PyTorch's profiler also names the operators that the compiler called on fake tensors while it captured the
    graph, so on cuda only the launches count.
    """
    if bench.backend == "cuda":
        return library_work.foreign_launch(bench, call)
    return device_work.judge_call(bench, call)


def _wrong_gradient(bench: Bench, asked: Asked, got: Sequence[Output], text: str) -> Outcome | None:
    tape = record_tape(bench, asked.inputs, list(asked.names), asked.case.name) if asked.names else None
    wanted = tape.gradients(list(asked.cotangents)) if tape else {}
    for name, output in zip(asked.names, got, strict=True):
        values = wanted[name]
        if output.kind == "none" and bool(values.any()):
            return Outcome(
                Status.FAIL,
                f"{text}: the gradient of {name} is None. The compiler takes the derivative that is "
                "registered for the operator under the key Autograd: backward returned None for it there, or "
                "something on the way leaves the graph, as detach() does.",
                expected=f"a gradient of {name}", got="None",
            )  # fmt: skip
        if output.kind == "none":
            continue
        expected = expected_gradient(bench, asked.inputs, name, values)
        mismatch = compare(output, expected)
        if mismatch is not None:
            return mismatch_outcome(
                text, expected, mismatch, output.tensor, asked.inputs, case=asked.case.name,
                hints=Hints(asked.cotangents[0]),
            )  # fmt: skip
    return None


def _several_graphs(name: str, graphs: Output, calls: int) -> Outcome | None:
    if graphs.value == 1:
        return None
    return Outcome(
        Status.FAIL,
        f"torch.compile(dynamic=True) made {graphs.value} graphs of {name} for {calls} calls that differ in "
        "their sizes only. Somewhere a size becomes a plain number, which the graph then fixes: by int(), "
        "a comparison or a list of numbers, in the fake or in front of the operator.",
        expected="1 graph", got=f"{graphs.value} graphs",
    )  # fmt: skip
