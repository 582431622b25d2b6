"""The explorer in a real browser: its numbers are the memory model's, and it can be used without a mouse."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest

from cusimt.counters import transactions
from tests.browser.chromium import Browser
from tests.browser.explorer import NUMBERS, Pattern, pattern, shown
from tests.docs.building import ROOT

WARP = 32
MOST_ROWS = 12  # that a picture shows
SHAPES = ("line", "row", "column", "swizzled")


def drawn(count: int) -> list[Pattern]:
    """Settings from everything that the form allows, half of them of the kind that people try."""
    dice = random.Random(20260401)
    return [
        {
            "shape": dice.choice(SHAPES),
            "stride": dice.choice((0, 1, 2, 4, 8, 16, 32, -1, dice.randint(-64, 64))),
            "offset": dice.choice((0, 0, dice.randint(0, 64))),
            "width": dice.choice((8, 16, 32, 33, dice.randint(8, 64))),
            "padding": dice.choice((0, 0, 1, 2, dice.randint(0, 32))),
            "access": dice.choice(("load", "store")),
            "size": dice.choice((1, 2, 4, 8, 16)),
            "lanes": dice.choice((32, 32, dice.randint(1, 32))),
            "step": dice.choice((1, 1, dice.randint(1, 16))),
        }
        for _ in range(count)
    ]


def element(chosen: Pattern, lane: int) -> int:
    """What the page says of itself: the formulas below "What is counted"."""
    offset, stride = chosen["offset"], chosen["stride"]
    if chosen["shape"] == "line":
        walk: int = offset + stride * lane
        return walk if stride >= 0 else walk - stride * (WARP - 1)
    width = chosen["width"]
    if chosen["shape"] == "swizzled":
        width = 1 << width.bit_length() - 1  # a power of two
    x, y, pitch = lane % width, lane // width, width + chosen["padding"]
    row, column = {"row": (y, x), "column": (x, y), "swizzled": (x, x ^ y)}[chosen["shape"]]
    return int(offset + row * pitch + column)


def addresses(chosen: Pattern) -> list[int | None]:
    return [
        element(chosen, lane) * chosen["size"]
        if lane < chosen["lanes"] and lane % chosen["step"] == 0
        else None
        for lane in range(WARP)
    ]


def expected(chosen: Pattern) -> dict[str, Any]:
    asked, size, access = addresses(chosen), chosen["size"], chosen["access"]
    sectors = transactions.sectors(asked, size)
    wanted = transactions.distinct_bytes(asked, size)
    waves = transactions.wavefronts(asked, size, access)
    least = transactions.ideal_wavefronts(asked, size, access)
    moved = sectors * transactions.SECTOR
    values: tuple[Any, ...] = (
        len(transactions.active(asked)), wanted, sectors, transactions.ideal_sectors(asked, size), moved,
        pytest.approx(100 * wanted / moved, abs=0.051), waves, least, waves - least,
    )  # fmt: skip
    return dict(zip(NUMBERS, values, strict=True))


def fields(browser: Browser) -> dict[str, str]:
    """What the form holds."""
    named = "[...document.getElementById('explorer-form').elements].filter(each => each.name)"
    return dict(browser.evaluate(f"Object.fromEntries({named}.map(each => [each.name, each.value]))"))


def test_every_number_is_the_memory_models(browser: Browser, site: str) -> None:
    patterns = drawn(600)
    for chosen, page in zip(patterns, shown(browser, site, patterns), strict=True):
        assert page["numbers"] == expected(chosen), chosen


def test_the_line_of_cuda_means_the_addresses(browser: Browser, site: str) -> None:
    patterns = drawn(200)
    for chosen, page in zip(patterns, shown(browser, site, patterns), strict=True):
        assert [_address(page["source"], chosen, lane) for lane in range(WARP)] == addresses(chosen), page


def _address(source: str, chosen: Pattern, lane: int) -> int | None:
    """Of the CUDA that the page shows, by Python's arithmetic."""
    guard = re.search(r"if \(([^()]+)\) ", source)
    if guard and not eval(guard[1].replace("&&", "and"), {"lane": lane}):
        return None
    size: int = chosen["size"]
    if chosen["shape"] == "line":
        return int(eval(re.search(r"x\[(.+)\]", source)[1], {"lane": lane})) * size  # type: ignore[index]
    width = int(re.search(r"WIDTH = (\d+);", source)[1])  # type: ignore[index]
    pitch = eval(re.search(r"tile\[WIDTH\]\[(.+)\];", source)[1], {"WIDTH": width})  # type: ignore[index]
    names = {"x": lane % width, "y": lane // width, "WIDTH": width}
    row, column = re.search(r"tile\[([xy])\]\[([^]]+)\](?:;| =)", source).groups()  # type: ignore[union-attr]
    return int(chosen["offset"] + eval(row, names) * pitch + eval(column, names)) * size


def test_pictures_and_their_text_say_what_the_numbers_say(browser: Browser, site: str) -> None:
    patterns = drawn(200)
    for chosen, page in zip(patterns, shown(browser, site, patterns), strict=True):
        numbers = page["numbers"]
        lines = {each // 4 for each in transactions.sector_numbers(addresses(chosen), chosen["size"])}
        assert page["drawnPasses"] == min(numbers["wavefronts"], MOST_ROWS), chosen
        assert page["drawnLines"] == min(len(lines), MOST_ROWS), chosen
        if len(lines) <= MOST_ROWS:
            assert page["drawnSectors"] == numbers["sectors"], chosen
        assert f"{numbers['sectors']} sector" in page["said"]
        assert f"{numbers['wavefronts']} wavefront" in page["said"]
        assert f"{numbers['conflicts'] or 'no'} bank conflict" in page["said"]


def test_an_access_of_16_bytes_does_not_read_like_one_of_4(browser: Browser, site: str) -> None:
    browser.open(site)
    sources = {}
    for name in ("neighbours", "float4"):
        buttons = "[...document.querySelectorAll('.explorer-presets button')]"
        browser.evaluate(f"{buttons}.find(each => each.textContent === '{name}').click()")
        sources[name] = browser.evaluate("document.getElementById('explorer-source').textContent")
    assert sources == {
        "neighbours": "const float* x;  float value;\nvalue = x[lane];",
        "float4": "const float4* x;  float4 value;\nvalue = x[lane];",
    }


def test_a_narrow_page_draws_rows_of_half_the_width_with_all_lanes(browser: Browser, site: str) -> None:
    (page,) = shown(browser, site, [pattern(stride=2)], width=390)
    lanes = "[...document.querySelectorAll('#explorer-%s rect.a')].length"
    assert page["numbers"]["sectors"] == page["drawnSectors"] == 8
    assert page["drawnLines"] == 4  # of 64 bytes each
    assert browser.evaluate(lanes % "global") == 32 + 1  # and one in the key
    assert browser.evaluate(lanes % "shared") == 16 + 1  # the rest wait for the second pass
    assert page["drawnPasses"] == 2 * 2 + 1  # passes of both halves of the banks, and their second head
    browser.resize(1300, 800)
    browser.wait_until("document.querySelectorAll('#explorer-global text.end').length === 2")


def test_the_sentence_is_announced_after_a_pause(browser: Browser, site: str) -> None:
    (page,) = shown(browser, site, [pattern(stride=2)])
    region = "document.querySelector('.explorer-spoken')"
    assert browser.evaluate(f"{region}.getAttribute('aria-live')") == "polite"
    others = "document.querySelectorAll('#explorer output:not([aria-live=off])').length"
    assert browser.evaluate(others) == 0, "an output is a live region of its own unless it is told not to be"
    wait = f"new Promise(done => setTimeout(() => done({region}.textContent.trim()), 900))"
    assert browser.evaluate(wait) == page["said"]
    assert "8 sectors of 32 bytes move, the fewest possible are 4" in page["said"]


def test_what_is_typed_beyond_a_limit_becomes_the_limit(browser: Browser, site: str) -> None:
    browser.open(site)
    field = "document.getElementById('explorer-form').elements.stride"
    browser.evaluate(f"{field}.value = 1000, {field}.dispatchEvent(new Event('change', {{bubbles: true}}))")
    assert browser.evaluate(f"{field}.value") == "64"


def test_a_link_opens_its_setting_and_what_is_no_setting_is_the_usual(browser: Browser, site: str) -> None:
    browser.open(f"{site}?shape=column&width=32&padding=1&size=2&access=nonsense&lanes=x")
    linked = pattern(shape="column", padding=1, size=2)
    assert fields(browser) == {name: str(value) for name, value in linked.items()}
    assert browser.evaluate("document.getElementById('explorer-wavefronts').textContent") == str(
        transactions.wavefronts(addresses(linked), 2)
    )


def test_links_of_other_pages_mean_what_they_say(browser: Browser, site: str) -> None:
    pages = (ROOT / "docs").glob("[!_]*/*.md")
    links = {link for page in pages for link in re.findall(r"explorer\.md\?([^)#]+)", page.read_text())}
    assert links
    for link in links:
        browser.open(f"{site}?{link}")
        assert dict(parse_qsl(link, strict_parsing=True)).items() <= fields(browser).items(), link


def test_every_control_is_reached_by_the_tab_key_and_a_button_by_the_space_bar(
    browser: Browser, site: str
) -> None:
    browser.open(site)
    browser.evaluate("document.getElementById('explorer-form').elements.shape.focus()")
    focused = "document.activeElement.name || document.activeElement.textContent"
    reached = [browser.evaluate(focused)]
    while reached[-1] != "swizzled column" and len(reached) < 40:
        browser.press("Tab", 9)
        reached.append(browser.evaluate(focused))
    assert reached[:7] == ["shape", "stride", "offset", "access", "size", "lanes", "step"]
    assert len(reached) == 7 + 8  # the buttons
    browser.press(" ", 32)
    assert browser.evaluate("document.getElementById('explorer-form').elements.shape.value") == "swizzled"
    assert browser.evaluate("document.getElementById('explorer-conflicts').textContent") == "0"


def test_nothing_is_fetched_from_elsewhere(browser: Browser, site: str) -> None:
    browser.open(site)
    assert any(address.endswith("explorer.js") for address in browser.requested)
    assert [address for address in browser.requested if not address.startswith(("file:", "data:"))] == []


def test_colours_come_from_the_schemes() -> None:
    for folder, file in (("javascripts", "*.js"), ("stylesheets", "explorer.css")):
        for path in (ROOT / "docs" / folder).glob(file):
            assert not re.search(r"#[0-9a-fA-F]{3,6}\b|rgb\(", Path(path).read_text()), path.name
