"""A Jupyter server for a test: nbgrader's formgrader, or JupyterLab.

with serving(LAB, folder, scratch) as address: ...
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.ports import reserved_port

_PATIENCE = 300  # seconds until it answers: a Jupyter server imports much
_EXTENSIONS = (
    "jupyterlab", "notebook", "notebook_shim", "jupyter_lsp", "jupyter_server_terminals", "nbgrader",
    "nbgrader.server_extensions.assignment_list", "nbgrader.server_extensions.course_list",
    "nbgrader.server_extensions.formgrader", "nbgrader.server_extensions.validate_assignment",
)  # fmt: skip


@dataclass(frozen=True)
class Program:
    """What is started, the extensions that it needs of those installed, and a page that it answers with."""

    module: str
    extension: str
    page: str
    options: tuple[str, ...] = ()


FORMGRADER = Program(
    "jupyter_server", "nbgrader.server_extensions.formgrader", "/formgrader/api/status"
)  # fmt: skip
LAB = Program("jupyterlab", "jupyterlab", "/api/status", ("--expose-app-in-browser",))


@contextmanager
def serving(program: Program, folder: Path, scratch: Path) -> Iterator[str]:
    """The address of a server in ``folder``; its settings and its log lie in ``scratch``."""
    with reserved_port() as port, _served(program, folder, scratch, port) as address:
        yield address


@contextmanager
def _served(program: Program, folder: Path, scratch: Path, port: int) -> Iterator[str]:
    extensions = {name: name == program.extension for name in _EXTENSIONS}
    command = [
        sys.executable, "-m", program.module, "--no-browser", "--ip=127.0.0.1", f"--port={port}",
        "--allow-root", "--IdentityProvider.token=", f"--ServerApp.jpserver_extensions={extensions}",
        *program.options,
    ]  # fmt: skip
    places = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    environment = os.environ | {name: str(scratch / name) for name in places}
    address = f"http://127.0.0.1:{port}"
    log = scratch / "server.log"
    with log.open("w") as sink:
        server = subprocess.Popen(command, cwd=folder, env=environment, stdout=sink, stderr=sink)
        try:
            _wait_for(f"{address}{program.page}", server, log)
            yield address
        finally:
            server.terminate()
            server.wait()


def _wait_for(address: str, server: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            urllib.request.urlopen(address, timeout=_PATIENCE).close()
            return
        except (OSError, urllib.error.URLError):
            assert server.poll() is None and time.monotonic() < end, log.read_text()[-3000:]
            time.sleep(0.1)
