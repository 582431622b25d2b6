"""Findings in words: elements of named tensors, both parties, places in the learner's files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cusimt.findings import KINDS, Finding, Frame, Party, explain, rule, sentence, symbolise

BASE = 0x7F0000000200


def raw(kind: str, **facts: Any) -> dict[str, Any]:
    return {
        "kind": kind, "access": "write", "bytes": 4, "kernel": "k", "module": "", "pc": 0, "address": BASE,
        "allocation": None, "space": "global", "block": [3, 0, 0], "thread": [232, 0, 0], "other": None,
        "count": 1, "note": "", "file": "", "line": 0, **facts,
    }  # fmt: skip


def in_words(kind: str, **facts: Any) -> str:
    (finding,) = symbolise([raw(kind, **facts)])
    return sentence(finding)


def at(offset: int, size: int = 4000) -> dict[str, int]:
    return {"base": BASE, "bytes": size, "offset": offset, "device": 0}


def test_an_overrun_names_the_element() -> None:
    tensor = {"name": "c", "itemsize": 4, "storage_offset": 0}
    assert in_words("out_of_bounds", allocation=at(4000), tensor=tensor) == (
        "Invalid __global__ write of size 4 bytes: element 1000 of `c`, which has 1000 elements "
        "(1 past the end). block (3,0,0), thread (232,0,0)."
    )


@pytest.mark.parametrize(
    ("offset", "tensor", "memory"),
    [
        (
            -8,
            {"name": "c", "itemsize": 4},
            "element -2 of `c`, which has 1000 elements (2 before its beginning)",
        ),
        (
            4000,
            {"name": "c", "itemsize": 4, "storage_offset": 600},
            "element 400 of `c`, which has 400 elements (1 past the end)",
        ),
        (
            4004,
            {"name": "the output", "itemsize": 2},
            "element 2002 of the output, which has 2000 elements (3 past the end)",
        ),
        (4001, None, "byte 4001 of an allocation, which has 4000 bytes"),
    ],
    ids=["before", "view", "half", "between elements"],
)
def test_elements(offset: int, tensor: dict[str, Any] | None, memory: str) -> None:
    assert memory in in_words("out_of_bounds", allocation=at(offset), tensor=tensor)


def test_both_parties_of_a_race() -> None:
    other = {"pc": 0, "access": "read", "block": [3, 0, 0], "thread": [1, 2, 0]}
    assert in_words("race_shared", space="shared", other=other, note="write after read") == (
        "Race on shared memory (write after read): write of 4 bytes, unordered with the read by "
        "thread (1,2,0). block (3,0,0), thread (232,0,0)."
    )
    across = {**other, "block": [0, 0, 0]}
    assert "with the read by block (0,0,0), thread (1,2,0)" in in_words("race_global", other=across)


def test_a_write_in_a_function_of_its_own_may_be_any_call_of_it() -> None:
    def said(function: str, callers: tuple[Frame, ...] = ()) -> str:
        frame = Frame("kernel.cu", 9, callers=callers, function=function)
        party = Party(frame, "write", (0, 0, 0), (1, 0, 0))
        return sentence(Finding("race_shared", access="read", bytes=4, kernel="void sums<float>(float*)",
                                space="shared", block=(0, 0, 0), thread=(0, 0, 0), other=party))  # fmt: skip

    assert "by thread (1,0,0) (in `store`: consider each call of it)" in said("void store<float>(float*)")
    assert "consider each call" not in said("void sums<float>(float*)")
    assert "consider each call" not in said("store(float*)", (Frame("kernel.cu", 30),))
    assert "consider each call" not in said("")


def test_counts_are_told_and_added_up() -> None:
    first, second = (
        raw("uninitialized_read", access="read", count=3),
        raw("uninitialized_read", access="read"),
    )
    (finding,) = symbolise([first, second])
    assert finding.count == 4
    assert sentence(finding).startswith("Uninitialized __global__ read of size 4 bytes (4 times).")


def test_a_trap_lies_where_the_assertion_is(tmp_path: Path) -> None:
    source = tmp_path / "kernel.cu"
    source.write_text("one\n    assert(i < n);\n")
    (finding,) = symbolise([raw("trap", note="assert", file=str(source), line=2)])
    assert finding.frame == Frame(str(source), 2, "    assert(i < n);")
    assert explain(finding).splitlines()[-1] == "    assert(i < n);"
    assert sentence(finding) == "Device-side assertion failed. kernel.cu:2, block (3,0,0), thread (232,0,0)."


def test_a_launch_finding_lies_at_the_launch(tmp_path: Path) -> None:
    note = "the block has 2000 threads in x; at most 1024"
    facts = {"block": None, "thread": None, "file": "/x/kernel.cu", "line": 7, "note": note}
    assert in_words("invalid_launch", **facts) == f"Invalid launch: {note}. kernel.cu:7."


@pytest.mark.parametrize(
    ("note", "is_empty"), [("the grid has 0 blocks in x", True), ("the block has 2000 threads", False)]
)
def test_a_launch_of_nothing_has_a_rule_of_its_own(note: str, is_empty: bool) -> None:
    told = rule(Finding("invalid_launch", note=note))
    assert ("round the number of blocks up" in told) is is_empty


@pytest.mark.parametrize(
    ("note", "words"),
    [
        ("the grid has 65536 blocks in y; at most 65535", "limit the number"),
        ("the block has 2048 threads in x; at most 1024", "take a smaller block"),
        ("the block has 2048 threads; at most 1024", "take a smaller block"),
        ("the blocks of a cooperative launch must all be resident at once; at most 264 are", "never starts"),
    ],
)
def test_a_launch_beyond_a_limit_is_told_how_to_stay_below_it(note: str, words: str) -> None:
    assert words in rule(Finding("invalid_launch", note=note))


def test_in_shared_memory_the_length_of_a_row_breaks_alignment() -> None:
    assert "a view" in rule(Finding("misaligned", space="global"))
    assert "the length of a row" in rule(Finding("misaligned", space="shared"))


def test_an_access_with_a_mask_is_not_told_to_have_one() -> None:
    def said(source: str) -> str:
        frame = Frame("kernel.py", 4, source)
        return rule(Finding("out_of_bounds", frame=frame, space="global", of_program=True))

    assert "give tl.load and tl.store a mask" in said("tl.load(x + i)")
    assert "do the offsets belong to this tensor" in said("tl.store(x + i, y, mask=inside)")


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_words_and_a_rule(kind: str) -> None:
    (finding,) = symbolise([raw(kind)], suspicions=True)
    assert rule(finding).endswith(".")
    assert not sentence(finding).startswith(kind.replace("_", " ")), "these are no words, but its name"


def test_what_is_no_finding_is_left_out() -> None:
    assert symbolise([{"kind": 3}, {}]) == []
