"""Sliders over the steps of a picture in a real browser: by keyboard, and as lists without JavaScript."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.chromium import Browser

BARRIERS = "lessons/15_tiled_matmul/"
TAPE = "lessons/07_fused_bias_gelu/"
RUNNING = "lessons/16_softmax/"
SENTENCE = "document.querySelector('.step-now').innerText"
MARKED = "[...document.querySelectorAll('.steps svg:not(.narrow) rect.now')].map(box => box.dataset.begin)"
FOCUS = "document.querySelector('.step-slider input').focus()"


def test_a_key_moves_the_slider_and_the_marks_in_the_picture(browser: Browser, address: str) -> None:
    browser.resize(1300, 900)
    browser.open(address + BARRIERS)
    assert "Warp 0 loads row 0 for round 0; warp 1 loads row 1" in browser.evaluate(SENTENCE)
    assert set(browser.evaluate(MARKED)) == {"0"}

    browser.evaluate(FOCUS)
    browser.press("ArrowRight", 39)

    said = browser.evaluate(SENTENCE)
    assert "First barrier missing. Warp 0 loads row 0 for round 0; warp 1 multiplies" in said
    assert "which holds nothing yet" in said
    assert set(browser.evaluate(MARKED)) == {"0", "1"}  # the slow warp's load began earlier
    assert browser.errors == []


@pytest.mark.parametrize(
    ("page", "keys", "said"),
    [
        (TAPE, 4, "TanhBackward0 gets a gradient of shape (3, 4) and strides (0, 0)"),
        (TAPE, 7, "The gradient of bias has shape (4,)"),
        (RUNNING, 1, "The old sum is scaled down: 1.000 · exp(1 − 3) = 0.135"),
        (RUNNING, 5, "the sum is 1.695"),
    ],
)
def test_each_step_is_said_and_marked(
    browser: Browser, address: str, page: str, keys: int, said: str
) -> None:
    browser.resize(1300, 900)
    browser.open(address + page)
    browser.evaluate(FOCUS)
    for _ in range(keys):
        browser.press("ArrowRight", 39)
    assert said in browser.evaluate(SENTENCE)
    assert set(browser.evaluate(MARKED)) == {str(keys)}
    value = browser.evaluate("document.querySelector('.step-slider input').getAttribute('aria-valuetext')")
    assert value.startswith(f"step {keys} of ")
    assert browser.errors == []


@pytest.mark.parametrize("page", [BARRIERS, TAPE, RUNNING])
def test_on_a_phone_the_marks_are_in_the_narrow_picture(browser: Browser, address: str, page: str) -> None:
    browser.resize(390, 900)
    browser.open(address + page)
    shown = "[...document.querySelectorAll('.steps rect.now')].filter(box => box.checkVisibility()).length"
    assert browser.evaluate(shown) > 0
    assert browser.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize(
    ("page", "steps", "words"),
    [
        (BARRIERS, 14, "which is overwritten for round 1 meanwhile"),
        (TAPE, 8, "Forward copied bias to three rows"),
        (RUNNING, 6, "is not larger than 4"),
    ],
)
def test_without_javascript_every_step_can_be_read(
    site_folder: Path, page: str, steps: int, words: str
) -> None:
    text = (site_folder / page / "index.html").read_text(encoding="utf-8")
    listed = text[text.index('<ol class="step-list"') :].partition("</ol>")[0]
    assert listed.count("<li>") == steps
    assert words in listed
