"""How a verdict words calls, values and failures."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import torch

from grader.checks.outcome import Cause, Outcome
from grader.checks.values.agreement import agrees, tells
from grader.checks.values.compare import Mismatch, number
from grader.checks.values.diagnose import diagnose
from grader.checks.values.error_places import a_region
from grader.checks.values.expected import Expected
from grader.checks.values.inputs import HOLDS, Drawn, Inputs, Value
from grader.checks.values.relations import negated
from grader.checks.values.unwritten import by_the_launch, never_written
from grader.checks.values.wrong_answer import Wrong
from grader.run.values import Output, RemoteError, Reply, TracedLaunch
from grader.specification import Case
from grader.verdict import Status

_LAYOUTS = {
    "sliced": "sliced [..., ::2]", "truncated": "truncated from longer rows",
    "far": "with elements beyond offset 2^31",
}  # fmt: skip


def call_text(entry: str, inputs: Inputs, case: Case | None = None) -> str:
    """``muladd(a: float32 (5, 67), b: float32 (5, 67) sliced, 2.0)``, and what `case` puts around it."""
    arguments = ", ".join(_argument(value) for value in inputs.values)
    aside = ""
    if case is not None:
        aside += " under a side stream" if case.stream == "side" else ""
        aside += f" under autocast to {case.autocast}" if case.autocast else ""
        aside += " in deterministic mode" if case.deterministic else ""
    return f"{entry}({arguments}){aside}"


def _argument(value: Value) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_argument(each) for each in value) + "]"
    if not isinstance(value, Drawn):
        return repr(value)
    given = value.spec
    words = [f"{given.name}: {given.dtype} {_shape(given.shape)}"]
    if given.layout != "contiguous":
        words.append(_LAYOUTS.get(given.layout, given.layout))
    if given.special:
        words.append(_SPECIAL.get(given.special, given.special))
    if given.kind == "numpy":
        words.append("NumPy")
    elif given.device != "cuda:0":
        words.append(f"on {given.device}")
    return " ".join(words)


# In a call; "zeros", "ones" and "large" say it themselves.
_SPECIAL = {special: f"with {HOLDS[special]}" for special in ("nan", "inf")}
_SPECIAL["masked"] = f"masked with {HOLDS['masked']}"


def _shape(shape: Sequence[int]) -> str:
    return "(" + ", ".join(str(extent) for extent in shape) + ("," if len(shape) == 1 else "") + ")"


@dataclass(frozen=True)
class Hints:
    """What else may explain a wrong answer: who wrote it; of a gradient the cotangent, the right gradients
    of the other inputs, and the right one for a cotangent of ones; whether it came from an autocast region;
    the launches of the call, and how to find a mistake that gives this answer.
    """

    cotangent: torch.Tensor | None = None
    others: Mapping[str, torch.Tensor] = field(default_factory=dict)
    writers: Mapping[str, int] | None = None  # bytes of the answer by who wrote them last, where known
    cause: Cause | None = None  # it comes first, and no guess is made
    for_ones: torch.Tensor | None = None
    autocast: bool = False
    launches: Sequence[TracedLaunch] = ()
    reason: Callable[[], str] = str  # see Wrong
    right: Collection[str] = ()  # names of `others` whose gradients were returned, and are right
    of_wrong_forward: bool = False  # see Wrong

    def unlike(self, expected: torch.Tensor) -> Hints:
        """Without the gradients that equal the expected one: to be close to those explains nothing."""
        apart = {
            name: values
            for name, values in self.others.items()
            if values.shape != expected.shape or not torch.allclose(expected, values.to(expected.dtype))
        }
        return replace(self, others=apart)

    def swapped(self, got: torch.Tensor, expected: Expected) -> str:
        """Whether `got` is the gradient of another input, up to the rounding that `expected` allows."""
        for name, values in self.others.items():
            if (
                values.shape == got.shape
                and bool(values.any())
                and (
                    torch.allclose(got.to(values.dtype), values)
                    or (agrees(got, values, expected) and tells(values, expected))
                )
            ):
                if name in self.right:
                    return (
                        f"This equals the gradient of {name}, which is right: this one is computed with the "
                        "tensor that the other needs."
                    )
                return (
                    f"This equals the gradient of {name}: either the two are returned in another order than "
                    "forward's inputs, or one is computed with the tensor that the other needs."
                )
        return ""


NO_HINTS = Hints()
# Threads that return before a barrier write nothing after it: the guard on what they write is not at fault.
_SKIPPED = frozenset({"divergent_barrier", "barrier_count", "deadlock"})


def writers_of(reply: Reply, output: int) -> Mapping[str, int] | None:
    """Bytes of one output by who wrote them last; None where writers were not recorded."""
    writers = reply.trace.writers
    return writers[output] if output < len(writers) else None


def mismatch_outcome(
    call: str, expected: Expected, mismatch: Mismatch, got: torch.Tensor | None, inputs: Inputs, *, case: str,
    hints: Hints = NO_HINTS,
) -> Outcome:  # fmt: skip
    """The failure of one comparison, with the three values and what the pattern suggests."""
    if mismatch.what != "value":
        return Outcome(
            Status.FAIL,
            f"{call}: {_wrong_form(expected, mismatch, hints.autocast)}",
            case=case, expected=mismatch.expected, got=mismatch.got, topic=mismatch.what,
        )  # fmt: skip
    assert mismatch.index is not None and mismatch.wrong is not None and got is not None
    hints = hints.unlike(expected.values)
    there = inputs_at(inputs, mismatch.index, expected.shape)
    if there and not expected.pointwise(mismatch.index):
        there = ""
    named = [(each.name, each.tensor) for each in inputs.tensors()]
    numbers = [each for each in inputs.values if isinstance(each, float)]
    named += [(repr(each), torch.tensor(each, dtype=torch.float64)) for each in numbers]
    writers = {who: amount for who, amount in (hints.writers or {}).items() if amount}
    written = bool(hints.writers) and "unwritten" not in writers
    wrong = Wrong(
        got, expected.values, mismatch.wrong, named, hints.cotangent, written, expected.terms,
        hints.for_ones, expected.turned, hints.launches, list(writers) == ["host"], hints.reason,
        hints.of_wrong_forward,
    )  # fmt: skip
    hint = "" if hints.cause else negated(wrong) or hints.swapped(got, expected) or diagnose(wrong)
    where = f" at {list(mismatch.index)}" if mismatch.index else ""
    subject = " returned" if expected.name == "the output" else f": {expected.name} is"
    because = f" ({there})" if there else ""
    sentence = f"{call}{subject} {mismatch.got}{where}, expected {mismatch.expected}{because}. {hint}".strip()
    seen = hints.cause.finding if hints.cause else None
    if hints.cause is not None:
        sentence = f"{hints.cause.text} The values are wrong, too: {sentence}"
    return Outcome(
        Status.FAIL, sentence, case=case, input=there, expected=mismatch.expected, got=mismatch.got,
        index=mismatch.index, topic="values", cause=seen, reading=seen.kind if seen else "",
        certain="" if seen and seen.kind in _SKIPPED else by_the_launch(wrong),
        guess="" if hint in (a_region(wrong), never_written(wrong)) else hint,
    )  # fmt: skip


def laid_out(output: Output) -> str:
    """The strides of a result that is not dense: a kernel that counts along rows misses its elements."""
    values = output.tensor
    if values is None or len(output.strides) != values.ndim or values.numel() == 0:
        return ""
    as_returned = torch.empty_strided(values.shape, output.strides, device="meta")
    if as_returned.is_contiguous():
        return ""
    strides = _shape(output.strides)
    return f"The result itself has strides {strides}: does the kernel write by them?"


def _wrong_form(expected: Expected, mismatch: Mismatch, autocast: bool) -> str:
    """Wrong kind, dtype, shape or device, with the remedy where it is always the same."""
    name, wanted, got = expected.name, mismatch.expected, mismatch.got
    if mismatch.what == "kind":
        remedy = " Is a return missing?" if got == "None" else ""
        return f"{name} is {got}, expected {wanted}.{remedy}"
    remedies = {
        "dtype": "Allocate it with the options of the input, as at::empty_like(a) does.",
        "shape": "The size of the result follows from the sizes of the inputs.",
        "device": "A result belongs on the device of its inputs: allocate it with the input's options.",
    }
    if autocast:
        remedies["dtype"] = (
            "Autocast casts nothing for an operation of yours: cast its inputs to torch.get_autocast_dtype, "
            "not to a fixed dtype, and leave float64 alone."
        )
    having = {"dtype": "has dtype", "shape": "has shape", "device": "is on"}[mismatch.what]
    return f"{name} {having} {got}, expected {wanted}. {remedies[mismatch.what]}"


def inputs_at(inputs: Inputs, index: tuple[int, ...], shape: tuple[int, ...]) -> str:
    """``a = 0.25, b = 0.7``: the elements that line up with `index` under broadcasting.

    ``""`` unless all of them do: an element of a product of matrices does not depend on the input's element
    at the same index, even where there happens to be one.
    """
    texts = []
    for each in inputs.tensors():
        try:
            value = each.tensor.expand(shape)[index]
        except RuntimeError:
            return ""
        texts.append(f"{each.name} = {number(value.item())}")
    return ", ".join(texts)


_TOPICS = {  # what an exception that PyTorch raises in backward is about
    "incorrect number of gradients": "number_of_gradients",
    "no autograd formula was registered": "autograd_registration",
}


def error_outcome(call: str, error: RemoteError, case: str) -> Outcome:
    """Learner code raised where it should have returned; an open TODO is not a failure but work to do."""
    if error.type == "NotImplementedError" and "TODO(" in error.message:
        where = f" ({error.where})" if error.where else ""
        return Outcome(Status.NOT_ATTEMPTED, f"Still open{where}: {error.message}", case=case, topic="todo")
    where = f" at {error.where}" if error.where else ""
    sentence = f"{call} raised {error.type}{where}: {first_paragraph(error.message)}"
    topic = next((topic for said, topic in _TOPICS.items() if said in error.message), "errors")
    return Outcome(Status.FAIL, sentence, case=case, expected="a result", got=error.type, topic=topic)


def device_error(call: str, reply: Reply, case: str) -> Outcome:
    """A kernel was stopped: what it left behind is not worth comparing."""
    error = str(reply.trace.sticky_error)
    return Outcome(
        Status.FAIL, f"{call}: a kernel was stopped with {error}. The safety check says where.",
        case=case, expected="a result", got=error, topic="errors",
    )  # fmt: skip


_APPENDIX = (
    r"\n(?:Exception raised from|CUDA kernel errors might|Search for `cuda|For debugging consider)"
    r"|(?<=backend\.) This could be because the operator"  # the dispatcher lists all its keys
    r"|\nPosition: \d+\nValue: "  # and prints a value of the wrong type, twice
)
_LONGEST = 800  # characters


def first_paragraph(message: str) -> str:
    """An error message without the backtrace, the advice and the lists that PyTorch appends."""
    text = re.split(_APPENDIX, message, maxsplit=1)[0]
    line = " ".join(line.strip() for line in text.strip().splitlines())
    if line.endswith("but argument"):  # save_for_backward's and mark_dirty's sentence, which ends there
        line += " ... (PyTorch says no more): one of them is not a tensor."
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]} ..."
