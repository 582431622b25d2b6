"""Sizes that a verdict draws: by its seed alone, within their ranges, and the awkward ones among them."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from pathlib import Path

import pytest

from grader.author.solution_rules import sizes_are_drawn
from grader.checks.device.counted_case import choose
from grader.checks.values.sizes import with_sizes
from grader.specification import Case, Spec, TensorSpec, drawn, load_spec, sizes, tensor
from grader.support.errors import BrokenSpec
from tests.unit.fake_submission import fake_exercise

PRODUCT = """
from grader.specification import Case, Gradient, Part, drawn, tensor
ENTRY = "matmul"
def reference(a, b):
    return a @ b
def pair(m, k, n, dtype="float32"):
    return [tensor((m, k), dtype), tensor((k, n), dtype)]
SIZES = drawn(pair, m=(9, 2000), k=(1, 60), n=(9, 2000), where=lambda m, k, n: m * n > 1 << 14)
CASES = [Case("fixed", pair(2, 3, 4)), Case("drawn", sizes=SIZES, stream="side")]
GRADIENT = Gradient(cases=[Case("drawn", sizes=drawn(pair, m=(5, 60), k=(5, 60), n=(5, 60)))])
"""


def loaded(folder: Path, text: str) -> Spec:
    (folder / "spec.py").write_text(text)
    return load_spec(fake_exercise(folder))


def shapes(case: Case) -> list[tuple[int, ...]]:
    return [each.shape for each in case.args if isinstance(each, TensorSpec)]


def test_a_seed_draws_the_same_sizes_again(tmp_path: Path) -> None:
    spec = loaded(tmp_path, PRODUCT)
    assert with_sizes(spec, "06_matmul", 7) == with_sizes(spec, "06_matmul", 7)
    # Verdicts of earlier seeds must be repeatable: what a seed draws is part of the format.
    assert shapes(with_sizes(spec, "06_matmul", 7).cases[1]) == [(65, 5), (5, 257)]
    drawn_by = {tuple(shapes(with_sizes(spec, "06_matmul", seed).cases[1])) for seed in range(50)}
    assert len(drawn_by) > 45
    others = [with_sizes(spec, slug, 7).cases[1] for slug in ("06_matmul", "15_matmul")]
    assert shapes(others[0]) != shapes(others[1])


def test_sizes_owe_nothing_to_the_last_bit_of_a_power() -> None:
    """2 ** 0.5 twice is 2: a float may be below it, in the C library of one machine and not of another."""
    assert [sizes._between(1 << n, 1 << n + 2, Decimal("0.5")) for n in range(40)] == [
        2 << n for n in range(40)
    ]
    for low, high in ((1, 70_000), (33, 300), (9, 2000)):
        for step in range(1, 200):
            share = Decimal(step) / 200
            value = sizes._between(low, high, share)
            # The definition in whole numbers: (value / low) ** 200 <= (high / low) ** step.
            assert value**200 * low**step <= high**step * low**200 < (value + 1) ** 200 * low**step


def test_arguments_share_sizes_are_named_and_keep_what_else_the_case_says(tmp_path: Path) -> None:
    spec = loaded(tmp_path, PRODUCT)
    for seed in range(20):
        fixed, case = with_sizes(spec, "06_matmul", seed).cases
        assert fixed == spec.cases[0]
        (m, k), (inner, n) = shapes(case)
        assert k == inner and m * n > 1 << 14
        assert [each.name for each in case.args if isinstance(each, TensorSpec)] == ["a", "b"]
        assert (case.name, case.stream) == ("drawn", "side")


def test_cases_and_gradients_draw_independently(tmp_path: Path) -> None:
    found = with_sizes(loaded(tmp_path, PRODUCT), "06_matmul", 7)
    assert found.gradient is not None
    assert shapes(found.gradient.cases[0]) != shapes(found.cases[1])


def test_each_part_draws_its_own(tmp_path: Path) -> None:
    text = PRODUCT.replace("ENTRY", "NAME").replace("CASES", "SHARED").replace("GRADIENT =", "BACK =")
    part = 'Part(each, each, entry=each, reference=product, cases=SHARED, gradient=BACK, sections=("s",))'
    text = text.replace("def reference", "def product") + f"PARTS = [{part} for each in ('one', 'two')]"
    (tmp_path / "spec.py").write_text(text)
    exercise = fake_exercise(tmp_path, scores={"parts": 80}, sections={"s": object()})
    one, two = with_sizes(load_spec(exercise), "06_matmul", 7).parts
    assert shapes(one.cases[1]) != shapes(two.cases[1])


def test_sizes_spread_over_their_range_and_hit_the_awkward_ones() -> None:
    sizes = drawn(lambda n: [tensor(n)], n=(2, 100_000))
    found = [shapes(Case("", sizes.draw(str(number))))[0][0] for number in range(2000)]
    assert min(found) < 4 and max(found) > 60_000 and all(2 <= each <= 100_000 for each in found)
    tenfold = Counter(len(str(each)) for each in found)  # 2 to 9, 10 to 99, ... evenly on a log scale
    assert all(350 < tenfold[digits] < 520 for digits in (2, 3, 4, 5)), tenfold
    above_a_power = sum((each - 1) & (each - 2) == 0 for each in found if each > 9)
    primes = sum(all(each % by for by in range(2, int(each**0.5) + 1)) for each in found)
    assert above_a_power > 400 and primes > 400


def test_both_ends_of_a_range_are_drawn_and_nothing_beyond() -> None:
    sizes = drawn(lambda n: [tensor(n)], n=(3, 6))
    assert {shapes(Case("", sizes.draw(str(number))))[0][0] for number in range(200)} == {3, 4, 5, 6}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Case('c', sizes=drawn(lambda n: [tensor(n)]))", "no size to draw"),
        ("Case('c', sizes=drawn(lambda n: [tensor(n)], n=(0, 9)))", "n=(0, 9) is no range"),
        ("Case('c', sizes=drawn(lambda n: [tensor(n)], n=(9, 9)))", "n=(9, 9) is no range"),
        ("Case('c', sizes=drawn(lambda m: [tensor(m)], n=(1, 9)))", "the ranges are for n"),
        ("Case('c', sizes=drawn(lambda n: [tensor(n)], n=(1, 9), where=lambda m: True))", "are for n"),
        ("Case('c', sizes=drawn(lambda n: [tensor(n)], n=(1, 9), where=lambda n: n > 9))", "none of 1000"),
        ("Case('c', [tensor(3)], sizes=drawn(lambda n: [tensor(n)], n=(1, 9)))", "args and sizes"),
        ("Case('c', sizes=[3])", "DrawnSizes"),
        ("Case('c', sizes=drawn(lambda n: [tensor(n), 1, 2], n=(1, 9)))", "3 arguments"),
    ],
)
def test_what_can_not_be_drawn_is_a_broken_spec(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(BrokenSpec) as broken:
        loaded(tmp_path, f"{PRODUCT}CASES = [{text}]")
    assert said in str(broken.value)


def test_what_is_counted_has_fixed_sizes(tmp_path: Path) -> None:
    with pytest.raises(BrokenSpec, match="what is counted is fixed"):
        loaded(tmp_path, PRODUCT + "PROFILE = Case('c', sizes=SIZES)")
    spec = loaded(tmp_path, PRODUCT)
    assert choose(spec, fake_exercise(tmp_path), None).name == "fixed", "counts of other sizes differ"


def test_authors_are_asked_for_drawn_sizes_or_a_reason(tmp_path: Path) -> None:
    exercise = fake_exercise(tmp_path)

    def told(text: str) -> list[str]:
        (tmp_path / "spec.py").write_text(text)
        return [problem.what for problem in sizes_are_drawn(exercise)]

    fixed = PRODUCT.replace('Case("drawn", sizes=SIZES, stream="side")', "")
    assert told(PRODUCT) == []
    assert told(fixed) == ["CASES has no case with drawn sizes"]
    plain = "GRADIENT = Gradient(cases=[Case('c', pair(2, 3, 4))])\n"
    assert told(PRODUCT + plain) == ["GRADIENT has no case with drawn sizes"]
    reason = "FIXED_SIZES = 'The table has one size.'\n"
    assert told(fixed + plain + reason) == []
    assert told(PRODUCT + plain + reason) == ["CASES draws sizes, and FIXED_SIZES says why none are drawn"]
    with pytest.raises(BrokenSpec, match="FIXED_SIZES must say why"):
        told(PRODUCT + "FIXED_SIZES = True")
