"""cuRAND in kernels: published vectors, cuRAND's own numbers, jumps by another way, distributions."""

from __future__ import annotations

import numpy as np
import pytest

from cusimt import findings
from cusimt.tests.surface_program import Program, program

# What NVIDIA's own header (cuRAND 10.4, compiled for the host) gives for this seed, subsequence and offset.
INIT = np.array([42, 123456, 9], np.uint64)
WORDS = {
    "xorwow": [2033583867, 3131449050, 3583445767, 2754991158, 1531986984, 1763289523, 3866609394],
    "philox": [2198093737, 3268512264, 16212065, 4161867718, 1846066933, 1247876377, 2206614731],
}
AFTER_JUMPS = {"xorwow": 1564193590, "philox": 1506096091}
NUMBERS = {
    "xorwow": "0.473480642 0.729097307 0.834335983 0.35669333 0.970409691 -0.915876925 0.983662486"
    " 1.33061506 -0.577404139 -0.94061195 2.95618129 0.265546116 -1.89683831 -0.254162222",
    "philox": "0.5117836 0.761009812 0.00377466576 0.96901034 1.25758922 -0.327478766 -0.743277311"
    " -1.79480313 -0.919003026 -1.12208645 8.54556274 2.38104672 1.11588764 0.83702898",
}
FOURS = (
    "0.761009812 0.00377466576 0.969010353 0.429820955 0.73819524 -1.3881892 -0.204221085 -0.399507642"
    " 0.971857996 0.270323809"
)


@pytest.fixture(scope="module")
def random() -> Program:
    return program("random", checked=True)


@pytest.mark.parametrize("name", ["xorwow", "philox"])
def test_words_are_curands(random: Program, name: str) -> None:
    words = np.zeros(8, np.uint32)
    random.call(f"{name}_words", INIT, words)
    assert words.tolist() == [*WORDS[name], AFTER_JUMPS[name]]


@pytest.mark.parametrize("name", ["xorwow", "philox"])
def test_numbers_are_curands(random: Program, name: str) -> None:
    numbers = np.zeros(14, np.float64)
    random.call(f"{name}_numbers", INIT, numbers)
    np.testing.assert_allclose(numbers, np.fromstring(NUMBERS[name], sep=" "), rtol=1e-6)


def test_four_numbers_at_a_time_are_curands(random: Program) -> None:
    numbers = np.zeros(10, np.float64)
    random.philox_fours(INIT, numbers)
    np.testing.assert_allclose(numbers, np.fromstring(FOURS, sep=" "), rtol=1e-6)


@pytest.mark.parametrize(
    ("counter_and_key", "expected"),
    [
        ([0] * 6, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
        ([0xFFFFFFFF] * 6, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
        (
            [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344, 0xA4093822, 0x299F31D0],
            [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
        ),
    ],
)
def test_philox_gives_the_known_answers_of_random123(
    random: Program, counter_and_key: list[int], expected: list[int]
) -> None:
    words = np.zeros(4, np.uint32)
    random.philox_block(np.array(counter_and_key, np.uint32), words)
    assert words.tolist() == expected


def xorwow_by_steps(seed: int, offset: int, count: int) -> list[int]:
    """The generator without jumps: Marsaglia's recurrence and cuRAND's seeding, step by step."""
    mask = 0xFFFFFFFF
    low = 1099087573 * ((seed & mask) ^ 0xAAD26B49) & mask
    high = 2591861531 * ((seed >> 32) ^ 0xF7DCEFDD) & mask
    counter = 6615241 + low + high
    v = [
        123456789 + low & mask,
        362436069 ^ low,
        521288629 + high & mask,
        88675123 ^ high,
        5783321 + low & mask,
    ]
    words = []
    for _ in range(offset + count):
        t = v[0] ^ v[0] >> 2
        v = [*v[1:], (v[4] ^ v[4] << 4 ^ t ^ t << 1) & mask]
        counter += 362437
        words.append(v[4] + counter & mask)
    return words[offset:]


@pytest.mark.parametrize("offset", [0, 1, 1000, 65537])
def test_a_jump_is_as_many_steps(random: Program, offset: int) -> None:
    words = np.zeros(8, np.uint32)
    random.xorwow_words(np.array([0xDEADBEEF12345, 0, offset], np.uint64), words)
    assert words[:6].tolist() == xorwow_by_steps(0xDEADBEEF12345, offset, 6)


def test_threads_have_sequences_of_their_own(random: Program) -> None:
    findings.take()
    n = 1000
    uniform, normal = np.zeros((8, n), np.float32), np.zeros((8, n), np.float32)
    random.samples(uniform, normal, n)
    assert uniform.min() > 0
    assert uniform.max() <= 1
    assert len(np.unique(uniform)) > 0.999 * uniform.size
    assert abs(uniform.mean() - 0.5) < 0.02
    assert abs(normal.mean()) < 0.05
    assert abs(normal.std() - 1) < 0.05
    assert abs(np.corrcoef(uniform[0, 1:], uniform[0, :-1])[0, 1]) < 0.1
    assert not findings.take()
