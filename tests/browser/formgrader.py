"""nbgrader's formgrader, served for a class: `with serving(folder, scratch) as address: ...`."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PATIENCE = 120  # seconds until it answers: a Jupyter server imports much
# What a Jupyter installation brings along, and formgrader does not need.
_OTHERS = (
    "jupyterlab", "notebook", "notebook_shim", "jupyter_lsp", "jupyter_server_terminals", "nbgrader",
    "nbgrader.server_extensions.assignment_list", "nbgrader.server_extensions.course_list",
    "nbgrader.server_extensions.validate_assignment",
)  # fmt: skip


@contextmanager
def serving(folder: Path, scratch: Path) -> Iterator[str]:
    """The address of a server in the class's folder; its settings and its log lie in ``scratch``."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    extensions = dict.fromkeys(_OTHERS, False) | {"nbgrader.server_extensions.formgrader": True}
    command = [
        sys.executable, "-m", "jupyter_server", "--no-browser", "--ip=127.0.0.1", f"--port={port}",
        "--allow-root", "--IdentityProvider.token=", f"--ServerApp.jpserver_extensions={extensions}",
    ]  # fmt: skip
    places = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    environment = os.environ | {name: str(scratch / name) for name in places}
    address = f"http://127.0.0.1:{port}"
    log = scratch / "server.log"
    with log.open("w") as sink:
        server = subprocess.Popen(command, cwd=folder, env=environment, stdout=sink, stderr=sink)
        try:
            _wait_for(f"{address}/formgrader/api/status", server, log)
            yield address
        finally:
            server.terminate()
            server.wait()


def _wait_for(address: str, server: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            urllib.request.urlopen(address, timeout=10).close()
            return
        except (OSError, urllib.error.URLError):
            assert server.poll() is None and time.monotonic() < end, log.read_text()[-3000:]
            time.sleep(0.1)
