"""The expected answer: the reference in float64, and the tolerance around it.

The tolerance is derived, not guessed. Writing ``eps`` for the spacing of the dtype at 1 and ``n`` for the
number of terms that are added into one element (``accumulation`` in the spec),

    |got - expected| <= (8 eps + n eps_sum) (|expected| + size)

``8 eps`` covers the roundings of a short expression and of intrinsics that are good to two units in the
last place. ``n eps_sum`` covers a sum: for random signs its error is about sqrt(n) u sum|x_i| (Higham and
Mary, "A new approach to probabilistic rounding error analysis", SIAM J. Sci. Comput. 41, 2019), and
sum|x_i| is about sqrt(n) rms(expected). ``eps_sum`` is float32's for the half-precision types, because sums
belong into float32 there: a kernel that adds in half precision is outside. Where the spec says
``ROUNDED_ONCE``, the whole expression belongs into float32 there, and one rounding follows, at the store:

    |got - expected| <= eps / 2 |expected| + (8 + n) eps_sum (|expected| + size) + tiny / 2

with ``tiny`` the spacing of the smallest numbers of the dtype. ``size`` stands for what was
cancelled where the result itself is near zero: rms(expected), and for an output of few elements, which may
all be near zero, also how far the reference moves when its inputs do (`cancelled`). Without that some right
answers to `a * b + c` of one element were refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

import torch

from grader.checks.values.inputs import WIDER, Inputs
from grader.specification import Spec
from grader.support.errors import BrokenSpec

ROUNDINGS = 8
_FEW = 64  # elements, whose rms says little about the size of what went into them
_NUDGE = 2.0**-20  # relative, of the inputs: small beside any curvature, large beside double precision
_NUDGES = 8


@dataclass(frozen=True)
class Tolerance:
    """``|got - expected| <= relative |expected| + absolute``, element by element."""

    relative: float
    absolute: float


EXACT = Tolerance(0.0, 0.0)
Pointwise: TypeAlias = Callable[[tuple[int, ...]], bool]


Turned: TypeAlias = Callable[[], Iterable[tuple[str, torch.Tensor]]]


def never(index: tuple[int, ...]) -> bool:
    return False


@dataclass(frozen=True)
class Expected:
    """One tensor that the call must return.

    ``values`` is float64, complex128, integer or bool, on the CPU; ``device`` is ``"cuda:0"``..., or
    ``"numpy"``. ``pointwise`` says of an index whether the inputs there explain the value there. ``terms`` is
    the largest number of terms that are added into one element. ``turned`` gives the values for inputs
    that are transposed, with the names of these.
    """

    name: str
    values: torch.Tensor
    dtype: torch.dtype
    device: str
    tolerance: Tolerance
    pointwise: Pointwise = field(default=never, compare=False)
    terms: int = 1
    turned: Turned = field(default=tuple, compare=False)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.values.shape)


def expected_outputs(spec: Spec, inputs: Inputs, case: str) -> tuple[Expected, ...]:
    """Evaluate the reference twice: in double precision for values, at the case's own dtypes for dtypes.

    Raises:
        BrokenSpec: the reference raised, or returned something other than tensors.
    """
    exact = call_reference(spec, inputs.for_reference(), case)
    typed = call_reference(spec, inputs.for_reference(widen=False), case)
    device = result_device(inputs)
    terms = accumulation(spec, inputs)
    sizes = cancelled(spec, inputs, case, exact)
    names = ["the output"] if len(exact) == 1 else [f"output {number}" for number in range(len(exact))]
    return tuple(
        Expected(
            name, values, plain.dtype, device, tolerance_for(spec, values, plain.dtype, terms, size),
            partial(is_pointwise, spec, inputs, case, number), terms,
            partial(turned_answers, spec, inputs, case, number),
        )
        for number, (name, values, plain, size) in enumerate(zip(names, exact, typed, sizes, strict=True))
    )  # fmt: skip


def cancelled(spec: Spec, inputs: Inputs, case: str, exact: tuple[torch.Tensor, ...]) -> list[float]:
    """For each result, ``exact``, of few elements the size of what may have been cancelled in it; else 0.

    That is the change of the reference over the relative change of its inputs, which are nudged up and down
    at random: of `a * b + c` it is 2 |a b| + |c| at its largest.
    """
    sizes = [0.0] * len(exact)
    if not any(0 < values.numel() < _FEW and values.is_floating_point() for values in exact):
        return sizes
    generator = torch.Generator().manual_seed(0)
    for _ in range(_NUDGES):
        nudged = {each.name: _nudged(each.seen, generator) for each in inputs.tensors()}
        moved = call_reference(spec, inputs.for_reference(replaced=nudged), case)
        for number, (values, there) in enumerate(zip(exact, moved, strict=True)):
            if values.numel() < _FEW and values.is_floating_point() and there.shape == values.shape:
                change = (there - values).abs() / _NUDGE
                sizes[number] = max([sizes[number], *change[change.isfinite()].tolist()])
    return sizes


def _nudged(tensor: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    wide = tensor.detach().cpu().to(WIDER.get(tensor.dtype, tensor.dtype))
    if not wide.is_floating_point():
        return wide
    signs = torch.randint(0, 2, wide.shape, generator=generator) * 2 - 1
    return wide * (1 + signs * _NUDGE)


def is_pointwise(spec: Spec, inputs: Inputs, case: str, output: int, index: tuple[int, ...]) -> bool:
    """Whether the reference's result at `index` depends on no element of the inputs but those at `index`.

    Found out by asking it again with all others in other places: one row more or less of a product of
    matrices, or the element across the diagonal of a transpose, changes the result.
    """
    usual = call_reference(spec, inputs.for_reference(), case)[output]
    try:
        moved = {each.name: _others_moved(each.seen, index, usual.shape) for each in inputs.tensors()}
        arguments = inputs.for_reference(replaced=moved)
        again = call_reference(spec, arguments, case)[output]
        return torch.allclose(again[index], usual[index], rtol=1e-9, atol=0.0, equal_nan=True)
    except (RuntimeError, IndexError):  # another shape
        return False


def _others_moved(tensor: torch.Tensor, index: tuple[int, ...], shape: torch.Size) -> torch.Tensor:
    """`tensor`, widened, with every element one place on, but for the one that lines up with `index`."""
    tensor.expand(shape)  # raises where nothing lines up
    wide = tensor.to(WIDER.get(tensor.dtype, tensor.dtype))
    own = tuple(
        min(at, extent - 1) for at, extent in zip(reversed(index), reversed(tensor.shape), strict=False)
    )
    moved = wide.flatten().roll(1).reshape(tensor.shape)
    moved[own[::-1]] = wide[own[::-1]]
    return moved


def turned_answers(spec: Spec, inputs: Inputs, case: str, output: int) -> Iterator[tuple[str, torch.Tensor]]:
    """The reference's result for each selection of square inputs that is transposed."""
    for names, turned in inputs.turned():
        yield names, call_reference(spec, inputs.for_reference(replaced=turned), case)[output]


