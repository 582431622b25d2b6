"""opcheck and its relatives: PyTorch's own tests of a registration.

They run in the worker, so what they return is a claim; values that are compared are in
:mod:`grader.checks.operators.compiled` and :mod:`grader.checks.operators.mapped`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from cusimt.support.words import counted
from grader.checks.bench import Bench
from grader.checks.operators.messages import complaint_outcome, raised
from grader.checks.outcome import Outcome
from grader.checks.values.inputs import Inputs
from grader.checks.values.wording import call_text
from grader.run.values import Reply
from grader.specification.dispatcher import Dispatcher, Operator
from grader.verdict import Status

SECONDS = 120.0  # the first use imports the compiler
_INSIDE = Path(__file__).parent / "inside.py"


def run(bench: Bench, function: str, args: Sequence[Any], trace: bool = False) -> Reply:
    """One function of the worker's part."""
    return bench.session.run_inside(f"{_INSIDE}:{function}", args, trace=trace, seconds=SECONDS)


def missing(bench: Bench, dispatcher: Dispatcher) -> Outcome | None:
    """An operator that was never defined: nothing else can be said about it."""
    for name, signature in _signatures(bench, dispatcher).items():
        if not signature:
            namespace = name.partition("::")[0]
            sentence = (
                f"There is no operator {name}. TORCH_LIBRARY({namespace}, m) declares it to PyTorch, by a "
                "call of m.def with its schema, when the library is loaded."
            )
            return Outcome(Status.FAIL, sentence, expected=name, got="no such operator", topic="schema")
    return None


def schema(bench: Bench, dispatcher: Dispatcher) -> Outcome | None:
    """The names of the arguments; then what an operator does to them, against what its schema says."""
    signatures = _signatures(bench, dispatcher)
    for operator in dispatcher.operators:
        asked = f"({', '.join(operator.arguments)})"
        if signatures[operator.name] != asked:
            return Outcome(
                Status.FAIL,
                f"{operator.name} calls its arguments {signatures[operator.name]}; {asked} is asked for. The "
                "names in a schema are those by which a caller in Python may pass them.",
                expected=asked, got=signatures[operator.name],
            )  # fmt: skip
    return _opcheck(bench, dispatcher, ("test_schema",))


def _signatures(bench: Bench, dispatcher: Dispatcher) -> dict[str, str]:
    """``(x, y)`` for every operator that there is, ``""`` for the others."""
    names = [operator.name for operator in dispatcher.operators]
    reply = run(bench, "signatures", [names])
    found = {name: str(output.value) for name, output in zip(names, reply.outputs, strict=False)}
    return dict.fromkeys(names, "") | found


def autograd_registration(bench: Bench, dispatcher: Dispatcher) -> Outcome | None:
    """The derivative has to be registered, and for the operator rather than for a function around it."""
    failure = _opcheck(bench, dispatcher, ("test_autograd_registration",))
    if failure is not None:
        return failure
    for operator in dispatcher.operators:
        if operator.differentiable and not has_derivative(bench, operator.name):
            return Outcome(
                Status.FAIL,
                f"{operator.name} has no derivative under the key Autograd. Code that calls the operator "
                "itself, not your function around it, gets a result that is cut out of the graph. "
                "torch.library.register_autograd registers one.",
                expected="a kernel for Autograd", got="none",
            )  # fmt: skip
    return None


def has_derivative(bench: Bench, operator: str) -> bool:
    """Whether a derivative is registered for `operator` itself, wherever it is called from."""
    reply = run(bench, "has_derivative", [operator])
    return bool(reply.outputs and reply.outputs[0].value)


def fake_tensor(bench: Bench, dispatcher: Dispatcher) -> Outcome | None:
    """Shape, dtype, device and strides without a kernel, against those with it."""
    return _opcheck(bench, dispatcher, ("test_faketensor",))


def aot_dispatch(bench: Bench, dispatcher: Dispatcher) -> Outcome | None:
    """Forward and backward traced ahead of time, with sizes as numbers and as symbols, against eager."""
    return _opcheck(bench, dispatcher, ("test_aot_dispatch_static", "test_aot_dispatch_dynamic"))


def _opcheck(bench: Bench, dispatcher: Dispatcher, tests: Sequence[str]) -> Outcome | None:
    for operator in dispatcher.operators:
        for inputs, text in _calls(bench, operator):
            wanted = _floating(inputs) if operator.differentiable else ()
            for test in tests:
                reply = run(bench, "opcheck", [operator.name, test, *inputs.for_worker(wanted)])
                failure = raised(text, reply) or _objection(bench, text, test, reply)
                if failure is not None:
                    return miscounted(bench, dispatcher) or failure
    return None


def _objection(bench: Bench, text: str, test: str, reply: Reply) -> Outcome | None:
    complaint, where = (str(each.value) for each in reply.outputs) if reply.outputs else ("", "")
    return complaint_outcome(text, test, complaint, where, bench.files)


def miscounted(bench: Bench, dispatcher: Dispatcher) -> Outcome | None:
    """A fake with another number of results than its operator: PyTorch's error says neither which nor how
    many, and may come up in another operator's test.
    """
    for operator in dispatcher.operators:
        inputs, _ = next(_calls(bench, operator))
        reply = run(bench, "fake_results", [operator.name, *inputs.for_worker()])
        if reply.error is not None:
            continue
        given, needed = (int(str(each.value)) for each in reply.outputs)
        if given != needed:
            return Outcome(
                Status.FAIL,
                f"The fake of {operator.name} returns {counted(given, 'value')}, and its schema has "
                f"{needed}. Is another operator's fake registered for it? A fake returns as many "
                "tensors as the operator.",
                expected=f"{needed} from the fake", got=str(given), topic="fake_tensor",
            )  # fmt: skip
    return None


def _calls(bench: Bench, operator: Operator) -> Iterator[tuple[Inputs, str]]:
    for case in operator.cases:
        bench.current_case = case.name
        inputs = bench.draw(case.args, "dispatcher", operator.name, case.name)
        yield inputs, call_text(operator.name, inputs)


def _floating(inputs: Inputs) -> list[str]:
    return [each.name for each in inputs.tensors() if each.spec.floating]
