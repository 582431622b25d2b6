"""What the counters say about exercise 14's kernels is what paper and pencil say, for all sizes drawn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeAlias

import pytest

from cusimt.counters.transactions import sectors, wavefronts
from grader.checks.questions.predicted import counts_of
from grader.course.catalog import Catalog
from grader.run.zygote_handle import Zygote
from grader.specification import Count, Program, load_spec
from grader.specification.questions import drawn_sizes
from tests.desks import together
from tests.unit.fake_submission import FakeSession, fake_bench

from .conftest import ROOT

EXERCISE = Catalog.open(ROOT).find("14_reduction")
pytestmark = together(EXERCISE)
COUNTS = [question for question in load_spec(EXERCISE).questions if isinstance(question, Count)]
WARP, FLOAT = 32, 4

Words: TypeAlias = "list[int | None]"  # by thread: the word that it reads, or None


def modulo(block: int, stride: int) -> Words:
    return [t + stride if t % (2 * stride) == 0 else None for t in range(block)]


def packed(block: int, stride: int) -> Words:
    return [2 * stride * t + stride if 2 * stride * t < block else None for t in range(block)]


def halving(block: int, stride: int) -> Words:
    return [t + stride if t < stride else None for t in range(block)]


def requests_of(words: Words) -> Iterator[Words]:
    """The warps with an active lane, as byte addresses."""
    for first in range(0, len(words), WARP):
        lanes = words[first : first + WARP]
        if any(word is not None for word in lanes):
            yield [None if word is None else FLOAT * word for word in lanes]


def on_paper(block: int, step: int) -> dict[str, float]:
    """The answers, from the arithmetic of predict.cu and the memory model."""
    strides = [1 << level for level in range(block.bit_length() - 1)]
    trees = {
        tree.__name__: [lanes for stride in strides for lanes in requests_of(tree(block, stride))]
        for tree in (modulo, packed, halving)
    }
    waves = {name: sum(wavefronts(lanes, FLOAT) for lanes in requests) for name, requests in trees.items()}
    pieces = [lanes for k in range(step) for lanes in requests_of([t * step + k for t in range(block)])]
    return {
        "modulo_requests": len(trees["modulo"]),
        "modulo_lanes": (block - 1) / len(trees["modulo"]),
        "packed_requests": len(trees["packed"]),
        "packed_wavefronts": waves["packed"],
        "halving_wavefronts": waves["halving"],
        "piece_sectors": sum(sectors(lanes, FLOAT) for lanes in pieces) / len(pieces),
    }


def pairs() -> list[tuple[int, int]]:
    """Every block size, and every step, at least once."""
    sizes = COUNTS[0].program.sizes
    return [
        (block, sizes["step"][number % len(sizes["step"])])
        for number, block in enumerate([*sizes["block"], *sizes["block"][:2]])
    ]


@pytest.mark.parametrize(("block", "step"), pairs())
def test_what_is_counted_is_what_paper_says(lane: Zygote, block: int, step: int) -> None:
    bench = fake_bench(FakeSession(lambda x: x), lambda x: x, [], exercise=EXERCISE)
    bench = replace(bench, spawn=lane.spawn_worker)
    program = Program(COUNTS[0].program.file, {"block": (block,), "step": (step,)})
    questions = [replace(question, program=program) for question in COUNTS]

    assert counts_of(bench, questions, draw=1) == pytest.approx(on_paper(block, step))


def test_on_a_gpu_the_simulated_one_counts() -> None:
    bench = fake_bench(FakeSession(lambda x: x), lambda x: x, [], exercise=EXERCISE, backend="cuda")
    program = Program(COUNTS[0].program.file, {"block": (64,), "step": (2,)})
    questions = [replace(question, program=program) for question in COUNTS]

    assert counts_of(bench, questions, draw=1) == pytest.approx(on_paper(64, 2))


def test_the_solution_answers_for_the_sizes_that_it_draws() -> None:
    assert drawn_sizes(COUNTS[0].program, EXERCISE.slug, 1) == {"block": 256, "step": 5}