def expected_changes(
    spec: Spec, inputs: Inputs, names: tuple[str, ...], case: str
) -> dict[str, torch.Tensor]:
    """The tensors of the arguments `names`, by their own names, after the reference changed them in place.

    They are in double precision; of a list, every tensor is meant.
    """
    arguments = inputs.for_reference()
    call_reference(spec, arguments, case)
    changed: dict[str, torch.Tensor] = {}
    for position in map(spec.parameters.index, names):
        drawn = Inputs((inputs.values[position],)).tensors()
        changed |= zip([each.name for each in drawn], flat_tensors(arguments[position]), strict=True)
    return changed


def flat_tensors(value: Any) -> list[torch.Tensor]:
    """The tensors in an argument, those inside lists included, in order."""
    if isinstance(value, torch.Tensor):
        return [value]
    return [tensor for each in value for tensor in flat_tensors(each)] if isinstance(value, list) else []


def reference_with(
    spec: Spec, inputs: Inputs, case: str, replaced: Mapping[str, torch.Tensor]
) -> tuple[torch.Tensor, ...] | None:
    """The reference's results where other tensors take the place of inputs; None where it refuses them."""
    copies = {name: values.clone() for name, values in replaced.items()}
    try:
        return call_reference(spec, inputs.for_reference(replaced=copies), case)
    except BrokenSpec:  # an index past the end for one, or zeros
        return None


def call_reference(spec: Spec, arguments: list[Any], case: str) -> tuple[torch.Tensor, ...]:
    """The reference's results as a tuple of tensors."""
    try:
        result = spec.reference(*arguments)
    except Exception as problem:
        raise BrokenSpec(
            f"{spec.path}: reference raised {type(problem).__name__} for case {case!r}: {problem}",
            "The reference must accept every case, on CPU tensors, in float64 and in the case's own dtypes.",
            "Correct reference or the case in that file.",
        ) from problem
    results = tuple(result) if isinstance(result, (tuple, list)) else (result,)
    if not all(isinstance(each, torch.Tensor) for each in results):
        raise BrokenSpec(
            f"{spec.path}: reference did not return a tensor or a tuple of tensors for case {case!r}.",
            "Every result of the reference is compared with one of the submission.",
            "Correct reference in that file.",
        )
    return results


def result_device(inputs: Inputs) -> str:
    """Where results belong: ``"numpy"`` for NumPy arguments, else the first tensor's device."""
    tensors = inputs.tensors()
    if any(each.device == "numpy" for each in tensors):
        return "numpy"
    return tensors[0].device if tensors else "cuda:0"


def accumulation(spec: Spec, inputs: Inputs) -> int:
    return int(spec.accumulation(*inputs.for_reference(widen=False))) if spec.accumulation else 1


def tolerance_for(
    spec: Spec, values: torch.Tensor, dtype: torch.dtype, terms: int, size: float = 0.0
) -> Tolerance:
    """The module's formula, or the spec's own tolerances; integers and booleans must be equal.

    ``size`` is that of what may have been cancelled, where more is known of it than the rms.
    """
    if not (dtype.is_floating_point or dtype.is_complex):
        return EXACT
    if spec.tolerances is not None:
        return Tolerance(*spec.tolerances(dtype))
    eps = torch.finfo(dtype).eps
    in_sums = min(eps, torch.finfo(torch.float32).eps)
    finite = values[values.isfinite()]
    rms = float(finite.abs().square().mean().sqrt()) if finite.numel() else 0.0
    if spec.rounded_once and in_sums < eps:
        on_the_way = (ROUNDINGS + terms) * in_sums
        tiny = torch.finfo(dtype).smallest_normal * eps
        return Tolerance(eps / 2 + on_the_way, on_the_way * max(rms, size) + tiny / 2)
    relative = ROUNDINGS * eps + terms * in_sums
    return Tolerance(relative, relative * max(rms, size))
