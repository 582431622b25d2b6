"""Exercise 15's find.cu: what its profile says is what paper says, and only one of the repairs is one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from cusimt.counters import LineCounts, symbolise
from cusimt.counters.transactions import sectors, wavefronts
from grader.checks.questions.predicted import counts_of
from grader.compilation import Artifact, BuildRequest, build
from grader.course.catalog import Catalog
from grader.course.snapshot import desk_of
from grader.run.zygote_handle import Zygote
from grader.specification import Choice, Count, Program, load_spec
from grader.specification.questions import drawn_sizes
from tests.desks import together
from tests.unit.fake_submission import FakeSession, fake_bench

from .conftest import ROOT

EXERCISE = Catalog.open(ROOT).find("15_tiled_matmul")
pytestmark = together(EXERCISE)
QUESTIONS = load_spec(EXERCISE).questions
COUNTS = [question for question in QUESTIONS if isinstance(question, Count)]
SIZES = [(64, 96, 128, 8), (96, 64, 160, 16), (128, 160, 64, 32)]
WARP, FLOAT = 32, 4


def warp(tile: int, word: Callable[[int, int], int]) -> list[int | None]:
    """Byte addresses of the lanes of a block's first warp; `word` maps x and y to an element."""
    return [FLOAT * word(lane % tile, lane // tile) for lane in range(WARP)]


def on_paper(m: int, k: int, n: int, tile: int) -> dict[str, float]:
    requests = (m // tile) * (n // tile) * (tile * tile // WARP) * (k // tile)
    of_b = sectors(warp(tile, lambda x, y: x * n + y), FLOAT)
    return {
        "excess_sectors": of_b,
        "excess_total": requests * of_b,
        "good_total": m * k * n // tile // 8,
        "conflict_wavefronts": wavefronts(warp(tile, lambda x, y: x * tile), FLOAT),
    }


@pytest.mark.parametrize("sizes", SIZES)
def test_what_is_counted_is_what_paper_says(lane: Zygote, sizes: tuple[int, int, int, int]) -> None:
    bench = fake_bench(FakeSession(lambda x: x), lambda x: x, [], exercise=EXERCISE)
    bench = replace(bench, spawn=lane.spawn_worker)
    drawn = {name: (size,) for name, size in zip(("m", "k", "n", "tile"), sizes, strict=True)}
    questions = [replace(question, program=Program("find.cu", drawn)) for question in COUNTS]

    assert counts_of(bench, questions, draw=1) == on_paper(*sizes)


def test_every_size_that_is_drawn_suits_the_kernel() -> None:
    drawn = COUNTS[0].program.sizes
    assert all(size % tile == 0 for name in "mkn" for size in drawn[name] for tile in drawn["tile"])
    assert set(drawn["tile"]) == {8, 16, 32}  # launch() falls back on 32
    assert drawn_sizes(COUNTS[0].program, EXERCISE.slug, 1) == {"m": 96, "k": 96, "n": 128, "tile": 16}


REPAIRS = {  # the choices of one_repair, as edits of find.cu
    "a": (("b_tile[kTile][kTile];", "b_tile[kTile][kTile + 1];"),),
    "b": (("(first + x) * n + column + y", "(first + y) * n + column + x"), ("b_tile[x][i]", "b_tile[i][x]")),
    "c": (("b_tile[y][x] =", "b_tile[x][y] ="), ("b_tile[x][i]", "b_tile[i][x]")),
    "d": (("dim3(n / kTile, m / kTile)", "dim3(m / kTile, n / kTile)"),),
}


@pytest.fixture(scope="module")
def repaired() -> Iterator[tuple[Artifact, Path]]:
    """A module whose functions are called by the letters of the repairs, and the folder of its source.

    One file holds all of them: reading pybind11's headers takes most of its compilation.
    """
    head, _, rest = (EXERCISE.root / "find.cu").read_text().partition("namespace {\n")
    code, _, _ = rest.partition("}  // namespace\n")
    parts = [f"namespace {letter} {{\n{_edited(code, edits)}}}\n" for letter, edits in REPAIRS.items()]
    functions = " ".join(f'm.def("{letter}", &{letter}::product);' for letter in REPAIRS)
    with desk_of(["tests", __file__, "repairs"], "files") as desk:
        file = desk / "files" / "find.cu"
        file.parent.mkdir()
        file.write_text(f"{head}{''.join(parts)}PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {{ {functions} }}\n")
        yield build(BuildRequest("find", "pybind", (file,), "simt")), file.parent


def _edited(text: str, edits: Iterable[tuple[str, str]]) -> str:
    for find, repair in edits:
        assert text.count(find) == 1
        text = text.replace(find, repair)
    return text


@pytest.mark.parametrize("letter", REPAIRS)
def test_one_repair_makes_every_line_ideal(
    lane: Zygote, repaired: tuple[Artifact, Path], letter: str
) -> None:
    question = next(each for each in QUESTIONS if isinstance(each, Choice) and each.name == "one_repair")
    assert question.choices.keys() == REPAIRS.keys()
    artifact, folder = repaired

    with lane.spawn_worker() as session:
        session.load(artifact, None, folder)
        reply = session.call(letter, [64, 64, 64, 32], count=True)
    lines = [line for launch in symbolise(reply.trace.counts, [folder]) for line in launch.lines]

    assert lines
    assert (excess(lines) == 0) is (letter == "b")


def excess(lines: list[LineCounts]) -> int:
    """Sectors and wavefronts beyond the fewest that the lanes need."""
    return sum(
        line.conflicts if line.space == "shared" else line.sectors - line.ideal_sectors for line in lines
    )
