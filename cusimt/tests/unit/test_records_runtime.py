"""The runtime of a process is found once, whatever the environment says later."""

from __future__ import annotations

import pytest

from cusimt.compiler import libraries
from cusimt.records import load_runtime


def test_a_changed_environment_does_not_lead_to_another_runtime(monkeypatch: pytest.MonkeyPatch) -> None:
    found = load_runtime()

    def moved() -> None:
        raise AssertionError("looked for again")

    monkeypatch.setattr(libraries, "runtime_path", moved)
    monkeypatch.setattr(libraries, "runtime_library", moved)
    assert load_runtime() is found
