"""Recognise a gradient that is right for something else: for other inputs, or for one term of a sum.

The reference is differentiated again, at inputs that a backward may have taken by mistake: without one of
them, at the output or another input in its place, or at elements that lie elsewhere. A gradient that agrees
with one of these to rounding, and not with the right one, has been explained.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch

from grader.checks.bench import Bench
from grader.checks.gradients.products import product_of
from grader.checks.gradients.reference_graph import Tape, record_tape
from grader.checks.values.agreement import agrees, tells
from grader.checks.values.expected import Expected
from grader.checks.values.inputs import Inputs
from grader.checks.values.misreadings import misreadings
from grader.support.errors import BrokenSpec

COTANGENT = "grad_out"
LARGEST = 1 << 16  # elements of a gradient that is looked at in so many ways


@dataclass(frozen=True)
class Question:
    """``got`` was returned as the gradient of ``name``, where ``expected`` is right."""

    bench: Bench
    case: str
    inputs: Inputs
    tape: Tape
    cotangents: list[torch.Tensor]
    name: str
    got: torch.Tensor
    expected: Expected

    def fits(self, other: torch.Tensor | None) -> bool:
        """Whether the gradient is `other`, and that is no coincidence."""
        return self._fits(other, self.expected)

    def fits_formula(self, other: torch.Tensor | None) -> bool:
        """The same where `other` comes from another formula: its values may be larger than the right ones,
        and with them what rounding leaves.
        """
        if other is None or not other.numel():
            return False
        tolerance = self.expected.tolerance
        rounding = tolerance.relative * float(other.nan_to_num(0, 0, 0).abs().max())
        wider = replace(tolerance, absolute=max(tolerance.absolute, rounding))
        return self._fits(other, replace(self.expected, tolerance=wider))

    def _fits(self, other: torch.Tensor | None, expected: Expected) -> bool:
        if other is None or other.shape != self.got.shape:
            return False
        return agrees(self.got, other, expected) and tells(other, expected)

    def at(
        self, replaced: Mapping[str, torch.Tensor], reference: Callable[..., Any] | None = None
    ) -> torch.Tensor | None:
        """The gradient where other tensors take the place of inputs, or of the cotangent; None where the
        reference refuses them, or gives a result of another shape.

        That of an input that was expanded is added up to the input's own shape. ``reference`` is another
        formula than the spec's.
        """
        cotangents = [replaced.get(COTANGENT, self.cotangents[0]), *self.cotangents[1:]]
        others = {name: values for name, values in replaced.items() if name != COTANGENT}
        try:
            tape = record_tape(self.bench, self.inputs, [*self.tape.leaves], self.case, others, reference)
            if [out.shape for out in tape.outputs] != [out.shape for out in self.tape.outputs]:
                return None
            found = tape.gradients(cotangents)[self.name]
            return found if found.shape == self.got.shape else found.sum_to_size(self.got.shape)
        except (BrokenSpec, RuntimeError):
            return None


def explain(question: Question) -> str:
    """A sentence about the first of these mistakes that gives this gradient; ``""`` if none does."""
    if not 0 < question.got.numel() <= LARGEST or question.got.is_complex():
        return ""
    for words, formula in question.bench.spec.confused.items():
        if question.fits_formula(question.at({}, formula)):
            return f"The gradient fits this mistake: {words}."
    for words, replaced in _substitutions(question):
        if question.fits(question.at(replaced)):
            return words
    return _single_terms(question) or _product(question)


def _substitutions(question: Question) -> Iterator[tuple[str, Mapping[str, torch.Tensor]]]:
    """What a backward may have taken for its inputs, with what to say of it."""
    wide = {name: values for name, values in _wide(question.inputs).items() if values.is_floating_point()}
    for name, values in wide.items():
        words = f"This is the gradient for {name} = 0: backward does not use {name}."
        yield words, {name: torch.zeros_like(values)}
    outputs = [("the output", out.detach()) for out in question.tape.outputs[:1]]
    for name, values in wide.items():
        for other, there in (*outputs, *wide.items()):
            if other != name and there.shape == values.shape:
                words = f"This is the gradient with {other} in place of {name}: was {other} saved for it?"
                yield words, {name: there}
    operands = [(each.name, each.tensor) for each in question.inputs.tensors()]
    if len(question.cotangents) == 1:
        operands.append((COTANGENT, question.cotangents[0]))
    for misread in misreadings(operands, question.tape.outputs[0].shape):
        yield f"This is the gradient for {misread.words}.", misread.replaced


def _wide(inputs: Inputs) -> dict[str, torch.Tensor]:
    return {
        each.name: each.seen.to(torch.promote_types(each.seen.dtype, torch.float64))
        if each.spec.floating
        else each.seen
        for each in inputs.tensors()
    }


def _single_terms(question: Question) -> str:
    """A sum of which the first terms alone were taken: forward broadcasts this input, so many add up."""
    terms = _terms(question)
    if terms is None or len(terms) < 2:
        return ""
    number, name = len(terms), question.name
    for row in (0, number - 1):
        if question.fits(terms[row].reshape(question.got.shape)):
            which = "first" if row == 0 else "last"
            return (
                f"This is the {which} of the {number} terms of this gradient: forward uses {name} {number} "
                "times, so that many terms have to be added up."
            )
    for taken, sums in enumerate(terms.cumsum(dim=0)[1:-1], 2):
        if question.fits(sums.reshape(question.got.shape)):
            return f"These are the first {taken} of {number} terms added up: the sum ends too early."
    return ""


def _terms(question: Question) -> torch.Tensor | None:
    """What adds up to the gradient of an input that forward broadcasts: one row for each use of it."""
    whole, shape = question.tape.outputs[0].shape, question.got.shape
    leaf = question.tape.leaves[question.name].detach()
    if leaf.numel() == 0 or whole == shape or whole.numel() % leaf.numel():
        return None
    try:
        expanded = leaf.expand(whole)
        tape = record_tape(
            question.bench, question.inputs, [*question.tape.leaves], question.case, {question.name: expanded}
        )
        if tape.outputs[0].shape != whole:
            return None
        each = tape.gradients(question.cotangents)[question.name]
        if not torch.allclose(each.sum_to_size(shape), question.expected.values):
            return None
    except (BrokenSpec, RuntimeError):
        return None
    padded = (1,) * (len(whole) - len(shape)) + tuple(shape)
    summed = [number for number, extent in enumerate(padded) if extent != whole[number]]
    kept = [number for number in range(len(whole)) if number not in summed]
    return each.permute(*summed, *kept).reshape(-1, leaf.numel())


def _product(question: Question) -> str:
    """A product or quotient of what there is: what remains of a rule of differentiation cut short."""
    if len(question.cotangents) != 1:
        return ""
    wide = {name: values for name, values in _wide(question.inputs).items() if values.is_floating_point()}
    factors = [*wide.items(), ("output", question.tape.outputs[0].detach())]
    if len(wide) > 1:
        factors.append((f"({' + '.join(wide)})", _sum(wide)))
    formula = product_of(question.cotangents[0].to(torch.float64), factors, question.fits)
    if not formula:
        return ""
    return f"The result is {formula}. Is a term of the derivative missing?"


def _sum(tensors: Mapping[str, torch.Tensor]) -> torch.Tensor:
    total = torch.zeros((), dtype=torch.float64)
    for each in tensors.values():
        try:
            total = total + each
        except RuntimeError:  # shapes that do not broadcast
            return torch.full((), float("nan"), dtype=torch.float64)
    return total
