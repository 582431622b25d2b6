"""What is kept of a submission's printing."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from grader.run.transcript import Transcript

LIMIT = 10**9


@pytest.fixture
def pipe() -> Iterator[tuple[Transcript, int]]:
    reading, writing = Transcript.pipe()
    transcript = Transcript(reading, keep=10)
    yield transcript, writing
    transcript.close()
    os.close(writing)


def test_short_output_is_kept_whole(pipe: tuple[Transcript, int]) -> None:
    transcript, writing = pipe
    for part in (b"hello ", b"w", b"orld ", "é!".encode()):
        os.write(writing, part)
        assert transcript.drain(LIMIT)
    assert transcript.text() == "hello world é!"
    assert transcript.total == 15


def test_long_output_keeps_its_ends(pipe: tuple[Transcript, int]) -> None:
    transcript, writing = pipe
    for part in (b"0123456789", b"x" * 5000, b"y" * 7, b"abcdefghij"):
        os.write(writing, part)
        assert transcript.drain(LIMIT)
    assert transcript.text() == "0123456789\n[... 5007 bytes left out ...]\nabcdefghij"


def test_many_small_pieces_keep_their_ends(pipe: tuple[Transcript, int]) -> None:
    transcript, writing = pipe
    for number in range(1000):
        os.write(writing, b"%d," % (number % 10))
        transcript.drain(LIMIT)
    assert transcript.text() == "0,1,2,3,4,\n[... 1980 bytes left out ...]\n5,6,7,8,9,"


def test_a_flood_is_noticed_and_no_longer_read(pipe: tuple[Transcript, int]) -> None:
    transcript, writing = pipe
    os.write(writing, b"x" * 50_000)
    assert transcript.drain(50_000)
    os.write(writing, b"y")
    assert not transcript.drain(50_000)
    os.write(writing, b"z" * 1000)
    assert not transcript.drain(50_000)
    assert transcript.total == 50_001


def test_each_request_starts_anew(pipe: tuple[Transcript, int]) -> None:
    transcript, writing = pipe
    os.write(writing, b"first" * 100)
    transcript.drain(LIMIT)
    transcript.start()
    os.write(writing, b"second")
    transcript.drain(LIMIT)
    assert transcript.text() == "second"


def test_the_end_of_the_pipe_is_noticed() -> None:
    reading, writing = Transcript.pipe()
    transcript = Transcript(reading)
    os.write(writing, b"last words")
    os.close(writing)
    assert transcript.drain(LIMIT)
    assert not transcript.open
    assert transcript.text() == "last words"
    transcript.close()
