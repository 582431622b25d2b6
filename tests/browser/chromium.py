"""Headless Chromium over the DevTools protocol, through pipes: nothing to install but the browser.

with Browser.start(tmp_path) as browser:
    browser.open("file:///site/index.html")
    assert browser.evaluate("document.title") == "cu2grad"
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import pytest

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
_OPTIONS = (
    "--headless=new", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe", "--hide-scrollbars",
    "--disable-dev-shm-usage",
)  # fmt: skip
_PATIENCE = 300  # seconds after which the browser is ended, so that a test fails and does not hang


def program() -> str:
    """The browser's path; skips the test where there is none."""
    for name in PROGRAMS:
        path = shutil.which(name)
        if path is not None:
            return path
    pytest.skip("needs Chromium: sudo apt install chromium")


@dataclass
class Browser:
    """One page. `requested`: the addresses it asked for since it was opened. Other events are dropped."""

    _to: BinaryIO
    _from: BinaryIO
    requested: list[str] = field(default_factory=list)
    _session: str = ""
    _number: int = 0

    @classmethod
    @contextmanager
    def start(cls, folder: Path) -> Iterator[Browser]:
        """A browser with its profile in `folder`. Chromium reads commands from descriptor 3, writes to 4."""
        commands, answers = os.pipe(), os.pipe()
        options = [*_OPTIONS, f"--user-data-dir={folder}"]
        if os.geteuid() == 0:
            options.append("--no-sandbox")  # Chromium's sandbox refuses root
        shell = f'exec "$@" 3<&{commands[0]} 4>&{answers[1]}'
        process = subprocess.Popen(
            ["bash", "-c", shell, "browser", program(), *options, "about:blank"],
            pass_fds=(commands[0], answers[1]), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(commands[0])
        os.close(answers[1])
        with os.fdopen(commands[1], "wb") as to, os.fdopen(answers[0], "rb") as back:
            alarm = threading.Timer(_PATIENCE, process.kill)
            alarm.start()
            try:
                browser = cls(to, back)
                browser._attach()
                yield browser
            finally:
                alarm.cancel()
                process.kill()
                process.wait()

    def open(self, address: str) -> None:
        """Load a page and wait until its scripts ran."""
        self.requested.clear()
        self._call("Page.navigate", url=address)
        while self._receive().get("method") != "Page.loadEventFired":
            pass

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression, or of the promise it gives; its exception is one here."""
        result = self._call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def press(self, key: str, code: int) -> None:
        """A key with its Windows virtual key code, as Chromium wants it."""
        for kind in ("rawKeyDown", "keyUp"):
            self._call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code)

    def _attach(self) -> None:
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self._call("Page.enable")
        self._call("Network.enable")

    def _call(self, method: str, **parameters: Any) -> Any:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        self._to.write(json.dumps(message).encode() + b"\0")
        self._to.flush()
        while (answer := self._receive()).get("id") != self._number:
            pass
        assert "error" not in answer, answer
        return answer["result"]

    def _receive(self) -> dict[str, Any]:
        """The next message; each ends with a zero byte."""
        data = bytearray()
        while (byte := self._from.read(1)) not in (b"\0", b""):
            data += byte
        assert data, "the browser has ended"
        message = dict(json.loads(data))
        if message.get("method") == "Network.requestWillBeSent":
            self.requested.append(message["params"]["request"]["url"])
        return message
