"""The slider of lesson 15 in a real browser: by keyboard, and the list of steps without JavaScript."""

from __future__ import annotations

from pathlib import Path

from tests.browser.chromium import Browser

PAGE = "lessons/15_tiled_matmul/"
SENTENCE = "document.querySelector('.barrier-now').innerText"
MARKED = "[...document.querySelectorAll('.barriers svg:not(.narrow) rect.now')].map(box => box.dataset.begin)"


def test_a_key_moves_the_slider_and_the_marks_in_the_picture(browser: Browser, address: str) -> None:
    browser.resize(1300, 900)
    browser.open(address + PAGE)
    assert "Warp 0 loads row 0 for round 0; warp 1 loads row 1" in browser.evaluate(SENTENCE)
    assert set(browser.evaluate(MARKED)) == {"0"}

    browser.evaluate("document.querySelector('.barrier-slider input').focus()")
    browser.press("ArrowRight", 39)

    said = browser.evaluate(SENTENCE)
    assert "First barrier missing. Warp 0 loads row 0 for round 0; warp 1 multiplies" in said
    assert "which holds nothing yet" in said
    assert set(browser.evaluate(MARKED)) == {"0", "1"}  # the slow warp's load began earlier
    assert browser.errors == []


def test_on_a_phone_the_marks_are_in_the_narrow_picture(browser: Browser, address: str) -> None:
    browser.resize(390, 900)
    browser.open(address + PAGE)
    shown = "[...document.querySelectorAll('.barriers rect.now')].filter(box => box.checkVisibility()).length"
    assert browser.evaluate(shown) > 0
    assert browser.evaluate("document.documentElement.scrollWidth") <= 390


def test_without_javascript_every_step_can_be_read(site_folder: Path) -> None:
    text = (site_folder / PAGE / "index.html").read_text(encoding="utf-8")
    steps = text[text.index('<ol class="barrier-steps"') :].partition("</ol>")[0]
    assert steps.count("<li>") == 14
    assert "which is overwritten for round 1 meanwhile" in steps
