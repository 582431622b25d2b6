"""opcheck and its relatives: what PyTorch itself has to say about how an operator is registered.

They run in the worker, so what they return is a claim; values that are compared are in
:mod:`grader.checks.operators.compiled` and :mod:`grader.checks.operators.mapped`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from grader.checks.bench import Bench
from grader.checks.outcome import Outcome
from grader.checks.values.inputs import Inputs
from grader.checks.values.wording import call_text
from grader.run.values import Reply
from grader.spec.dispatcher import Dispatcher, Operator
from grader.verdict import Status

SECONDS = 120.0  # the first use imports the compiler
_INSIDE = Path(__file__).parent / "inside.py"
_TODO = re.compile(r"TODO\((\w+)\)")
# Where PyTorch's first sentence ends, and its explanation begins.
_END = re.compile(
    r"(?<=[.?])(?<!e\.g\.)\s+(?=[A-Z])|\n\s*\n|\n\s*(?=Higher Order Operator|Explanation|Hint|Developer)"
)
_PREFIX = re.compile(r"backend='\w+' raised:\s*(\w+: )?")
_LONGEST = 400
_AOT_RULE = (
    "The compiler traces forward and backward with fake tensors. It needs the derivative under the key "
    "Autograd, a right fake of every operator on the way, and no code that looks at values."
)
_RULES = {
    "test_schema": "A schema says which arguments are written to, and which results share memory with one.",
    "test_faketensor": (
        "A fake gives shape, dtype, device and strides of what the kernel returns, without any values; where "
        "two are compared here, the kernel's come first."
    ),
    "test_aot_dispatch_static": _AOT_RULE,
    "test_aot_dispatch_dynamic": _AOT_RULE,
}
# Exceptions whose message is the name of an operator only.
_BARE = {
    "UnsupportedOperatorException": "there is no fake of {}; torch.library.register_fake gives it one.",
    "DataDependentOutputException": "{} asks for a value.",
    "DynamicOutputShapeException": "the shape that {} returns depends on values.",
}


def run(bench: Bench, function: str, args: Sequence[Any], trace: bool = False) -> Reply:
    """One function of the worker's part."""
    return bench.session.run_inside(f"{_INSIDE}:{function}", args, trace=trace, seconds=SECONDS)


def missing(bench: Bench, dispatcher: Dispatcher) -> Outcome | None:
    """An operator that was never defined: nothing else can be said about it."""
    names = [operator.name for operator in dispatcher.operators]
    reply = run(bench, "schemas", [names])
    for name, output in zip(names, reply.outputs, strict=False):
        if not output.value:
            namespace = name.partition("::")[0]
            sentence = (
                f"There is no operator {name}. TORCH_LIBRARY({namespace}, m) declares it to PyTorch, by a "
                "call of m.def with its schema, when the library is loaded."
            )
            return Outcome(Status.FAIL, sentence, expected=name, got="no such operator", topic="schema")
    return None


def schema(bench: Bench, dispatcher: Dispatcher) -> Outcome | None:
    """What an operator does to its arguments, against what its schema says."""
    return _opcheck(bench, dispatcher, ("test_schema",))


def autograd_registration(bench: Bench, dispatcher: Dispatcher) -> Outcome | None:
    """The derivative has to be registered, and for the operator rather than for a function around it."""
    failure = _opcheck(bench, dispatcher, ("test_autograd_registration",))
    if failure is not None:
        return failure
    for operator in dispatcher.operators:
        if operator.differentiable and not run(bench, "has_derivative", [operator.name]).outputs[0].value:
            return Outcome(
                Status.FAIL,
                f"{operator.name} has no derivative under the key Autograd. Whoever calls the operator "
                "itself, and not your function around it, gets a result that is cut out of the graph. "
                "torch.library.register_autograd registers one.",
                expected="a kernel for Autograd", got="none",
            )  # fmt: skip
    return None


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
                failure = raised(text, reply)
                complaint = "" if failure else str(reply.outputs[0].value)
                failure = failure or _complaint(text, test, complaint)
                if failure is not None:
                    return failure
    return None


def _complaint(text: str, test: str, complaint: str) -> Outcome | None:
    """What opcheck says, in its own first sentence and with the rule behind the test."""
    if not complaint:
        return None
    kind, _, message = complaint.partition(": ")
    said = _BARE[kind].format(message.rstrip(".")) if kind in _BARE else first_sentence(message)
    sentence = f"{text}: opcheck's {test} says: {said} {_RULES.get(test, '')}".rstrip()
    failure = Outcome(Status.FAIL, sentence, expected=f"{test} passes", got=said)
    return still_open(complaint) or failure


def _calls(bench: Bench, operator: Operator) -> Iterator[tuple[Inputs, str]]:
    for case in operator.cases:
        bench.current_case = case.name
        inputs = bench.draw(case.args, "dispatcher", operator.name, case.name)
        yield inputs, call_text(operator.name, inputs)


def _floating(inputs: Inputs) -> list[str]:
    return [each.name for each in inputs.tensors() if each.spec.floating]


# ---- what is raised, in words ------------------------------------------------------------------------------


def raised(text: str, reply: Reply) -> Outcome | None:
    """The failure that an exception is; an open TODO, from however far below, is work to do."""
    if reply.error is None:
        return None
    where = f" at {reply.error.where}" if reply.error.where else ""
    message = first_sentence(reply.error.message)
    return still_open(reply.error.message) or Outcome(
        Status.FAIL,
        f"{text} raised {reply.error.type}{where}: {message}",
        expected="a result", got=reply.error.type,
    )  # fmt: skip


def still_open(message: str) -> Outcome | None:
    """The outcome where `message` comes from a stub's TODO."""
    found = _TODO.search(message)
    return Outcome(Status.NOT_ATTEMPTED, f"Still open: {found[0]}.", topic="todo") if found else None


def first_sentence(message: str) -> str:
    """PyTorch explains at length; its first sentence says what is the matter."""
    text = " ".join(_END.split(_PREFIX.sub("", message.strip()), maxsplit=1)[0].split())
    text = text if len(text) <= _LONGEST else f"{text[:_LONGEST].rstrip()} ..."
    return text if text.endswith((".", "!", "?")) else f"{text}."
