"""Headless Chromium over the DevTools protocol, through pipes: nothing to install but the browser.

with Browser.start(tmp_path) as browser:
    browser.open("file:///site/index.html")
    assert browser.evaluate("document.title") == "cu2grad"
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import time
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
_PATIENCE = 300.0  # seconds for the answer to one command, so that a test fails and does not hang


def program() -> str:
    """The browser's path; skips the test where there is none."""
    for name in PROGRAMS:
        path = shutil.which(name)
        if path is not None:
            return path
    pytest.skip("needs Chromium: sudo apt install chromium")


# Where an element is, once it has stayed there: pages scroll by themselves when something gets the focus.
_AT_REST = """
async element => {
  for (let before = null; ;) {
    element.scrollIntoView({block: "center", behavior: "instant"});
    const {x, y, width, height} = element.getBoundingClientRect();
    if (before !== null && before === y) return [x + width / 2, y + height / 2];
    before = y;
    await new Promise(resolve => setTimeout(resolve, 250));
  }
}
"""


@dataclass
class Browser:
    """One page. Since it was opened: `requested`, the addresses that it fetched, and `errors`, what its
    console shows in red: exceptions of its scripts and failed requests, too. Other events are dropped.
    """

    _to: BinaryIO
    _from: BinaryIO
    requested: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    _session: str = ""
    _number: int = 0
    _received: bytes = b""
    _until: float = 0.0

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
        with os.fdopen(commands[1], "wb") as to, os.fdopen(answers[0], "rb", buffering=0) as back:
            try:
                browser = cls(to, back)
                browser._attach()
                yield browser
            finally:
                process.kill()
                process.wait()

    def open(self, address: str) -> None:
        """Load a page and wait until its scripts ran."""
        self.requested.clear()
        self.errors.clear()
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

    def click(self, selector: str) -> None:
        """Press and release the mouse in the middle of the first element that a CSS selector finds."""
        x, y = self.evaluate(f"({_AT_REST})(document.querySelector({json.dumps(selector)}))")
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self._call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def type(self, text: str) -> None:
        """Insert text where the caret is."""
        self._call("Input.insertText", text=text)

    def wait_until(self, expression: str, seconds: float = _PATIENCE) -> None:
        """Wait until a JavaScript expression is true."""
        end = time.monotonic() + seconds
        while not self.evaluate(f"Boolean({expression})"):
            assert time.monotonic() < end, f"never came true: {expression}"
            time.sleep(0.05)

    def resize(self, width: int, height: int) -> None:
        """Make the page so large, in pixels."""
        self._call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def prefer(self, scheme: str) -> None:
        """What the reader's system prefers from the next page on: "light" or "dark"."""
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self._call("Emulation.setEmulatedMedia", features=[feature])

    def screenshot(self, selector: str) -> bytes:
        """A PNG of the first element that a CSS selector finds, as far as it is in view."""
        found = f"document.querySelector({json.dumps(selector)}).getBoundingClientRect()"
        clip = self.evaluate(
            "(({x, y, width, height}) => ({x: x + scrollX, y: y + scrollY, width, height, scale: 1}))"
            f"({found})"
        )
        shot = self._call("Page.captureScreenshot", format="png", clip=clip)
        return base64.b64decode(shot["data"])

    def _attach(self) -> None:
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self._call("Page.enable")
        self._call("Network.enable")
        self._call("Runtime.enable")
        self._call("Log.enable")

    def _call(self, method: str, **parameters: Any) -> Any:
        self._number += 1
        self._until = time.monotonic() + _PATIENCE
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
        while b"\0" not in self._received:
            left = max(0.0, self._until - time.monotonic())
            assert select.select([self._from], [], [], left)[0], "the browser does not answer"
            data = os.read(self._from.fileno(), 1 << 16)
            assert data, "the browser has ended"
            self._received += data
        first, _, self._received = self._received.partition(b"\0")
        message = dict(json.loads(first))
        match message.get("method"), message.get("params"):
            case "Network.requestWillBeSent", {"request": request}:
                self.requested.append(request["url"])
            case "Runtime.exceptionThrown", {"exceptionDetails": details}:
                self.errors.append(details.get("exception", {}).get("description", details["text"]))
            case "Runtime.consoleAPICalled", {"type": "error" | "assert", "args": values}:
                said = (str(each.get("value", each.get("description"))) for each in values)
                self.errors.append(" ".join(said))
            case "Log.entryAdded", {"entry": {"level": "error"} as entry}:
                self.errors.append(f"{entry['text']} {entry.get('url', '')}")
        return message
