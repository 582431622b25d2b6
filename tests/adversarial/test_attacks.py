"""Each attack of the catalogue is refused by the check that its folder names, and earns no more."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from cusimt.triton import lacking
from grader.compilation import detect_backend
from grader.run.zygote_handle import Zygote
from tests.adversarial.catalogue import BEFORE_IT_RUNS, Attack, attacks
from tests.adversarial.judging import judge
from tests.desks import desk, together

ATTACKS = attacks()
ON_SIMT = [attack for attack in ATTACKS if "simt" in attack.backends]
ON_CUDA = [attack for attack in ATTACKS if "cuda" in attack.backends]
READ = [attack for attack in ON_SIMT if attack.refused_by in BEFORE_IT_RUNS]
RUN = [attack for attack in ON_SIMT if attack.refused_by not in BEFORE_IT_RUNS]

# A refusal says what is not allowed, why, and what to write instead; it accuses no one.
_ACCUSES = re.compile(r"cheat|attack|forg(e|ing)|tamper|hack|malicious|evad|suspicious", re.IGNORECASE)
_CODE = re.compile(r"`[^`]*`")


def on_desks(chosen: Sequence[Attack]) -> list[Any]:
    """By exercise: the early ones are small, and of each class `make test` takes the first attack."""
    by_exercise = sorted(chosen, key=lambda attack: attack.exercise.slug)
    return [pytest.param(attack, id=attack.name, marks=list(_marks(attack))) for attack in by_exercise]


def _marks(attack: Attack) -> Iterator[pytest.MarkDecorator]:
    yield together(attack.exercise)
    yield pytest.mark.variety(attack.group, of_all=True)
    yield pytest.mark.variety(f"refused by {attack.refused_by}", of_all=True)
    if attack.is_compiled:
        yield pytest.mark.slow("compiles a submission")
    if attack.exercise.has_python_kernels:
        yield pytest.mark.skipif(bool(lacking()), reason=lacking() or "Triton is there")


@pytest.mark.parametrize("attack", on_desks(READ))
def test_it_is_refused_before_it_runs(attack: Attack) -> None:
    with desk(attack.exercise) as submission:
        ruling = judge(attack, "simt", submission)
    assert ruling.objection(attack, "simt") == ""
    assert not _ACCUSES.search(_CODE.sub("", ruling.refusals.get("audit", "")))


@pytest.mark.slow("grades a submission")
@pytest.mark.parametrize("attack", on_desks(RUN))
def test_it_is_refused_by_a_check(attack: Attack, lane: Zygote) -> None:
    with desk(attack.exercise) as submission:
        assert judge(attack, "simt", submission, lane).objection(attack, "simt") == ""


@pytest.mark.gpu
@pytest.mark.skipif(detect_backend() != "cuda", reason="needs a CUDA GPU, nvcc and a CUDA build of torch")
@pytest.mark.parametrize("attack", on_desks(ON_CUDA))
def test_it_is_refused_on_a_gpu(attack: Attack) -> None:
    with desk(attack.exercise) as submission:
        assert judge(attack, "cuda", submission).objection(attack, "cuda") == ""
