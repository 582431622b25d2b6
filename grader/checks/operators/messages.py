"""PyTorch's objections to an operator, from opcheck or from exceptions, as sentences."""

from __future__ import annotations

import builtins
import re
from pathlib import Path

from grader.checks import unpacking
from grader.checks.outcome import Outcome
from grader.run.values import TUNED_APART, Reply
from grader.verdict import Status

_TODO = re.compile(r"TODO\((\w+)\)")
# Where PyTorch's first sentence ends, and its explanation begins.
_END = re.compile(
    r"(?<=[.?])(?<!e\.g\.)\s+(?=[A-Z])|\n\s*\n"
    r"|\n\s*(?=Search for `cuda|Higher Order Operator|Explanation|Hint|Developer)"
)
_PREFIX = re.compile(r"backend='\w+' raised:\s*(\w+: )?")
_NO_KERNEL = re.compile(
    r"Could not run '(?P<name>(?!aten::)[\w:.]+)' with arguments from the '(?P<key>\w+)' backend"
)
# torch calls setup_context(ctx=..., inputs=..., output=...), and backward by position.
_EXCHANGED = re.compile(r"(?P<name>[\w.]+)\(\) got an unexpected keyword argument '(inputs|output)'")
# Backward unpacks what nothing has saved.
_NOTHING_SAVED = re.compile(r"not enough values to unpack \(expected \d+, got 0\)")
_CALLS_ITSELF = re.compile(r"maximum recursion depth exceeded")
# Two runs of one operator that do not agree: also where each run of the kernel has values of its own.
_DISAGREES = re.compile(r"(?:Outputs|Gradients) of the operator are different in eager-mode")
VALUES = "values"  # the topic of that, and of values that were compared with those of the reference
NUMBER = "number_of_gradients"  # the topic of that: the registration's fault, whatever was tested
_LONGEST = 400
_AOT_RULE = (
    "The compiler traces forward and backward with fake tensors. It needs the derivative under the key "
    "Autograd, a right fake of every operator on the way, and no code that looks at values."
)
_RULES = {
    "test_schema": "A schema says which arguments are written to, and which results share memory with one.",
    "test_faketensor": (
        "A fake gives shape, dtype, device and strides of what the kernel returns, without any values."
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
_COMPARING = ("RuntimeError", "AssertionError")  # of Python's own exceptions, those that opcheck raises
_FAILED = "AcceleratorError"  # a kernel, or its launch


def complaint_outcome(
    text: str, test: str, complaint: str, where: str = "", files: Path = Path()
) -> Outcome | None:
    """What one of opcheck's tests says, in its own first sentence and with the rule behind the test.

    An exception that the test merely met, a TypeError for instance, has nothing to do with that rule;
    `where` in `files` is the place that raised it. A device that failed is no test's fault.
    """
    if not complaint:
        return None
    kind, _, message = complaint.partition(": ")
    said = _BARE[kind].format(message.rstrip(".")) if kind in _BARE else first_sentence(message)
    met = hasattr(builtins, kind) and kind not in _COMPARING
    rule = _RULES.get(test, "")
    if test == "test_faketensor" and kind not in _BARE:
        rule += " Where two are compared here, the kernel's come first."
    if kind == _FAILED:
        sentence = f"{text} raised {kind}: {said} Repair what the checks before this one say of it."
        return Outcome(Status.FAIL, sentence, expected="a result", got=kind, topic="errors")
    if met or kind == TUNED_APART:
        at = f" at {where}" if where else ""
        sentence = f"{text}: under opcheck's {test}, {kind} was raised{at}: {said}"
        sentence = f"{sentence} {unpacking.advice(message, where, files)}".rstrip()
    else:
        sentence = f"{text}: opcheck's {test} says: {said} {rule}".rstrip()
    topic = VALUES if _DISAGREES.search(message) else ""
    failed = Outcome(Status.FAIL, sentence, expected=f"{test} passes", got=said, topic=topic)
    return recognized(complaint) or failed


def raised(text: str, reply: Reply) -> Outcome | None:
    """The failure that an exception is; an open TODO, from however far below, is work to do."""
    if reply.error is None:
        return None
    where = f" at {reply.error.where}" if reply.error.where else ""
    message = first_sentence(reply.error.message)
    return recognized(reply.error.message) or Outcome(
        Status.FAIL,
        f"{text} raised {reply.error.type}{where}: {message}",
        expected="a result", got=reply.error.type,
    )  # fmt: skip


def recognized(message: str) -> Outcome | None:
    """The outcome where the cause of `message` is known, whatever was tested when it came up.

    ``topic`` is then that of the cause.
    """
    if found := _TODO.search(message):
        return Outcome(Status.NOT_ATTEMPTED, f"Still open: {found[0]}.", topic="todo")
    if found := _NO_KERNEL.search(message):
        return Outcome(
            Status.FAIL,
            f"{found['name']} has no kernel for {found['key']}. A call of m.impl connects its name with a "
            "C++ function, when the library is loaded.",
            expected=f"a kernel for {found['key']}", got="none", topic="errors",
        )  # fmt: skip
    if found := _EXCHANGED.search(message):
        return Outcome(
            Status.FAIL,
            f"{found['name']} is called as setup_context(ctx, inputs, output), and takes other arguments: "
            "backward and setup_context are exchanged, or its parameters have other names. register_autograd "
            "gets backward first, then setup_context=.",
            expected="setup_context(ctx, inputs, output)", got=found["name"], topic="autograd_registration",
        )  # fmt: skip
    if found := unpacking.OTHER_NUMBER.search(message):
        return Outcome(
            Status.FAIL,
            unpacking.too_many_or_few(int(found["needed"]) - int(found["given"])),
            expected="a gradient for each argument", got=found[0], topic=NUMBER,
        )  # fmt: skip
    if _NOTHING_SAVED.search(message):
        return Outcome(
            Status.FAIL,
            "backward found no saved tensor to unpack: where the operator is differentiated, nothing was "
            "saved for it. register_autograd gets setup_context= as well, which saves it.",
            expected="ctx.saved_tensors as setup_context saved them", got="none",
            topic="autograd_registration",
        )  # fmt: skip
    if _CALLS_ITSELF.search(message):
        return Outcome(
            Status.FAIL,
            "RecursionError was raised: a function calls itself without end. A fake that calls its own "
            "operator is such a function, since a fake tensor is what the fake is called for. Let it make an "
            "empty tensor of the right shape, as x.new_empty(shape) does.",
            expected="a fake without values", got="RecursionError", topic="fake_tensor",
        )  # fmt: skip
    return None


def first_sentence(message: str) -> str:
    """PyTorch explains at length; its first sentence says what is the matter."""
    text = " ".join(_END.split(_PREFIX.sub("", message.strip()), maxsplit=1)[0].split())
    text = text if len(text) <= _LONGEST else f"{text[:_LONGEST].rstrip()} ..."
    return text if text.endswith((".", "!", "?")) else f"{text}."
