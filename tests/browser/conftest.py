"""The site, built once, and a browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.browser.chromium import Browser, program
from tests.docs.building import build_site


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> str:
    program()  # skips before the site is built
    folder = tmp_path_factory.mktemp("site")
    build_site(folder)
    return (folder / "explorer" / "index.html").as_uri()


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory, site: str) -> Iterator[Browser]:
    with Browser.start(tmp_path_factory.mktemp("profile")) as started:
        yield started
