"""The explorer's form and what its page shows, for the tests that drive it."""

from __future__ import annotations

import json
from typing import Any

from tests.browser.chromium import Browser

NUMBERS = (
    "active", "wanted", "sectors", "ideal-sectors", "moved", "efficiency", "wavefronts", "ideal-wavefronts",
    "conflicts",
)  # fmt: skip
# Sets the fields as somebody who types would, and reads what the page shows.
TRY = """
(patterns => patterns.map(pattern => {
  const form = document.getElementById("explorer-form");
  for (const [name, value] of Object.entries(pattern)) form.elements[name].value = value;
  form.dispatchEvent(new Event("input"));
  const shown = name => document.getElementById("explorer-" + name);
  return {
    numbers: Object.fromEntries(%s.map(name => [name, Number(shown(name).textContent)])),
    source: shown("source").textContent,
    said: ["global", "shared"].map(name => shown(name).querySelector("desc").textContent).join(" "),
    drawnSectors: shown("global").querySelectorAll("rect.hollow:not(.dashed)").length,
    drawnLines: shown("global").querySelectorAll("text.end").length,
    drawnPasses: shown("shared").querySelectorAll("text.end").length - 1,
  };
}))(%s)
"""
Pattern = dict[str, Any]


def pattern(**chosen: Any) -> Pattern:
    usual = {"shape": "line", "stride": 1, "offset": 0, "width": 32, "padding": 0, "access": "load",
             "size": 4, "lanes": 32, "step": 1}  # fmt: skip
    return usual | chosen


def shown(browser: Browser, site: str, patterns: list[Pattern], *, width: int = 1300) -> list[dict[str, Any]]:
    browser.resize(width, 800)  # whatever a test before left: a narrow page draws halves of rows
    browser.open(site)
    answers = browser.evaluate(TRY % (json.dumps(NUMBERS), json.dumps(patterns)))
    assert len(answers) == len(patterns)
    return list(answers)
