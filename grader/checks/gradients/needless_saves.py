"""Inputs saved for backward although no gradient depends on them."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import torch

from grader.checks.bench import Bench
from grader.checks.gradients.gradcheck import with_values
from grader.checks.gradients.reference_graph import Tape, record_tape
from grader.checks.values.advice import WORD
from grader.checks.values.inputs import Inputs
from grader.specification import Case


def saved_in_vain(
    bench: Bench, case: Case, inputs: Inputs, tape: Tape, saved: Collection[str]
) -> Iterator[str]:
    """Advice for every input in ``saved`` whose values change no gradient; ``tape`` records `case`."""
    names = list(tape.leaves)
    generator = bench.generator("cotangent", "in vain", case.name)
    cotangents = [torch.randn(each.shape, generator=generator, dtype=torch.float64) for each in tape.outputs]
    right = tape.gradients(cotangents)
    if not all(bool(each.any()) for each in right.values()):
        return  # gradients that are zero for these sizes depend on nothing here
    for drawn in inputs.tensors():
        if drawn.name not in saved:
            continue
        # Other signs and other sizes: a gradient that depends on a sign or a bound alone notices, too.
        others = [with_values(inputs, {drawn.name: 0.3 - scale * drawn.tensor}) for scale in (2, 1000)]
        found = [record_tape(bench, each, names, case.name).gradients(cotangents) for each in others]
        if all(torch.equal(right[name], each[name]) for each in found for name in names):
            yield (
                f"{WORD}: {drawn.name} is saved for backward, and no gradient depends on its values. A saved "
                "tensor stays in memory until backward has run, and changing it in place becomes an error."
            )
