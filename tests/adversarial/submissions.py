"""Submissions written by tests: a source text becomes a loaded session on a worker without a device."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import pytest
import torch

from grader.run import Limits, TensorArg, Zygote
from grader.run.session import Session

HONEST = "def double(a):\n    return 2 * a\n"
LIMITS = Limits(seconds=20.0, load_seconds=20.0, file_bytes=2**20, printed_bytes=8 * 2**20)


class Load(Protocol):
    """Loads ``op.py`` with this text, plus ``double``, and gives the session."""

    def __call__(self, source: str, load_seconds: float = ...) -> Session: ...


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    with Zygote.start("plain", limits=LIMITS) as zygote:
        yield zygote


@pytest.fixture
def load(zygote: Zygote, tmp_path: Path) -> Iterator[Load]:
    sessions: list[Session] = []

    def load(source: str, load_seconds: float = LIMITS.load_seconds) -> Session:
        op_file = tmp_path / "op.py"
        op_file.write_text(textwrap.dedent(source) + "\n\n" + HONEST)
        sessions.append(zygote.spawn_worker())
        sessions[-1].limits = replace(LIMITS, load_seconds=load_seconds)
        sessions[-1].load(None, op_file, tmp_path)
        return sessions[-1]

    yield load
    for session in sessions:
        session.close()


def arg(*values: float, name: str = "a") -> TensorArg:
    """A float64 argument."""
    return TensorArg(torch.tensor(values, dtype=torch.float64), "cuda:0", name=name)


def assert_serves(session: Session) -> None:
    """An honest request still gets its right answer."""
    reply = session.call("double", [arg(1.5, -2.0)])
    assert reply.error is None
    assert reply.outputs[0].tensor is not None
    assert reply.outputs[0].tensor.tolist() == [3.0, -4.0]
