"""What is timed on a GPU is compared with the reference there, so a reference makes no tensor on the CPU."""

from __future__ import annotations

import pytest
import torch

from grader.course.catalog import Exercise
from grader.specification import Spec, TensorSpec, load_spec
from tests.exercises.conftest import EXERCISES

TIMED = [(exercise, spec) for exercise in EXERCISES if (spec := load_spec(exercise)).speed is not None]


def results(spec: Spec) -> tuple[torch.Tensor, ...]:
    """Of the reference, for the timed arguments, on a device that takes no tensors of the CPU."""
    assert spec.speed is not None
    given = [
        torch.empty(each.shape, dtype=getattr(torch, each.dtype), device="meta")
        if isinstance(each, TensorSpec)
        else each
        for each in spec.speed.args
    ]
    out = spec.reference(*given)
    return out if isinstance(out, tuple) else (out,)


@pytest.mark.parametrize(("exercise", "spec"), TIMED, ids=lambda each: getattr(each, "slug", ""))
def test_the_reference_stays_on_its_arguments_device(exercise: Exercise, spec: Spec) -> None:
    assert {each.device.type for each in results(spec)} == {"meta"}
