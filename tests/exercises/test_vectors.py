"""The kernels on the way to exercise 12: each is right, and falls short where the lesson says so."""

from __future__ import annotations

import pytest

from grader.run import Zygote

from .samples import Samples, failed

SAMPLES = Samples.of("12", "vectors")
pytestmark = SAMPLES.together


REQUESTS = {"global_load_requests", "global_store_requests"}


@pytest.mark.slow("grades a submission")
@pytest.mark.parametrize(
    ("kernel", "lacks"),
    [("pieces.cu", {"global_sectors"}), ("naive.cu", REQUESTS), ("unrolled.cu", REQUESTS)],
)
def test_a_kernel_on_the_way_is_right_but_not_efficient(lane: Zygote, kernel: str, lacks: set[str]) -> None:
    verdict = SAMPLES.graded(kernel, lane)

    failures = failed(verdict)
    assert [check.name for check in failures] == ["efficiency"]
    assert {each.kind for each in failures[0].findings} <= lacks
    exceeded = "\n".join(line for line in failures[0].lines if "✗" in line)
    assert ("sectors of global memory" in exceeded) is (kernel == "pieces.cu")
    assert ("requests read" in exceeded) is (kernel != "pieces.cu")
    assert 0 < failures[0].points < failures[0].out_of


def test_one_chunk_for_each_thread_is_as_good_as_two(lane: Zygote) -> None:
    verdict = SAMPLES.graded("vectors.cu", lane)
    assert verdict.passed, [check.sentence for check in verdict.checks]
    assert verdict.earned == verdict.out_of == 85
