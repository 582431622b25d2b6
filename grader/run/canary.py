"""A canary for a GPU: before the next submission is judged on one that the last may have left unfit.

A submission that lost the context of its GPU or ended its worker may leave a GPU that fails whoever comes
next, and so may one that was killed with its grader. Each use of a GPU is a file with a lock. A good end
removes it; a file that is there and that nobody holds is a doubt, which a small kernel in a clean process
settles.
"""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Iterator
from pathlib import Path

from grader.cache import cache_root, digest
from grader.errors import GraderError, InfrastructureError
from grader.locks import open_locked
from grader.run.limits import Limits
from grader.run.spawn import Zygote

ELEMENTS = 1 << 16
_BEAT = Path(__file__).resolve().parent / "inside" / "beat.py"
_LIMITS = Limits(seconds=30.0, load_seconds=120.0)
_numbers = itertools.count()


@contextlib.contextmanager
def guarded(zygote: Zygote, backends: tuple[str, ...] = ("cuda",)) -> Iterator[None]:
    """Use the GPU for one submission, whose workers ``zygote`` starts; on other ``backends`` a no-op.

    Raises InfrastructureError where the GPU was left in doubt and the canary does not come back.
    """
    if zygote.backend not in backends:
        yield
        return
    folder = _folder()
    folder.mkdir(parents=True, exist_ok=True)
    _settle_doubts(zygote, folder)
    use = folder / f"{os.getpid()}-{next(_numbers)}"
    descriptor = open_locked(use)
    lost = zygote.lost
    try:
        yield
        if zygote.lost == lost:
            use.unlink(missing_ok=True)
    finally:
        os.close(descriptor)


def sing(backend: str, isolate: bool) -> None:
    """Run a kernel in a process of its own. Raises InfrastructureError if its result does not come back."""
    try:
        with Zygote.start(backend, isolate, limits=_LIMITS) as zygote, zygote.spawn_worker() as session:
            import torch

            from grader.run.values import TensorArg

            sent = torch.arange(ELEMENTS, dtype=torch.int64)
            reply = session.run_inside(f"{_BEAT}:beat", [TensorArg(sent, "cuda:0", name="sent")])
            answer = reply.outputs[0].tensor if reply.outputs else None
            if reply.error is None and answer is not None and torch.equal(answer, sent * sent + 1):
                return
            why = reply.error.message if reply.error is not None else "It computed another result."
    except GraderError as error:
        why = error.what
    raise _unfit(why)


def _settle_doubts(zygote: Zygote, folder: Path) -> None:
    """Nothing to do where every use of the GPU ended well or goes on."""
    with contextlib.ExitStack() as held:
        doubts = []
        for path in sorted(folder.iterdir()):
            with contextlib.suppress(BlockingIOError):  # in use
                held.callback(os.close, open_locked(path, wait=False))
                doubts.append(path)
        if doubts:
            sing(zygote.backend, zygote.isolate)
        for path in doubts:
            path.unlink(missing_ok=True)


def _folder() -> Path:
    """That of the GPUs which this process sees: lanes that share one were given the same name for it."""
    return cache_root() / "gpus" / digest([os.environ.get("CUDA_VISIBLE_DEVICES", "all")])


def _unfit(why: str) -> InfrastructureError:
    return InfrastructureError(
        f"A submission before this one lost the GPU, and a trial kernel failed on it since: {why}",
        "Nothing is judged on a GPU that fails the grader's own kernel; no student loses a mark by it.",
        "Look at it with nvidia-smi, reset it (nvidia-smi --gpu-reset) or restart the machine, and run the "
        "same command again.",
    )
