"""opcheck and its relatives: what PyTorch itself has to say about how an operator is registered.

They run in the worker, so what they return is a claim; values that are compared are in
:mod:`grader.checks.compiled` and :mod:`grader.checks.mapped`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from grader.checks.bench import Bench
from grader.checks.inputs import Inputs
from grader.checks.outcome import Outcome
from grader.checks.wording import call_text
from grader.run.values import Reply
from grader.spec.dispatcher import Dispatcher, Operator
from grader.verdict import Status

SECONDS = 120.0  # the first use imports the compiler
_INSIDE = Path(__file__).parent / "inside" / "dispatching.py"
_TODO = re.compile(r"TODO\((\w+)\)")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])|\n\s*\n")
_LONGEST = 400


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
        for inputs, text in _calls(bench, operator) if operator.differentiable else ():
            reply = run(bench, "requires_grad", [operator.name, *inputs.for_worker(_floating(inputs))])
            failure = raised(text, reply)
            if failure is None and reply.outputs[0].value is not True:
                failure = Outcome(
                    Status.FAIL,
                    f"{text}: its arguments require grad, and its result does not. By itself the operator is "
                    "cut out of every graph. torch.library.register_autograd gives it its derivative.",
                    expected="a result that requires grad", got="one that does not",
                )  # fmt: skip
            if failure is not None:
                return failure
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
                if complaint:
                    failure = still_open(complaint) or Outcome(
                        Status.FAIL,
                        f"{text}: opcheck's {test} says: {first_sentence(complaint)}",
                        expected=f"{test} passes", got=first_sentence(complaint),
                    )  # fmt: skip
                if failure is not None:
                    return failure
    return None


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
    text = " ".join(_SENTENCE_END.split(message.strip(), maxsplit=1)[0].split())
    text = text if len(text) <= _LONGEST else f"{text[:_LONGEST].rstrip()} ..."
    return text if text.endswith((".", "!", "?", "...")) else f"{text}."
