"""Whatever the numbers are, a pattern says something or nothing: it never raises."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest
import torch

from grader.checks.values.diagnose import PATTERNS
from grader.checks.values.expected import expected_outputs
from grader.checks.values.inputs import draw, seeded
from grader.checks.values.wrong_answer import Wrong
from grader.checks.values.wrong_strides import explain
from grader.run.values import Output
from grader.specification import Case, TensorSpec, tensor
from tests.unit.fake_submission import FakeSession, fake_bench

FLOATING = ("float16", "bfloat16", "float32", "float64")
DTYPES = (*FLOATING, "uint8", "int8", "int32", "int64", "bool")
SHAPES: tuple[tuple[int, ...], ...] = (
    (), (1,), (9,), (40,), (3, 5), (1, 8), (8, 1), (8, 8), (4, 16), (2, 3, 4), (5, 1, 4), (0,), (3, 0),
)  # fmt: skip
KINDS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "usual": lambda x: x,
    "zeros": torch.zeros_like,
    "ones": torch.ones_like,
    "some NaN": lambda x: x.masked_fill(x < -0.5, float("nan")),
    "some infinite": lambda x: x.masked_fill(x < -0.5, float("inf")),
    "all infinite": lambda x: torch.full_like(x, float("inf")),
    "denormal": lambda x: x * 1e-310,
    "huge": lambda x: x * 1e300,
}


class Chance(random.Random):
    """Draws tensors; everything follows from the seed."""

    def numbers(self, shape: tuple[int, ...], dtype: torch.dtype) -> torch.Tensor:
        generator = torch.Generator().manual_seed(self.getrandbits(32))
        unit = 2 * torch.rand(shape, generator=generator, dtype=torch.float64) - 1
        if dtype == torch.bool:
            return unit > 0
        if not dtype.is_floating_point:
            return (127 * unit.abs()).to(dtype)
        return KINDS[self.choice(list(KINDS))](unit).to(dtype)

    def dtype(self) -> torch.dtype:
        return getattr(torch, self.choice(DTYPES))  # type: ignore[no-any-return]

    def wrong(self) -> Wrong | None:
        """An answer with at least one wrong element, with whatever inputs and cotangent."""
        shape, dtype = self.choice(SHAPES), self.dtype()
        expected = self.numbers(shape, torch.float64 if dtype.is_floating_point else dtype)
        got = self.numbers(shape, dtype)
        mask = (got.to(expected.dtype) != expected) & ~(got.isnan() & expected.isnan())
        if not bool(mask.any()):
            return None
        nearby = [shape, shape, (), (0,), shape[-1:]]
        inputs = [
            (name, self.numbers(self.choice(nearby), self.dtype())) for name in "ab"[: self.randrange(3)]
        ]
        cotangent = for_ones = None
        if dtype.is_floating_point and self.random() < 0.4:
            cotangent = self.numbers(self.choice([shape, (7, *shape)]), dtype)
            for_ones = self.numbers(shape, torch.float64)
        return Wrong(
            got, expected, mask, inputs, cotangent, self.random() < 0.5, self.choice([1, 600]), for_ones
        )


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: f"{pattern.__module__}.{pattern.__name__}")
def test_a_pattern_never_raises(pattern: Callable[[Wrong], str]) -> None:
    chance = Chance(11)
    drawn = [wrong for wrong in (chance.wrong() for _ in range(400)) if wrong is not None]
    assert len(drawn) > 300
    for wrong in drawn:
        assert isinstance(pattern(wrong), str)


LAYOUTS = {
    0: ("contiguous",),
    1: ("contiguous", "offset", "sliced", "expanded"),
    2: ("contiguous", "offset", "sliced", "expanded", "transposed"),
    3: ("contiguous", "offset", "sliced", "expanded", "transposed", "permuted"),
}


def described(chance: Chance, name: str, shape: tuple[int, ...], dtype: str) -> TensorSpec:
    special = chance.choice([None, None, "nan", "inf", "zeros"]) if dtype in FLOATING else None
    layout = chance.choice(LAYOUTS[len(shape)])
    return replace(tensor(shape, dtype, layout=layout, special=special), name=name)


def fits(values: torch.Tensor) -> bool:
    """Whether its memory holds as many elements as it has."""
    held = values.untyped_storage().nbytes() // values.element_size() - int(values.storage_offset())
    return values.numel() <= held


def test_a_search_for_other_strides_never_raises() -> None:
    chance, explained = Chance(12), 0
    for number in range(150):
        shape, dtype = chance.choice(SHAPES), chance.choice(DTYPES[:-1])
        case = Case("one", [described(chance, name, shape, dtype) for name in "ab"])
        spec = fake_bench(FakeSession(torch.add), torch.add, [case], parameters="ab").spec
        inputs = draw(case.args, seeded(number))
        expected = expected_outputs(spec, inputs, "one")
        a, b = (each.tensor for each in inputs.tensors())
        if chance.random() < 0.5 and fits(a):
            a = a.as_strided(shape, torch.empty(shape).stride())
        output = Output("tensor", a + b, "cuda:0", dtype, tuple(shape), b.stride())
        explained += bool(explain(spec, inputs, "one", (output,), expected))
    assert explained > 5, "some of these answers are for other strides"
