"""The notebook of an exercise in JupyterLab: its cells run, and the verdict shows in light and in dark."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.course.catalog import Catalog
from tests.browser.chromium import Browser, program
from tests.browser.jupyter import LAB, serving
from tests.conftest import ROOT

OUTPUT = ".jp-OutputArea-output"
COLOUR = "getComputedStyle(document.querySelector('.cu2grad .standing')).color"


@pytest.fixture
def lab(toy_course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, Path]]:
    """JupyterLab in the toy course, with a notebook of its first exercise and that notebook's path."""
    program()  # skips before anything is started
    pytest.importorskip("jupyterlab", reason="jupyterlab is not installed: pip install jupyterlab")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed: pip install ipykernel")
    from grader.notebook.building import write_notebook

    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    notebook = toy_course / "00_negate.ipynb"
    write_notebook(Catalog.open(toy_course).exercises[0], notebook)
    scratch = tmp_path / "jupyter"
    scratch.mkdir()
    with serving(LAB, toy_course, scratch) as address:
        yield address, notebook


def command(browser: Browser, name: str, arguments: str = "{}") -> None:
    browser.evaluate(f"jupyterapp.commands.execute('{name}', {arguments}).then(() => true)")


def run_all(browser: Browser, address: str) -> None:
    """Open a notebook in JupyterLab, run its cells, and wait for the verdict."""
    browser.open(address)
    browser.wait_until("window.jupyterapp?.shell.currentWidget?.context?.isReady", 60)
    browser.evaluate("jupyterapp.shell.currentWidget.sessionContext.ready.then(() => true)")
    command(browser, "notebook:run-all-cells")
    browser.wait_until(f"document.querySelector('{OUTPUT} .cu2grad .standing')", 120)


def test_the_cells_run_and_the_verdict_shows(lab: tuple[str, Path], tmp_path: Path) -> None:
    address, notebook = lab
    with Browser.start(tmp_path / "profile") as browser:
        browser.resize(1200, 900)
        run_all(browser, f"{address}/lab/tree/{notebook.name}")
        standing = browser.evaluate("document.querySelector('.cu2grad .standing').innerText")
        assert standing.endswith("not begun, 0 of 100 points")
        assert not browser.evaluate("document.querySelectorAll('[data-mime-type*=stderr]').length")
        light = browser.evaluate(COLOUR)
        command(browser, "apputils:change-theme", "{theme: 'JupyterLab Dark'}")
        browser.wait_until("document.body.dataset.jpThemeLight === 'false'")
        browser.wait_until(f"{COLOUR} !== '{light}'")
        said = browser.evaluate(f"[...document.querySelectorAll('{OUTPUT}')].map(each => each.innerText)")
    assert any(each.startswith("No GPU here") or "GPU: " in each for each in said)
    assert any("exercises/00_negate/kernel.cu holds this cell." in each for each in said)
    assert (notebook.parent / "00_negate.verdict.json").is_file()
