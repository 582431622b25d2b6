"""The site, built once, a server for it, and a browser."""

from __future__ import annotations

import functools
import http.server
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
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


INDEX = "/search/search_index.json"


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: pytest shows what matters."""


class _WithoutIndex(_Quiet):
    """The site, of which nothing is found."""

    def do_GET(self) -> None:
        if self.path != INDEX:
            super().do_GET()
            return
        index = json.loads(Path(self.translate_path(INDEX)).read_text(encoding="utf-8"))
        text = json.dumps({**index, "docs": []}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


@contextmanager
def _served(handler: type[_Quiet], folder: Path) -> Iterator[str]:
    serve = functools.partial(handler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), serve) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="session")
def searchable(site_folder: Path) -> Iterator[str]:
    """The site as it is read: from a server, here one on the loopback interface. Search needs one."""
    with _served(_Quiet, site_folder) as address:
        yield address


@pytest.fixture(scope="session")
def address(site_folder: Path) -> Iterator[str]:
    """The same with an empty search index.

    Every page that opens indexes the whole site, beside its own scripts: half of what opening it, and
    changing its layout, costs.
    """
    with _served(_WithoutIndex, site_folder) as address:
        yield address


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory, site_folder: Path) -> Iterator[Browser]:
    with Browser.start(tmp_path_factory.mktemp("profile")) as started:
        yield started
