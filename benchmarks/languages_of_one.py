"""One exercise in four languages, in a process of its own: eager PyTorch, `torch.compile`, Triton, CUDA C++.

    python benchmarks/languages_of_one.py 16_softmax

All compute what the reference of the exercise's `spec.py` computes, on the arguments that SPEED names. Every
gradient has to be dense memory in the end, so that a view of the cotangent is not compared with a kernel. A
contender whose result is wrong, or that raises an error, gets that in place of its time. Each answer is a
line of JSON on stdout as soon as it is known. `languages` makes a table of them.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias

import lessons
import record
import torch
from device_clock import copy_bandwidth, milliseconds
from languages import COMPILED, CONTENDERS, EAGER, FORWARD, STAGES, STEP, TRITON

from grader.checks.timing.scaling import scaled, shapes_text
from grader.course.catalog import Catalog, Exercise
from grader.specification import Spec, load_spec
from grader.specification.vocabulary import tensors_of

Function: TypeAlias = Callable[..., torch.Tensor]
Results: TypeAlias = list[torch.Tensor]
# The least bytes of the backward. Where forward returned what backward reads, it reads it again.
BACKWARDS: dict[str, Callable[..., int]] = {
    "03_fused_muladd": lambda a, b, c: 5 * a.nbytes,  # a, b and one cotangent to two gradients
    "07_fused_bias_gelu": lambda x, bias: 3 * x.nbytes + 2 * bias.nbytes,
    "12_vectorized_access": lambda x, y: 3 * x.nbytes,  # one gradient is that of both
    "13_transpose": lambda x: 2 * x.nbytes,
    "16_softmax": lambda x: 3 * x.nbytes,
    **lessons.BACKWARDS,
}
# Of the largest value of a result; what float16 rounds is 5e-4 of a value.
TOLERANCE = {torch.float16: 2e-3, torch.float32: 1e-4}


class WrongError(Exception):
    """A contender's result is not that of the reference in float64."""


def function_of(name: str, exercise: Exercise, spec: Spec) -> Function:
    """The contender of that name. Raises whatever loading or building it raises."""
    if name == EAGER:
        return spec.reference
    if name == COMPILED:
        return torch.compile(spec.reference, dynamic=False)
    folder: Path = exercise.triton_dir if name == TRITON else exercise.solution_dir
    entry: Function = getattr(lessons.loaded(folder, f"timed_{folder.parent.name}"), spec.entry)
    return entry


def call_of(
    function: Function, stage: str, arguments: Sequence[Any], cotangent: torch.Tensor
) -> Callable[[], Results]:
    """A call in that stage, which returns the result and the gradients of all tensors, if any."""
    if stage == FORWARD:
        return lambda: [function(*arguments)]
    given = [each.detach().requires_grad_() if _is_tensor(each) else each for each in arguments]
    leaves = [each for each in given if _is_tensor(each)]

    def step() -> Results:
        out = function(*given)
        gradients = torch.autograd.grad(out, leaves, cotangent)
        return [out.detach(), *(each.contiguous() for each in gradients)]

    return step


def right_results(spec: Spec, arguments: Sequence[Any], cotangent: torch.Tensor) -> Results:
    """Those of forward and backward in float64."""
    exact = [each.double() if _is_tensor(each) else each for each in arguments]
    return call_of(spec.reference, STEP, exact, cotangent.double())()


def require_right(results: Results, expected: Results, dtype: torch.dtype) -> None:
    """Raise WrongError for results that are not those of the reference; of forward, there is but one."""
    for number, (got, right) in enumerate(zip(results, expected, strict=False)):
        if got.shape != right.shape or got.dtype != dtype:
            raise WrongError(f"result {number} is {got.dtype} of shape {tuple(got.shape)}")
        error = float((got.double() - right).abs().max() / right.abs().max())
        if not error <= TOLERANCE[dtype]:
            raise WrongError(f"result {number} is wrong by {error:.1e} of its largest value")


def _is_tensor(argument: object) -> bool:
    return isinstance(argument, torch.Tensor)


def said(error: Exception) -> str:
    """The first line of an error, without what would break a table."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0] if lines else ''}".replace("|", "/").rstrip(": ")[:200]


def measure(exercise: Exercise, spec: Spec, rehearse: bool) -> None:
    """Print every answer; only compile, tune and call once to ``rehearse``."""
    assert spec.speed is not None and spec.traffic is not None
    arguments = [lessons.draw(each) for each in spec.speed.args]
    bytes_moved = [spec.traffic(*arguments), BACKWARDS[exercise.slug](*arguments)]
    (dtype,) = {each.dtype for each in tensors_of(spec.speed.args)}
    print(json.dumps({
        "slug": exercise.slug, "entry": spec.entry, "inputs": f"{shapes_text(spec.speed.args)}, {dtype}",
        "bytes": {FORWARD: bytes_moved[0], STEP: sum(bytes_moved)},
        "copy": None if rehearse else copy_bandwidth(),
    }), flush=True)  # fmt: skip
    out = spec.reference(*arguments)
    cotangent, type_of_out = torch.rand_like(out), out.dtype
    expected = right_results(spec, arguments, cotangent)
    for name in CONTENDERS:
        for stage in STAGES:
            answer: dict[str, Any] = {"contender": name, "stage": stage}
            try:
                call = call_of(function_of(name, exercise, spec), stage, arguments, cotangent)
                require_right(call(), expected, type_of_out)
                answer["ms"] = None if rehearse else milliseconds(call)
            except Exception as error:  # whatever it is, the others are timed
                answer["problem"] = said(error)
            print(json.dumps(answer), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("slug", metavar="SLUG")
    parser.add_argument("--rehearse", action="store_true", help="compile everything, and time nothing")
    parser.add_argument("--size", type=Fraction, default=Fraction(1), help="of the timed size, as 1/4")
    options = parser.parse_args()
    if not torch.cuda.is_available():
        raise SystemExit("This measures on a GPU, and torch finds none here.")
    exercise = Catalog.open(Path(record.REPOSITORY)).find(options.slug)
    spec = load_spec(exercise)
    assert spec.speed is not None
    smaller = replace(spec.speed, args=scaled(spec.speed.args, options.size))
    measure(exercise, replace(spec, speed=smaller), options.rehearse)


if __name__ == "__main__":
    main()
