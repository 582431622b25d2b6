"""What an exception keeps alive must not count as memory that a call has leaked."""

from __future__ import annotations

import gc
import weakref

import torch

from grader.run.inside.calls import drop_frames


def test_frames_of_the_exceptions_behind_an_exception_are_dropped() -> None:
    """As when an interpreter says in words of its own what a kernel raised."""
    kept: list[weakref.ref[torch.Tensor]] = []

    def fails() -> None:
        out = torch.empty(3)
        kept.append(weakref.ref(out))
        raise ValueError("of the kernel")

    def explains() -> None:
        out = torch.empty(3)
        kept.append(weakref.ref(out))
        try:
            fails()
        except ValueError as error:
            raise RuntimeError("in other words") from error

    gc.disable()
    try:
        try:
            explains()
        except RuntimeError as error:
            drop_frames(error)
            assert [each() for each in kept] == [None, None]
            assert isinstance(error.__cause__, ValueError)
    finally:
        gc.enable()
