"""What is said about a profile, and how a terminal, a log, a page and a program see it."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from cusimt.counters import LineCounts
from cusimt.profile.document import to_json
from cusimt.profile.model import LaunchProfile, Memory, Stage, merged
from cusimt.profile.page import page
from cusimt.profile.phrases import NOTHING, holds, number, size
from cusimt.profile.plain_text import profile_text
from cusimt.profile.remarks import remarks
from cusimt.profile.terminal import show_profile
from cusimt.tests.unit.handmade_profile import X, Y, launched, line, profile, stage, write_source


def coalesced(lane: int) -> int:
    return 4 * lane


def said(*launches: LaunchProfile, **more: object) -> list[str]:
    return [remark.sentence for remark in remarks(profile(stage(launches, **more)))]


# ---- one line -------------------------------------------------------------------------------------------


def test_a_stride_is_named_in_elements_with_what_would_do() -> None:
    (sentence,) = said(launched([line(lambda lane: 128 * lane)]))
    assert sentence == (
        "kernel.cu:4 reads x with a stride of 32 elements: 32 sectors a request where 4 would do; "
        "neighbouring threads should read neighbouring elements."
    )


@pytest.mark.parametrize(
    ("where", "access", "words"),
    [
        (lambda lane: 4 * lane + 4, "load", "reads x in order, but not from a multiple of 32 bytes on: 5 "),
        # the neighbour before: the first of a ring has it at the end
        (lambda lane: 4 * (lane - 1) if lane else 4096, "load", "reads x in order, but not from a multiple"),
        (lambda lane: 4 * lane + (12 if lane < 20 else 4012), "load", "reads x in order, but not from a"),
        (lambda lane: 4 * lane + 64 * (lane // 9), "load", "reads x at scattered addresses: "),
        (lambda lane: 12 * lane, "load", "elements; of structures, keep one array for each member."),
        (lambda lane: 8 * lane, "load", "each member, or each thread all 8 bytes at once, as a vector."),
        # a thread's four floats, one after another, in rows of 16 threads
        (lambda lane: 16 * (lane % 16) + 4096 * (lane // 16), "store", "with a stride of 4 elements: 16 sec"),
        (lambda lane: 4 * (lane % 4) + 4096 * (lane // 4), "load", "reads x at scattered addresses: 8 sec"),
        (lambda lane: 8 * lane, "store", "writes x with a stride of 2 elements: 8 sectors a request where 4"),
        (lambda lane: 6 * lane, "load", "reads x with a stride of 6 bytes: 6 sectors a request where 4"),
        (lambda lane: 64 * (lane * (lane + 7) * 5 % 64), "load", "reads x at scattered addresses: 29 sec"),
    ],
)
def test_other_patterns_have_words_of_their_own(where: Callable[[int], int], access: str, words: str) -> None:
    (sentence,) = said(launched([line(where, access=access)]))  # type: ignore[arg-type]
    assert words in sentence


def test_only_reads_can_be_of_neighbours() -> None:
    shifted = [line(lambda lane: 4 * lane + 4, access=access) for access in ("load", "store")]  # type: ignore[arg-type]
    load, store = ("".join(said(launched([each]))) for each in shifted)
    assert store.endswith("begin each warp's part at a multiple of 32 bytes.")
    assert load.endswith("as of i + 1, cannot: their extra sector is mostly in a cache.")


@pytest.mark.parametrize(
    "fine",
    [
        line(coalesced),
        line(lambda lane: 64),  # a broadcast
        line(lambda lane: 4 * (31 - lane)),  # backwards
        line(coalesced, lanes=range(20, 32), requests=1),
        line(lambda lane: 132 * lane, space="shared"),  # a column of a padded tile
        line(lambda lane: 8 * lane, nbytes=8, space="shared"),
        line(coalesced, access="atomic"),
    ],
)
def test_what_is_as_good_as_it_can_be_is_left_alone(fine: LineCounts) -> None:
    everything_else = line(coalesced, 3, requests=100)
    assert said(launched([fine, everything_else])) == []


def test_the_same_about_several_tensors_is_said_once() -> None:
    column = [line(lambda lane: 128 * lane, allocation=base) for base in (X, Y, 0x3000)]
    first, second = launched(column[:2]), launched(column[2:])
    (remark,) = remarks(profile(stage([first]), stage([second], "backward")))
    assert remark.sentence.startswith("kernel.cu:4 reads x, y and a temporary with a stride of 32 elements:")
    assert remark.cost == 3 * 100 * 28 * 32


def test_bank_conflicts_are_counted_with_the_banks_that_are_reached() -> None:
    (sentence,) = said(launched([line(lambda lane: 128 * lane, space="shared")]))
    assert sentence == (
        "kernel.cu:4 reads shared memory with a stride of 32 words: 32 wavefronts a request where 1 would "
        "do (3,100 bank conflicts in all); the 32 lanes of a warp reach 1 of 32 banks. Let each lane use "
        "its own bank, or the same word."
    )
    (padded,) = said(launched([line(lambda lane: 4 * 40 * lane, space="shared")]))
    assert "stride of 40 words: 8 wavefronts" in padded and "reach 4 of 32 banks" in padded


def test_lanes_that_update_one_address_are_told() -> None:
    (sentence,) = said(launched([line(lambda lane: 0, access="atomic", allocation=Y)]))
    assert sentence.startswith("kernel.cu:4: 32 lanes of a warp update 1 address of y, one after another")
    (shared,) = said(launched([line(lambda lane: 0, access="atomic", space="shared")]))
    assert "32 lanes of a warp update 1 address, one after another" in shared  # and not of bank conflicts


def test_idle_lanes_are_told_with_their_cause() -> None:
    (guard,) = said(launched([line(coalesced, lanes=range(5))]))
    assert guard == (
        "kernel.cu:4: 5 of 32 lanes take part on average; the others returned at a guard or took another "
        "branch."
    )
    (block,) = said(launched([line(coalesced, lanes=range(16))], block=48))
    assert block.endswith("a block of 48 threads does not fill its warps.")
    # One lane that stores a block's result is nothing to speak of.
    assert said(launched([line(coalesced), line(coalesced, lanes=range(1), requests=3)])) == []


# ---- a launch and a stage -------------------------------------------------------------------------------


def test_what_is_asked_for_again_and_again_belongs_into_shared_memory() -> None:
    (sentence,) = said(launched([line(coalesced, requests=1000)], least=12800))
    assert sentence.startswith("copy moves 125 KiB of global memory but touches 12.5 KiB: each byte moves ")
    assert "moves 10 times. Caches catch some of that; a tile in shared memory" in sentence


def test_elements_that_are_written_again_are_said_in_place_of_a_tile() -> None:
    """As by every block of a kernel whose index is threadIdx.x alone."""
    lines = [line(coalesced, requests=256), line(coalesced, requests=256, allocation=Y, access="store")]
    (sentence,) = said(launched(lines, least=2048, written=1024))
    assert sentence.startswith("kernel.cu:4 writes each byte 32 times on average. If many blocks write the ")
    assert "the index lacks blockIdx" in sentence and "shared memory" not in sentence
    assert said(launched(lines, least=65536, written=32768)) == []


def test_nothing_is_said_about_the_inside_of_a_library() -> None:
    one = launched([line(coalesced, lanes=range(5))])
    assert len(said(one)) == 1
    counts = one.counts
    of_cub = replace(counts, launch=replace(counts.launch, kernel="cub::DeviceScan::InclusiveScan"))
    assert said(replace(one, counts=of_cub)) == []


def test_updates_that_queue_for_few_sectors_are_told() -> None:
    updates = line(coalesced, access="atomic", allocation=Y)  # 100 requests of 4 sectors
    (sentence,) = said(launched([line(coalesced, 3), updates], written=8 * 32))
    assert sentence.startswith("kernel.cu:4 updates 8 sectors of y, each 50 times on average. Updates of ")

    assert said(launched([line(coalesced, 3), updates], written=16 * 32)) == []  # 25 times
    # Beside a store it is unknown which of the sectors were updated.
    once = line(coalesced, 3, requests=2, access="store")
    assert said(launched([once, updates], written=8 * 32)) == []
    assert said(launched([line(coalesced)], written=32)) == []


@pytest.mark.parametrize(
    ("made", "words"),
    [
        ({"registers": 128}, "holds 16 of 64 warps; 128 registers a thread are the limit"),
        ({"shared": 100_000}, "97.7 KiB of shared memory a block is the limit. Use smaller tiles."),
        ({"block": 32}, ""),  # half of the warps: enough
        ({"spilled": 724}, "spills: a thread writes 724 bytes to memory and reads 724 bytes back"),
    ],
)
def test_occupancy_and_spills(made: dict[str, int], words: str) -> None:
    found = said(launched([line(coalesced)], **made))
    assert (words in found[0]) if words else found == []


def test_what_launches_spill_is_added_up() -> None:
    (remark,) = remarks(profile(stage([launched([line(coalesced)], spilled=8, times=3)])))
    assert remark.cost == 3 * 8 * 256 * (8 + 8)


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (
            launched([line(coalesced)], registers=72, block=1024),
            "cannot hold one block: registers do not suffice",
        ),
        (
            launched([line(coalesced)], shared=300_000),
            "cannot hold one block: shared memory does not suffice",
        ),
    ],
)
def test_a_block_that_does_not_fit(made: LaunchProfile, words: str) -> None:
    assert holds(made).endswith(words)


def test_traffic_beyond_the_spec_waits_and_copies_are_told() -> None:
    two = [launched([line(coalesced)], name=name) for name in ("first", "second")]
    (sentence,) = said(*two, traffic=12800)
    assert sentence.startswith("The launches of forward touch 25 KiB where 12.5 KiB would do")
    assert said(*two, traffic=25600) == []
    waits = Stage("backward", (), host_syncs=2, copies=("copy_ host to device of 8 bytes",))
    meant = Stage("forward", (), copies=waits.copies, copies_meant=True)
    texts = [remark.sentence for remark in remarks(profile(waits, meant))]
    assert len(texts) == 2
    assert texts[0].startswith("The host waits for the device 2 times in backward")
    assert texts[1].startswith("Backward copies between host and device (copy_ host to device of 8 bytes)")


def test_kernels_that_move_less_than_the_operation_needs_leave_something_out() -> None:
    (sentence,) = said(launched([line(coalesced)]), traffic=1 << 20)
    assert sentence.startswith("The kernels of forward move 12.5 KiB, and the operation needs 1 MiB: calls")
    assert said(traffic=1 << 20) == []  # a library did it all


def test_the_most_expensive_remark_comes_first() -> None:
    cheap, dear = line(lambda lane: 128 * lane, 3, requests=2), line(lambda lane: 128 * lane, requests=900)
    found = said(launched([cheap, dear]))
    assert [sentence.partition(" ")[0] for sentence in found] == ["kernel.cu:4", "kernel.cu:3"]


def test_launches_that_differ_in_their_addresses_only_are_one() -> None:
    def made(first: int, second: int, barriers: int) -> LaunchProfile:
        lines = [line(coalesced, allocation=first), line(lambda lane: 128 * lane, allocation=second)]
        return launched(lines, barriers=barriers)

    first, second = made(1, 2, 3), made(7, 8, 4)
    (both,) = merged([first, second], {})
    assert (both.times, both.counts.barriers, both.moved) == (2, 7, 2 * first.moved)
    assert [(each.requests, each.sectors) for each in both.counts.lines] == [(200, 800), (200, 6400)]
    named = {1: Memory("a"), 7: Memory("b")}
    assert len(merged([first, second], named)) == 2
    assert len(merged([first, launched(first.counts.lines, grid=9)], {})) == 2


def test_launches_that_reached_different_lines_are_one_in_the_order_of_the_source(tmp_path: Path) -> None:
    file = write_source(tmp_path)
    first, second, third = (line(coalesced, number, file=file) for number in (2, 3, 4))
    launches = [launched([first, third]), launched([second, third]), launched([third])]
    (both,) = merged(launches, {})
    assert both.times == 3
    assert [(each.frame.line, each.requests) for each in both.counts.lines] == [(2, 100), (3, 100), (4, 300)]
    shown_page = page(profile(stage([both])))
    assert re.findall(r"<title id=[^>]*>kernel.cu:(\d)", shown_page) == ["2", "3", "4"]
    # With names, only what both reached has to be the same memory.
    assert len(merged(launches, {X: Memory("x")})) == 1
    elsewhere = launched([line(coalesced, 4, file=file, allocation=Y)])
    assert [each.times for each in merged([*launches, elsewhere], {X: Memory("x"), Y: Memory("y")})] == [3, 1]


# ---- renderings -----------------------------------------------------------------------------------------


def shown(*stages: Stage, width: int) -> list[str]:
    console = Console(width=width, highlight=False, force_terminal=False)
    with console.capture() as captured:
        show_profile(profile(*stages), console)
    return captured.get().splitlines()


@pytest.mark.parametrize("width", [80, 120])
def test_the_terminal_shows_counts_beside_the_source(width: int) -> None:
    two = [line(lambda lane: 128 * lane), line(coalesced, allocation=Y)]
    lines = shown(stage([launched(two)]), width=width)
    assert max(map(len, lines)) <= width
    source = next(index for index, text in enumerate(lines) if "y[i] = x[32 * i];" in text)
    assert lines[source].split("│")[0].strip() == "4"
    assert lines[source + 1].split() == ["✗", "load", "of", "x", "4", "100", "32", "sectors", "4", "32"]
    assert lines[source + 2].split() == ["load", "of", "y", "4", "100", "4", "sectors", "4", "32"]
    assert "  a multiprocessor holds 8 blocks, 64 of 64 warps (100%), limited by warps" in "\n".join(lines)
    assert any("kernel.cu:4 reads x with a stride of 32 elements" in text for text in lines)


def test_names_are_not_markup_and_large_numbers_are_whole() -> None:
    odd = Stage("", (launched([line(coalesced, requests=123_456_789)]),), {X: Memory("[red]x", 4)})
    row = next(text for text in shown(odd, width=80) if "load of" in text)
    assert row.split() == ["load", "of", "[red]x", "4", "123,456,789", "4", "sectors", "4", "32"]


def test_plain_text_has_neither_marks_nor_columns() -> None:
    text = profile_text(profile(stage([launched([line(lambda lane: 128 * lane)], times=3)], traffic=400)))
    assert not re.search(r"[✗│]|\S {2}", text)
    assert "Line 4 is: y[i] = x[32 * i];" in text
    assert (
        "kernel.cu:4 reads x, 4 bytes a lane: 100 requests, 32 sectors each where 4 would do, 32 of 32 lanes."
        in text
    )
    assert "Forward launches copy, 3 times: 8 blocks of 256 threads." in text
    assert "least by the spec: 400 bytes" in text
    assert text.splitlines()[-2] == "Remarks:"


def test_launches_that_were_not_counted_are_told() -> None:
    some = Stage("", (launched([line(coalesced)], times=3),), launched=5)
    assert "In all: launches: 5, of which 3 were counted; " in profile_text(profile(some))


def test_of_many_launches_the_weightiest_are_shown() -> None:
    column = line(lambda lane: 128 * lane)
    many = [launched([line(lambda lane: 128 * lane, requests=n)], name=f"k{n}") for n in range(1, 31)]
    text = profile_text(profile(stage(many)))
    heaviest = [f"k{n}" for n in range(19, 31)]
    assert re.findall(r"launches (k\d+):", text) == heaviest
    assert "18 more launches moved less; a page or JSON shows all." in text
    columns = "\n".join(shown(stage(many), width=100))
    assert re.findall(r"^forward: (k\d+)", columns, re.MULTILINE) == heaviest
    assert len(re.findall("<h2>forward: ", page(profile(stage(many))))) == 30
    places = [launched([replace(column, frame=replace(column.frame, line=n))]) for n in range(1, 26)]
    assert profile_text(profile(stage(places))).splitlines()[-1] == "  And 5 more of less weight."
    assert shown(stage(places), width=100)[-1].strip() == "and 5 more of less weight"


def test_nothing_to_say_is_said() -> None:
    fine = stage([launched([line(coalesced)])])
    assert profile_text(profile(fine)).splitlines()[-1] == NOTHING
    assert shown(fine, width=80)[-1].strip() == NOTHING
    assert NOTHING in page(profile(fine))


def test_the_document_has_the_counts_and_their_meaning() -> None:
    document = json.loads(to_json(profile(stage([launched([line(lambda lane: 128 * lane)])], traffic=400))))
    assert document["schema_version"] == 1
    assert document["device"]["multiprocessors"] == 132
    (shown_stage,) = document["stages"]
    assert (shown_stage["name"], shown_stage["traffic_bytes"]) == ("forward", 400)
    (launch,) = shown_stage["launches"]
    assert (launch["kernel"], launch["grid"], launch["moved_bytes"]) == ("copy", [8, 1, 1], 102400)
    assert (launch["needs"]["registers"], launch["occupancy"]["limit"]) == (16, "warps")
    (counts,) = launch["lines"]
    assert (counts["line"], counts["memory"], counts["requests"]) == (4, "x", 100)
    assert (counts["sectors"], counts["ideal_sectors"]) == (3200, 400)
    assert counts["sample"]["addresses"][:3] == [0, 128, 256]
    assert document["remarks"][0]["where"] == "kernel.cu:4"


def test_the_page_stands_alone_and_has_a_picture_for_each_access(tmp_path: Path) -> None:
    file = write_source(tmp_path)
    bad = line(lambda lane: 128 * lane, file=file)
    fine = line(coalesced, access="store", allocation=Y, file=file)
    text = page(profile(stage([launched([bad, fine])])))
    assert not re.search(r"<script|<link|src=|url\(|@import", text)
    assert "prefers-color-scheme: dark" in text
    pictures = re.findall(r"<svg.*?</svg>", text, re.DOTALL)
    titles = [ET.fromstring(svg).findtext("{http://www.w3.org/2000/svg}title") for svg in pictures]
    assert titles == ["kernel.cu:4: load of x", "kernel.cu:4: store of y"]
    ids = re.findall(r'<title id="([^"]+)"', text)
    assert len(set(ids)) == 2
    assert text.count("<details open>") == 1  # what is wrong is seen at once
    assert "if (i &gt;= n) return;" in text  # the source around it, escaped
    assert "32 sectors" in text


@pytest.mark.parametrize(
    ("nbytes", "text"),
    [(1, "1 byte"), (640, "640 bytes"), (4096, "4 KiB"), (9999, "9,999 bytes"), (12800, "12.5 KiB"),
     (10_500_000, "10 MiB"), (3 << 30, "3 GiB")],
)  # fmt: skip
def test_sizes(nbytes: int, text: str) -> None:
    assert size(nbytes) == text


def test_numbers() -> None:
    assert [number(each) for each in (32.0, 16.5, 65536, 0.04)] == ["32", "16.5", "65,536", "0"]
