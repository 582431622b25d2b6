"""What was never written is laid beside the launch; where that explains nothing, nothing is claimed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from grader.checks.values.diagnose import diagnose
from grader.checks.values.unwritten import by_the_launch
from grader.checks.values.wrong_answer import Wrong
from grader.run.values import TracedLaunch

POISONED = torch.full((4,), 0xA5, dtype=torch.uint8).view(torch.float32).item()
Index = Callable[[int, int], tuple[int, ...]]  # of a thread's block and its own number, or of x and y


def answer(shape: tuple[int, ...], written: torch.Tensor, *launches: TracedLaunch) -> Wrong:
    """The answer of kernels that wrote the elements of the mask `written`."""
    right = torch.rand(shape, generator=torch.Generator().manual_seed(3), dtype=torch.float64) + 0.5
    got = torch.where(written, right, POISONED).float()
    return Wrong(got, right, ~written, launches=launches)


def in_a_line(total: int, blocks: int, size: int, index: Index, bound: int | None = None) -> Wrong:
    """What a launch of `blocks` of `size` threads leaves, whose threads write to `index` below `bound`."""
    block, thread = torch.meshgrid(torch.arange(blocks), torch.arange(size), indexing="ij")
    element = index(block, thread)  # type: ignore[arg-type]
    written = torch.zeros(total, dtype=torch.bool)
    written[element[element < (total if bound is None else bound)]] = True  # type: ignore[index, operator]
    return answer((total,), written, TracedLaunch("k", (blocks, 1, 1), (size, 1, 1)))


def straight(size: int) -> Index:
    return lambda block, thread: block * size + thread  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (in_a_line(1000, 3, 256, straight(256)), "3 blocks of 256 threads, and 1000 elements take 4"),
        (in_a_line(1000, 4, 256, lambda b, t: t + 0 * b), "does the index take the block"),  # type: ignore
        (in_a_line(1000, 4, 256, straight(256), bound=768), "but the last, partial one cover: is the guard"),
        (
            in_a_line(1000, 4, 256, lambda b, t: t * 256 + b),  # type: ignore
            "the first 4 of every 256 elements, and the launch has 4 blocks of 256 threads: are block",
        ),
        (in_a_line(300, 2, 256, straight(256), bound=256), "written is what the first covers: does"),
        (in_a_line(90_000, 300, 256, straight(256)), "each thread has to go on in a loop: does it?"),
    ],
)
def test_a_launch_in_one_dimension(wrong: Wrong, words: str) -> None:
    assert words in by_the_launch(wrong)
    assert by_the_launch(wrong) in diagnose(wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        in_a_line(1000, 4, 256, straight(256), bound=999),  # the guard alone tells
        in_a_line(1000, 4, 256, lambda b, t: (b * 256 + t) * 2),  # type: ignore
        answer((300,), torch.arange(300) < 256),  # no launch is known
        answer((300,), torch.arange(300) < 0, TracedLaunch("k", (1, 1, 1), (256, 1, 1))),
    ],
)
def test_a_launch_that_explains_nothing(wrong: Wrong) -> None:
    assert by_the_launch(wrong) == ""


def test_the_end_that_no_whole_chunk_covers_is_a_tail() -> None:
    launch = TracedLaunch("k", (1, 1, 1), (256, 1, 1))
    wrong = answer((2047,), torch.arange(2047) < 2044, launch)
    assert "Elements 2044 to 2046 were never written" in diagnose(wrong)
    assert diagnose(wrong).endswith("where does the kernel handle the tail?")
    assert "tail" not in diagnose(answer((2047,), torch.arange(2047) < 2045, launch))


def test_what_nothing_wrote_counts_where_the_answer_is_zero() -> None:
    wrong = answer((2047,), torch.arange(2047) < 2044, TracedLaunch("k", (1, 1, 1), (256, 1, 1)))
    wrong.mask[2044:2046] = False
    assert "Elements 2044 to 2046 were never written" in diagnose(wrong)


def test_complex_numbers_are_left_alone() -> None:
    right = torch.ones(300, dtype=torch.complex128)
    wrong = Wrong(right.to(torch.complex64) * 2, right, torch.ones(300, dtype=torch.bool))
    assert by_the_launch(wrong) == ""


def test_two_launches_say_nothing_of_either() -> None:
    launch = TracedLaunch("k", (1, 1, 1), (256, 1, 1))
    written = torch.arange(300) < 256
    assert by_the_launch(answer((300,), written, launch)) != ""
    assert by_the_launch(answer((300,), written, launch, launch)) == ""


def test_enough_threads_are_not_asked_for_more() -> None:
    told = diagnose(in_a_line(1000, 4, 256, straight(256), bound=900))
    assert told.endswith("The launch has threads enough: look at the index and the guard.")
    assert diagnose(in_a_line(1000, 4, 256, straight(256), bound=999)).endswith("too strict?")


def test_a_block_for_each_row() -> None:
    written = torch.arange(10)[:, None].expand(10, 33) < 8
    told = by_the_launch(answer((10, 33), written, TracedLaunch("k", (8, 1, 1), (64, 1, 1))))
    assert "as many of the 10 rows were written: has every row a block?" in told


def test_a_kernel_that_ran_is_not_asked_whether_it_runs() -> None:
    nothing = torch.zeros(40, dtype=torch.bool)
    assert "Does the kernel run" in diagnose(answer((40,), nothing))
    told = diagnose(answer((40,), nothing, TracedLaunch("k", (1, 1, 1), (256, 1, 1))))
    assert "Does the kernel run" not in told and "does its guard let any thread through" in told


Pair = tuple[int, int]


def in_a_plane(shape: Pair, rows: int, columns: int, grid: Pair, block: Pair) -> Wrong:
    written = torch.zeros(shape, dtype=torch.bool)
    written[:rows, :columns] = True
    return answer(shape, written, TracedLaunch("k", (*grid, 1), (*block, 1)))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (
            in_a_plane((1, 256), 1, 32, (1, 8), (32, 4)),
            "with columns in x, one thread per element takes 8 in x and 1 in y: are the two exchanged?",
        ),
        (in_a_plane((9, 33), 8, 33, (2, 1), (32, 8)), "takes 2 in x and 2 in y: is the number of blocks"),
        (in_a_plane((262_143, 1), 262_140, 1, (1, 65_535), (32, 4)), "at most 65,535 blocks in y"),
        (in_a_plane((8, 32), 8, 8, (2, 1), (16, 8)), "all 8 rows and 8 of 32 columns. Are rows and"),
        (in_a_plane((40, 50), 8, 16, (4, 5), (16, 8)), "One block covers as much: does the index"),
        (in_a_plane((40, 50), 39, 50, (4, 5), (16, 8)), "39 of 40 rows and all 50 columns. The grid"),
    ],
)
def test_a_launch_in_two_dimensions(wrong: Wrong, words: str) -> None:
    assert words in by_the_launch(wrong)
    assert by_the_launch(wrong) in diagnose(wrong)


def test_what_was_written_is_no_rectangle() -> None:
    holes = torch.ones(40, 50, dtype=torch.bool)
    holes[3, 7] = False
    assert by_the_launch(answer((40, 50), holes, TracedLaunch("k", (4, 5, 1), (16, 8, 1)))) == ""


def test_a_right_byte_that_equals_the_fill_pattern_counts_as_written() -> None:
    right = (torch.arange(1200) % 256).to(torch.uint8).reshape(600, 2)
    got = right.clone()
    got[512:] = 0xA5
    wrong = Wrong(got, right, got != right, launches=(TracedLaunch("k", (1, 128, 1), (32, 4, 1)),))
    assert "Written are 512 of 600 rows and all 2 columns." in by_the_launch(wrong)
