"""Every page of the site in a real browser, wide as a desktop and a phone, light and dark."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest

from grader.course.catalog import Catalog
from grader.course.workspace import shipped_files
from tests.browser.chromium import Browser
from tests.docs.building import ROOT

DOCS = ROOT / "docs"
SOURCES = sorted([*DOCS.glob("*.md"), *DOCS.glob("[!_]*/*.md")])
PAGES = [path.relative_to(DOCS).with_suffix("").as_posix() for path in SOURCES if "samples" not in path.parts]
AUDIT = (Path(__file__).parent / "audit.js").read_text(encoding="utf-8")
WIDTHS = (1300, 390)
SCHEMES = ("default", "slate")  # Material's names for light and dark
WEAR = "document.body.setAttribute('data-md-color-scheme', %s)"
AT_ONCE = "document.head.insertAdjacentHTML('beforeend', '<style>* { transition: none !important }</style>')"


def address_of(page: str) -> str:
    return "" if page == "index" else f"{page.removesuffix('/index')}/"


@pytest.mark.parametrize("page", PAGES)
def test_a_page_can_be_read(browser: Browser, address: str, page: str) -> None:
    browser.resize(WIDTHS[0], 900)
    browser.open(address + address_of(page))
    assert browser.evaluate("document.title") != "Error response"
    browser.evaluate(AT_ONCE)  # colours change without passing through others
    faults = {}
    for width in WIDTHS:
        browser.resize(width, 900)
        for scheme in SCHEMES:
            browser.evaluate(WEAR % json.dumps(scheme))
            found = browser.evaluate(AUDIT)
            if found:
                faults[width, scheme] = found
    assert not faults
    assert browser.errors == []
    assert [each for each in browser.requested if not each.startswith((address, "data:"))] == []


FAULTS = {  # markup, and what the audit says about it
    "the page is": "<div style='width: 3000px'>x</div>",
    "cut code": "<pre style='white-space: pre; overflow: auto'>" + "x" * 900 + "</pre>",
    "cut table": f"<table class='planted' style='width: 3000px'><tr><td>{'x' * 900}</td></tr></table>",
    "a figure that": "<figure class='diagram' style='overflow: auto'>"
    "<div style='width: 3000px'>x</div></figure>",
    "text of 4.0 pixels": "<svg class='fig' viewBox='0 0 100 20' style='width: 100px'><title>t</title>"
    "<text x='5' y='12' style='font-size: 4px'>small</text></svg>",
    "label beyond the edge": "<svg class='fig' viewBox='0 0 100 20' style='width: 100px; overflow: visible'>"
    "<title>t</title><text x='80' y='12'>too far right</text></svg>",
    "labels collide": "<svg class='fig' viewBox='0 0 100 20' style='width: 100px'><title>t</title>"
    "<text x='5' y='12'>one</text><text x='8' y='12'>two</text></svg>",
    "contrast 1.": "<div class='cu2grad' style='color: #bbb; background: #ccc'>faint</div>",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_audit_sees_a_planted_fault(browser: Browser, address: str, fault: str) -> None:
    browser.resize(1300, 900)
    browser.open(address + "reference/glossary/")
    assert browser.evaluate(AUDIT) == []
    put = "document.querySelector('.md-content__inner').insertAdjacentHTML('beforeend', %s)"
    browser.evaluate(put % json.dumps(FAULTS[fault]))
    assert [sentence for sentence in browser.evaluate(AUDIT) if sentence.startswith(fault)]


def test_errors_and_requests_of_a_page_are_seen(browser: Browser, address: str) -> None:
    browser.open(address)
    browser.evaluate("setTimeout(() => { throw new Error('planted') })")
    browser.evaluate("console.error('said', 7)")
    browser.evaluate("fetch('no/such/page').then(() => 1)")
    browser.wait_until("true")
    texts = "\n".join(browser.errors)
    assert "planted" in texts and "said 7" in texts and "404" in texts
    assert browser.requested[-1] == f"{address}no/such/page"


def test_a_system_that_prefers_dark_gets_the_dark_scheme(browser: Browser, address: str) -> None:
    scheme = "document.body.getAttribute('data-md-color-scheme')"
    browser.evaluate("localStorage.clear()")
    try:
        for preferred, expected in (("dark", "slate"), ("light", "default")):
            browser.prefer(preferred)
            browser.open(address)
            browser.evaluate("localStorage.clear()")
            browser.open(address)
            assert browser.evaluate(scheme) == expected
    finally:
        browser.prefer("light")


# ---- finding one's way -----------------------------------------------------------------------------------


def test_the_first_screen_says_what_this_is(browser: Browser, address: str) -> None:
    """On a desktop: the headline, the command, the kernel and the failed check, without scrolling."""
    browser.resize(1300, 900)
    browser.open(address)
    bottom = "document.querySelector(%s).getBoundingClientRect().bottom"
    for part in (".home-hero h1", ".home-start pre", ".home-kernel", ".cu2grad .finding"):
        assert browser.evaluate(bottom % json.dumps(part)) <= 900, part
    assert browser.evaluate("document.querySelector('.home-start pre').innerText.trim()") == "make demo"
    assert browser.evaluate("document.querySelectorAll('.home-door .md-button').length") == 3


def test_every_lesson_is_two_clicks_from_the_home_page(browser: Browser, address: str) -> None:
    links = "[...document.querySelectorAll('a[href]')].map(each => each.pathname)"
    browser.open(address)
    first = set(browser.evaluate(links))
    lessons = {f"/lessons/{exercise.slug}/" for exercise in Catalog.open(ROOT).exercises}
    assert lessons <= first
    tabs = browser.evaluate("[...document.querySelectorAll('.md-tabs__link')].map(each => each.innerText)")
    assert tabs == ["Home", "Which binding?", "Learn", "Test an extension", "Teach", "Reference"]
    browser.open(address + "guides/install/")
    menu = "[...document.querySelectorAll('.md-nav--primary a')].filter(each => each.checkVisibility())"
    beside = set(browser.evaluate(f"{menu}.map(each => each.pathname)"))
    assert lessons <= beside
    assert not [link for link in beside if link.startswith("/instructors/")]


def test_code_is_copied_without_the_line_breaks_of_the_page(browser: Browser, address: str) -> None:
    browser.resize(390, 900)
    browser.open(address + "lessons/03_fused_muladd/")
    copied = """
    (() => {
      const codes = [...document.querySelectorAll("pre > code")];
      const code = codes.find(each => each.textContent.includes("__global__"));
      code.setAttribute("data-md-copying", ""); // as Material's copy button does
      const text = code.innerText;
      code.removeAttribute("data-md-copying");
      return text;
    })()
    """
    exercise = Catalog.open(ROOT).find("03")
    assert browser.evaluate(copied).rstrip() == shipped_files(exercise)[exercise.root / "kernel.cu"].rstrip()


# ---- search ----------------------------------------------------------------------------------------------

TERMS = ("needs_input_grad", "input_grad", "__syncthreads", "syncthreads", "TORCH_CHECK", "load_inline",
         "gradcheck", "torch.compile", "save_for_backward")  # fmt: skip
FOUND = "[...document.querySelectorAll('.md-search-result__link')].map(each => each.pathname)"
ASK = """
(term => {
  const field = document.querySelector(".md-search__input");
  field.focus();
  field.value = term;
  field.dispatchEvent(new KeyboardEvent("keyup", {bubbles: true}));
})(%s)
"""


@pytest.mark.parametrize("term", TERMS)
def test_search_finds_an_identifier_whole_and_by_its_parts(
    browser: Browser, searchable: str, site_folder: Path, term: str
) -> None:
    browser.resize(1300, 900)
    browser.open(searchable)
    browser.wait_until("document.querySelector('.md-search__input')")
    browser.evaluate(ASK % json.dumps(term))
    browser.wait_until(f"({FOUND}).length > 0")
    time.sleep(0.2)  # the list grows while it is drawn
    for page in list(dict.fromkeys(browser.evaluate(FOUND)))[:3]:
        html = (site_folder / page.strip("/") / "index.html").read_text(encoding="utf-8")
        text = re.sub(r"<[^>]+>", "", html)
        assert re.search(rf"\b_*{re.escape(term.lstrip('_'))}|[._]{re.escape(term)}", text), page
    assert browser.errors == []
