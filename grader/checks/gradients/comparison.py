"""Compare one backward pass with the reference's gradients: the first wrong one, and what may explain it."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import torch

from cusimt.support.words import ended
from grader.checks import unpacking
from grader.checks.bench import Bench, Call
from grader.checks.device.causes import cause_of
from grader.checks.gradients.cotangents import expected_gradient
from grader.checks.gradients.gradient_patterns import Question, explain
from grader.checks.gradients.reference_graph import Recorded, Tape
from grader.checks.outcome import Outcome
from grader.checks.values.compare import Mismatch, compare
from grader.checks.values.expected import Expected, is_pointwise
from grader.checks.values.inputs import Inputs
from grader.checks.values.wording import Hints, device_error, error_outcome, mismatch_outcome, writers_of
from grader.run.values import Output, RemoteError
from grader.specification import Case
from grader.verdict import Status

_REFUSED = re.compile(
    r"invalid gradient at index (?P<index>\d+) - got \[(?P<got>[\d, ]*)\] "
    r"but expected shape compatible with \[(?P<wanted>[\d, ]*)\]"
)
_SHAPE = re.compile(r"[\[(](\d+(?:, ?\d+)+)[\])]")
_NODE = re.compile(r"\bfunction (\w+)Backward\b")


def forward_is_wrong(bench: Bench) -> bool:
    """Whether correctness has refused a value: then a gradient may be wrong because forward is."""
    correctness = bench.outcomes.get("correctness")
    return correctness is not None and correctness.status is Status.FAIL and correctness.topic == "values"


def wrong_gradient(
    bench: Bench, case: Case, inputs: Inputs, tape: Tape, names: list[str], cotangents: list[torch.Tensor],
    back: Call, kind: str,
) -> Outcome | None:  # fmt: skip
    """What is wrong with the gradients of `names` that the call `back` returned for `cotangents`."""
    text = _with_cotangent(back.text, kind)
    if back.reply.error is not None:
        error = with_owner(placed(back.reply.error, bench.files), inputs, cotangents)
        failure = error_outcome(text, error, case.name)
        counted = advised(failure, error, bench.files)
        return _reminding(_naming_shapes(counted, inputs, cotangents), case)
    if back.reply.trace.sticky_error is not None:
        return device_error(back.text, back.reply, case.name)
    asked = _Asked(bench, case, inputs, tape, cotangents)
    wanted = tape.gradients(cotangents)
    for position, (name, output) in enumerate(zip(names, back.reply.outputs, strict=True)):
        if output.kind == "none":
            if bool(wanted[name].any()):
                return _missing(back, name, case.name)
            continue
        found = asked.mismatch(name, wanted[name], output)
        if found is not None:
            expected, mismatch = found
            hints = asked.hints(back, position, name, wanted, output)
            hints = replace(hints, right=asked.right(names, back, wanted))
            return mismatch_outcome(
                text, expected, mismatch, output.tensor, inputs, case=case.name, hints=hints
            )
    return None


@dataclass(frozen=True)
class _Asked(Recorded):
    """A backward that was asked for, with the means to find out what is right."""

    cotangents: list[torch.Tensor]

    def mismatch(self, name: str, values: torch.Tensor, output: Output) -> tuple[Expected, Mismatch] | None:
        """Where `output` is not the gradient of `name`.

        How much cancelled in it only widens the tolerance, and takes another backward of the reference to
        find out: that is worth it only where the gradient looks wrong without.
        """
        pointwise = partial(is_pointwise, self.bench.spec, self.inputs, self.case.name, 0)
        expected = expected_gradient(self.bench, self.inputs, name, values, pointwise)
        if compare(output, expected) is None:
            return None
        size = self.tape.uncancelled(self.cotangents)[name]
        expected = expected_gradient(self.bench, self.inputs, name, values, pointwise, size)
        mismatch = compare(output, expected)
        return (expected, mismatch) if mismatch is not None else None

    def _given(self) -> dict[str, torch.Tensor]:
        """What backward reads, by name, as far as it is known."""
        given = {each.name: each.tensor for each in self.inputs.tensors()}
        return given | {"grad_out": self.cotangents[0]} if len(self.cotangents) == 1 else given

    def right(self, names: list[str], back: Call, wanted: Mapping[str, torch.Tensor]) -> set[str]:
        """The inputs whose gradients are right."""
        returned = zip(names, back.reply.outputs, strict=True)
        return {name for name, output in returned if self.mismatch(name, wanted[name], output) is None}

    def reason(self, name: str, values: torch.Tensor, output: Output) -> str:
        """A mistake that gives this gradient."""
        if output.tensor is None:
            return ""
        expected = expected_gradient(self.bench, self.inputs, name, values)
        question = Question(
            self.bench, self.case.name, self.inputs, self.tape, self.cotangents, name, output.tensor, expected
        )
        return explain(question)

    def hints(
        self, back: Call, position: int, name: str, wanted: Mapping[str, torch.Tensor], output: Output
    ) -> Hints:
        return Hints(
            cotangent=self.cotangents[0] if len(self.cotangents) == 1 else None,
            others={other: gradient for other, gradient in wanted.items() if other != name},
            writers=writers_of(back.reply, position),
            cause=cause_of(self.bench, back, self._given()),
            for_ones=self.tape.gradients([torch.ones_like(each) for each in self.cotangents])[name],
            autocast=back.autocast,
            reason=partial(self.reason, name, wanted[name], output),
            of_wrong_forward=forward_is_wrong(self.bench),
        )


def advised(failure: Outcome, error: RemoteError, files: Path) -> Outcome:
    """What has to agree, where Python or autograd counted two sides and said no more."""
    said = unpacking.advice(error.message, error.where, files) if failure.status is Status.FAIL else ""
    return replace(failure, sentence=f"{ended(failure.sentence)} {said}") if said else failure


def _naming_shapes(failure: Outcome, inputs: Inputs, cotangents: list[torch.Tensor]) -> Outcome:
    shapes = {each.name: each.tensor.shape for each in inputs.tensors()}
    if len(cotangents) == 1:
        shapes["grad_out"] = cotangents[0].shape
    said = transposed_in(failure.sentence, shapes) if failure.status is Status.FAIL else ""
    return replace(failure, sentence=f"{ended(failure.sentence)} {said}") if said else failure


def _reminding(outcome: Outcome, case: Case) -> Outcome:
    """Of the region around forward, where a backward fails that came after it."""
    if case.autocast is None or outcome.status is not Status.FAIL:
        return outcome
    reminder = (
        "Backward runs after the autocast region has ended. Does it compute as forward did? "
        "torch.amp.custom_bwd restores the region for it."
    )
    return replace(outcome, sentence=f"{ended(outcome.sentence)} {reminder}")


def _with_cotangent(text: str, kind: str) -> str:
    words = {
        "random": "a random cotangent",
        "expanded": "an expanded cotangent (stride 0, as sum().backward() sends)",
        "transposed": "a non-contiguous cotangent",
        "interleaved": "a cotangent whose rows are dense and interleaved in memory",
    }
    return f"{text}, given {words[kind]}"


def _missing(back: Call, name: str, case: str) -> Outcome:
    return Outcome(
        Status.FAIL,
        f"{back.text} returned None for {name}, which requires a gradient. backward returns one gradient per "
        "input of forward, in the same order, and None only for inputs that need none.",
        case=case, expected=f"a gradient of {name}", got="None", topic="none_gradient",
    )  # fmt: skip


# ---- source lines of autograd's own errors ----


def placed(error: RemoteError, files: Path) -> RemoteError:
    """`error`, where it has no place, with that of the last return of the backward that it names."""
    named = _NODE.search(error.message)
    if error.where or named is None:
        return error
    for path in sorted(files.rglob("*.py")):
        line = _last_return(path, named[1])
        if line:
            return replace(error, where=f"{path.relative_to(files)}:{line}")
    return error


def _last_return(path: Path, function: str) -> int:
    """The line of the last ``return`` in ``backward`` of the class; 0 when there is none."""
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, SyntaxError):
        return 0
    classes = (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and node.name == function)
    methods = (each for node in classes for each in node.body if isinstance(each, ast.FunctionDef))
    backward = next((each for each in methods if each.name == "backward"), None)
    if backward is None:
        return 0
    return max((node.lineno for node in ast.walk(backward) if isinstance(node, ast.Return)), default=0)


# ---- shapes in error messages ----


def transposed_in(message: str, shapes: Mapping[str, Sequence[int]]) -> str:
    """A sentence about the tensor that the message shows transposed, where that is one tensor only.

    ``shapes`` are those of all tensors that backward has at hand, by name.
    """
    known = {name: tuple(shape) for name, shape in shapes.items()}
    for match in _SHAPE.findall(message):
        shown = _extents(match)
        if shown in known.values():
            continue
        owners = [name for name, shape in known.items() if (*shape[:-2], *shape[:-3:-1]) == shown]
        if len(owners) == 1:
            return (
                f"[{', '.join(map(str, shown))}] is the shape of {owners[0]} transposed. Does it belong "
                "there, and are the saved tensors unpacked in the order in which they were saved?"
            )
    return ""


def with_owner(error: RemoteError, inputs: Inputs, cotangents: Sequence[torch.Tensor] = ()) -> RemoteError:
    """`error`, where autograd refused a gradient's shape, with what that shape suggests.

    Autograd looks at the gradients in their order: one in the shape of an earlier input is not exchanged with
    that input's, which has been accepted. One in the shape of what comes in was perhaps not added up.
    """
    refused = _REFUSED.search(error.message)
    if refused is None:
        return error
    got, wanted, index = _extents(refused["got"]), _extents(refused["wanted"]), int(refused["index"])
    tensors = inputs.tensors()
    owners = [position for position, each in enumerate(tensors) if each.spec.shape == got]
    there = [position for position, each in enumerate(tensors) if each.spec.shape == wanted]
    said, shown = "", f"[{refused['got']}]"
    if got in [tuple(each.shape) for each in cotangents] and len(there) == 1 and _is_within(wanted, got):
        said = (
            f"{shown} is the shape of the incoming gradient. Forward repeats {tensors[there[0]].name} along "
            "other dimensions: is its gradient added up over them?"
        )
    elif len(owners) == 1 and not _comes_before(owners, there, index):
        whose = f"{shown} is the shape of {tensors[owners[0]].name}"
        said = f"{whose}: are the gradients returned in the order of forward's inputs?"
    return replace(error, message=f"{ended(error.message)} {said}") if said else error


def _comes_before(owners: Sequence[int], there: Sequence[int], index: int) -> bool:
    """Whether the owner of a shape comes before the input whose gradient was refused at `index`."""
    return owners[0] < (there[0] if len(there) == 1 else index)


def _is_within(part: Sequence[int], whole: Sequence[int]) -> bool:
    """Whether `whole` has the extents of `part`, in their order, and others between them."""
    left = iter(whole)
    return len(part) < len(whole) and all(extent in left for extent in part)


def _extents(text: str) -> tuple[int, ...]:
    return tuple(int(each) for each in text.split(",") if each.strip())
