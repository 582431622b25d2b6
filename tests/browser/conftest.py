"""The site, built once, a server for it, and a browser."""

from __future__ import annotations

import functools
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.chromium import Browser, program
from tests.docs.building import common_site


@pytest.fixture(scope="session")
def site_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program()  # skips before the site is built
    return common_site(tmp_path_factory)


@pytest.fixture(scope="session")
def site(site_folder: Path) -> str:
    """The explorer's page, as a file."""
    return (site_folder / "explorer" / "index.html").as_uri()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: pytest shows what matters."""


@pytest.fixture(scope="session")
def address(site_folder: Path) -> Iterator[str]:
    """The site as it is read: from a server, here one on the loopback interface. Search needs one."""
    handler = functools.partial(_Quiet, directory=str(site_folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory, site_folder: Path) -> Iterator[Browser]:
    with Browser.start(tmp_path_factory.mktemp("profile")) as started:
        yield started
