"""Pictures of requests: what is drawn is what the lanes touch."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest

from cusimt.counters import Sample
from cusimt.counters.canvas import STYLE
from cusimt.counters.pictures import Contents, lane_list, picture
from cusimt.counters.transactions import Access, distinct_bytes, sector_numbers, wavefront_list, wavefronts

SVG = "{http://www.w3.org/2000/svg}"
STYLESHEET = Path(__file__).parents[3] / "docs" / "stylesheets" / "course.css"


def request(
    address: Callable[[int], int], nbytes: int = 4, base: str = "global", lanes: range = range(32)
) -> Sample:
    addresses = tuple(address(lane) if lane in lanes else None for lane in range(32))
    return Sample(addresses, nbytes, base, None, (0, 0, 0), 0)  # type: ignore[arg-type]


def drawn(sample: Sample, contents: Contents | None = None, access: Access = "load") -> ET.Element:
    return ET.fromstring(picture(sample, "k.cu:3 loads x", contents, access=access).render(alone=True))


def facts(svg: ET.Element, name: str) -> list[str]:
    return [box.attrib[f"data-{name}"] for box in svg.iter(f"{SVG}rect") if f"data-{name}" in box.attrib]


def texts(svg: ET.Element) -> list[str]:
    return [text.text or "" for text in svg.iter(f"{SVG}text")]


@pytest.mark.parametrize(
    ("address", "nbytes", "sectors", "unasked"),
    [
        (lambda lane: 4 * lane, 4, [0, 1, 2, 3], 0),
        (lambda lane: 4 * lane + 4, 4, [0, 1, 2, 3, 4], 32),  # shifted by one element
        (lambda lane: 64, 4, [2], 28),  # all lanes read one element
        (lambda lane: 8 * lane, 8, list(range(8)), 0),
        (lambda lane: 2 * lane, 2, [0, 1], 0),
        (lambda lane: 4 * (31 - lane), 4, [0, 1, 2, 3], 0),  # the order of the lanes does not matter
    ],
)
def test_sectors_and_wasted_bytes_are_drawn(
    address: Callable[[int], int], nbytes: int, sectors: list[int], unasked: int
) -> None:
    sample = request(address, nbytes)
    svg = drawn(sample)
    assert sector_numbers(sample.addresses, nbytes) == sectors
    assert facts(svg, "sector") == [str(sector) for sector in sectors]
    assert sum(map(int, facts(svg, "unasked"))) == unasked
    asked = sum(map(int, facts(svg, "bytes")))
    assert asked == distinct_bytes(sample.addresses, nbytes) == 32 * len(sectors) - unasked


def test_a_column_is_drawn_line_by_line_and_cut_off_with_a_count() -> None:
    sample = request(lambda lane: 128 * lane)
    svg = drawn(sample, Contents("x", 4))
    assert facts(svg, "lanes") == [str(lane) for lane in range(10)]  # one lane per line of 128 bytes
    assert {"x[0]", "x[32]", "x[288]", "… and 22 more lines of 128 bytes like these"} <= set(texts(svg))
    summary = "32 lanes ask for 128 bytes; 32 sectors of 32 bytes move: 896 unrequested bytes."
    assert summary in texts(svg)


def test_lanes_that_take_no_part_are_not_drawn() -> None:
    svg = drawn(request(lambda lane: 4 * lane, lanes=range(3, 8)))
    assert facts(svg, "lanes") == ["3", "4", "5", "6", "7"]
    summary = "5 lanes ask for 20 bytes; 1 sector of 32 bytes moves: 12 unrequested bytes."
    assert summary in texts(svg)


@pytest.mark.parametrize(
    ("address", "nbytes", "access", "rows", "conflicts", "banks"),
    [
        (lambda lane: 4 * lane, 4, "load", 1, 0, 32),
        (lambda lane: 132 * lane, 4, "load", 1, 0, 32),  # a column of a padded tile
        (lambda lane: 8 * lane, 4, "load", 2, 1, 16),
        (lambda lane: 128 * lane, 4, "load", 32, 31, 1),  # a column of a tile
        (lambda lane: 0, 4, "load", 1, 0, 1),  # a broadcast is no conflict
        (lambda lane: 0, 4, "atomic", 32, 31, 1),  # but each lane updates for itself
        (lambda lane: 8 * lane, 8, "load", 2, 0, 32),  # half a warp at a time
        (lambda lane: 256 * lane, 8, "store", 32, 30, 2),
    ],
)
def test_banks_and_passes_are_drawn(
    address: Callable[[int], int], nbytes: int, access: Access, rows: int, conflicts: int, banks: int
) -> None:
    sample = request(address, nbytes, "shared")
    found = wavefront_list(sample.addresses, nbytes, access)
    assert len(found) == rows == wavefronts(sample.addresses, nbytes, access)
    assert sum(each.conflict for each in found) == conflicts
    svg = drawn(sample, access=access)
    assert len(set(facts(svg, "bank"))) == banks
    shown = min(rows, 10)
    assert [text for text in texts(svg) if text[:5] == "pass "] == [f"pass {n + 1}" for n in range(shown)]
    kinds = [box.get("class") for box in svg.iter(f"{SVG}rect") if "data-bank" in box.attrib]
    assert kinds.count("b") == sum(len(each.banks) for each in found[:10] if each.conflict)
    assert kinds.count("a") == sum(len(each.banks) for each in found[:10] if not each.conflict) > 0


def test_a_bank_serves_one_word_to_all_lanes_that_want_it() -> None:
    (wavefront,) = wavefront_list([4 * (lane // 16) for lane in range(32)], 4)
    assert not wavefront.conflict
    assert {bank: (each.word, each.lanes) for bank, each in wavefront.banks.items()} == {
        0: (0, tuple(range(16))),
        1: (1, tuple(range(16, 32))),
    }


def test_a_picture_says_in_words_what_it_shows_and_adapts_to_dark_mode() -> None:
    canvas = picture(request(lambda lane: 128 * lane, base="shared"), "k.cu:9 loads tile", name="line-9")
    svg = ET.fromstring(canvas.render(alone=True))
    title, description = svg.find(f"{SVG}title"), svg.find(f"{SVG}desc")
    assert title is not None and title.text == "k.cu:9 loads tile"
    assert description is not None
    assert "32 words of 1 bank: 32 passes, 31 of them bank conflicts" in (description.text or "")
    assert svg.get("role") == "img"
    assert (title.get("id"), description.get("id")) == ("line-9-title", "line-9-text")
    assert svg.get("aria-labelledby") == "line-9-title line-9-text"
    assert "prefers-color-scheme: dark" in canvas.render(alone=True)
    assert "style" not in canvas.render()


def test_the_site_and_the_pictures_that_stand_alone_have_one_palette() -> None:
    site = re.findall(r"--fig-\w+: [^;]+;", STYLESHEET.read_text())
    of_diagrams = [colour for colour in site if colour[:7] in ("--fig-c", "--fig-d")]
    own = re.findall(r"--fig-\w+: [^;]+;", STYLE)
    assert own == [colour for colour in site if colour not in of_diagrams]
    assert (len(own), len(of_diagrams)) == (12, 4)


@pytest.mark.parametrize(
    ("lanes", "text"), [([5], "5"), ([0, 1, 2, 3], "0–3"), ([1, 3], "1, 3"), ([1, 3, 9], "×3")]
)
def test_lanes_in_a_word(lanes: list[int], text: str) -> None:
    assert lane_list(lanes) == text
