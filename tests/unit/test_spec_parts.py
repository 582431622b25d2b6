"""PARTS in a spec.py: one Spec for each part, points and sections settled."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from grader.course.catalog import Exercise, Section
from grader.specification import Spec, load_spec
from grader.support.errors import BrokenSpec
from tests.unit.fake_submission import fake_exercise
from tests.unit.test_checks_parts import SPEC


@pytest.fixture
def exercise(tmp_path: Path) -> Exercise:
    sections = {name: Section(name, "op.py", "repair", 1) for name in ("twice", "less_a", "less_b")}
    return fake_exercise(tmp_path, sections=sections, scores={"parts": 81, "answers": 19})


def spec_of(exercise: Exercise, text: str) -> Spec:
    (exercise.root / "spec.py").write_text(text)
    return load_spec(exercise)


def test_the_spec_is_that_of_the_first_part_with_all_of_them(exercise: Exercise) -> None:
    spec = spec_of(exercise, SPEC)
    assert (spec.entry, spec.parameters) == ("twice", ("x",))
    assert spec.profile is not None and spec.profile.name == "large"
    assert [each.parameters for each in spec.parts] == [("x",), ("x", "factor")]
    assert [each.part.points for each in spec.parts if each.part] == [41, 40]
    assert [each.part.sections for each in spec.parts if each.part] == [("twice",), ("less_a", "less_b")]
    assert spec.parts[1].profile is None and spec.parts[1].gradient is None


def test_points_of_its_own_are_taken_from_the_total(exercise: Exercise) -> None:
    spec = spec_of(exercise, SPEC.replace('Part("less", "a smaller number",', 'Part("less", "a", points=71,'))
    assert [each.part.points for each in spec.parts if each.part] == [10, 71]


def test_a_part_may_ask_for_a_single_rounding(exercise: Exercise) -> None:
    spec = spec_of(exercise, SPEC.replace('"a smaller number",', '"a smaller number", rounded_once=True,'))
    assert [each.rounded_once for each in spec.parts] == [False, True]


def test_what_else_is_exported_goes_with_the_first_part(exercise: Exercise) -> None:
    spec = spec_of(exercise, SPEC + "def traffic(x): return 8 * x.numel()\ndef flops(x): return x.numel()\n")
    assert spec.traffic is not None and spec.flops is not None
    assert (spec.traffic(torch.ones(3)), spec.flops(torch.ones(3))) == (24, 3)
    assert spec.parts[1].traffic is None


def test_or_with_the_part_that_is_marked_as_the_main_one(exercise: Exercise) -> None:
    text = SPEC.replace('Part("less", "a smaller number",', 'Part("less", "a", main=True,')
    text = text.replace('Case("large", [tensor(4096)])', 'Case("large", [tensor(4096), 0.5])')
    spec = spec_of(exercise, text)
    assert spec.entry == "less" and spec.part is not None and spec.part.main
    assert spec.profile is not None and spec.parts[0].profile is None
    with pytest.raises(BrokenSpec, match="only one part is the main one"):
        spec_of(exercise, text.replace('Part("twice", "an even number",', 'Part("twice", "a", main=True,'))


def test_a_word_of_the_parts_may_be_written_once_for_some_of_them(exercise: Exercise) -> None:
    text = SPEC.replace("PARTS = [", 'REFUSALS = [Refusal("bad", [tensor(2), 1.0])]\nPARTS = [')
    text = text.replace("import Case,", "import Case, Refusal,")
    text = text.replace('sections=("less_a"', 'refusals=REFUSALS, sections=("less_a"')
    first, second = spec_of(exercise, text).parts
    assert [each.name for each in first.refusals] == []
    assert [each.name for each in second.refusals] == ["bad"]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("PARTS = [", "ENTRY = 'x'\nPARTS = [", "ENTRY is there too"),
        ('Part("less"', 'Part("twice"', "'twice' is no identifier, or the name of two parts"),
        ('"less_b")', '"less_c")', "'less': exercise.toml has no section 'less_c'"),
        ("tensor(8), 0.5]", "tensor(8), 0.5, 1]", "PARTS, 'less': CASES, 'one': 3 arguments"),
        ('"a smaller number",', '"a", points=90,', "do not add up to scores.parts, which is 81"),
        ("PARTS = [", "PARTS = []\n_ = [", "PARTS is empty"),
        ("PARTS = [", "REFUSALS = []\nPARTS = [", "no part takes REFUSALS; write refusals=REFUSALS in"),
        ("PARTS = [", "tolerances = less\nPARTS = [", "no part takes tolerances; write tolerances=tol"),
        ("PARTS = [", "ROUNDED_ONCE = True\nPARTS = [", "no part takes ROUNDED_ONCE; write rounded_once="),
    ],
)
def test_a_broken_spec_is_a_sentence(exercise: Exercise, before: str, after: str, said: str) -> None:
    assert SPEC.count(before) == 1
    with pytest.raises(BrokenSpec, match=r"spec\.py") as raised:
        spec_of(exercise, SPEC.replace(before, after))
    assert said in str(raised.value)
