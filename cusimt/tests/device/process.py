"""Runs tests in processes that have the simulated device.

Activation comes before ``import torch`` and lasts as long as the process, so pytest's process stays plain.
A server activates once; for each test it forks a child, which imports the test's module and calls the test. A
worker of the grader is made in the same way, so every test also tests that forking after activation works.
"""

from __future__ import annotations

import atexit
import functools
import importlib.util
import inspect
import json
import os
import select
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
SECONDS = 180.0  # a test that takes longer has hung

inside = False  # set in the server: decorated tests are called as they are written


def on_device(test: Callable[..., None]) -> Callable[..., None]:
    """Run this test in a child of a process with the simulated device; its arguments must be JSON values."""
    if inside:
        return test

    @functools.wraps(test)
    def run(**arguments: Any) -> None:
        __tracebackhide__ = True
        outcome = _server().call(inspect.getfile(test), test.__name__, arguments)
        if outcome["status"] == "skipped":
            pytest.skip(outcome["text"])
        if outcome["status"] != "passed":
            pytest.fail(outcome["text"], pytrace=False)

    return run


class _Server:
    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "cusimt.tests.device.process"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        atexit.register(self.close)

    def close(self) -> None:
        """End the process, and wait until it has ended."""
        atexit.unregister(self.close)
        with self._process:
            self._process.kill()

    def call(self, file: str, function: str, arguments: dict[str, Any]) -> dict[str, str]:
        assert self._process.stdin and self._process.stdout
        request = {"file": file, "function": function, "arguments": arguments}
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            _server.cache_clear()
            self.close()
            return {"status": "failed", "text": "the process with the simulated device ended"}
        return dict(json.loads(line))


@functools.cache
def _server() -> _Server:
    return _Server()


# ---- in the server -------------------------------------------------------------------------------------


def serve() -> None:
    """Answer requests on standard input, one line each; what a test prints goes to standard error."""
    global inside
    inside = True
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    from cusimt.activate import activate

    activate()
    for line in sys.stdin:
        answers.write(json.dumps(_in_a_child(json.loads(line))) + "\n")


def _in_a_child(request: dict[str, Any]) -> dict[str, str]:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        outcome = _run(request)
        os.write(writer, json.dumps(outcome).encode())
        os._exit(0)
    os.close(writer)
    ready, _, _ = select.select([reader], [], [], SECONDS)
    if not ready:
        os.kill(child, signal.SIGKILL)
    with os.fdopen(reader, "rb") as answer:
        text = answer.read()
    _, status = os.waitpid(child, 0)
    if text:
        return dict(json.loads(text))
    return {"status": "failed", "text": f"the test's process ended with status {status}, or hung"}


def _run(request: dict[str, Any]) -> dict[str, str]:
    try:
        spec = importlib.util.spec_from_file_location("test_on_device", request["file"])
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        getattr(module, request["function"])(**request["arguments"])
    except pytest.skip.Exception as reason:
        return {"status": "skipped", "text": str(reason)}
    except BaseException:
        return {"status": "failed", "text": traceback.format_exc()}
    return {"status": "passed", "text": ""}


if __name__ == "__main__":
    from cusimt.tests.device import process

    process.serve()
