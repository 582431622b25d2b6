"""A canary: computes on a GPU that the last submission may have left unfit, before the next is judged there.

A submission that lost the context of its GPU or ended its worker may leave a GPU on which every kernel
fails, and so may one that was killed with its grader. Each use of a GPU is a file with a lock. A good end
removes it; a file that nobody holds is a doubt, which a small kernel in a clean process settles. Graders that
share a GPU settle doubts one after the other, and those that wait see the result.
"""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from cusimt.support.cache import cache_root, digest
from cusimt.support.locks import hold, open_locked
from grader.run.limits import Limits
from grader.run.zygote_handle import Zygote
from grader.support.backends import WorkerBackend
from grader.support.errors import ExplainedError, InfrastructureError
from grader.support.gpus import visible_gpus

ELEMENTS = 1 << 16
_BEAT = Path(__file__).resolve().parent / "inside" / "canary_program.py"
_LIMITS = Limits(seconds=30.0, load_seconds=120.0)
_numbers = itertools.count()


@contextlib.contextmanager
def guarded(zygote: Zygote, backends: tuple[str, ...] = ("cuda",)) -> Iterator[None]:
    """Use the GPU for one submission, whose workers `zygote` starts; on other `backends` a no-op.

    Raises InfrastructureError where the GPU was left in doubt and the canary does not come back.
    """
    if zygote.backend not in backends:
        yield
        return
    folders = _folders()
    with contextlib.ExitStack() as settling:
        for folder in folders:
            folder.mkdir(parents=True, exist_ok=True)
            settling.enter_context(hold(folder.with_suffix(".settling")))
        _settle_doubts(zygote, folders)
        begun = [_begun(folder / f"{os.getpid()}-{next(_numbers)}") for folder in folders]
    lost = zygote.lost
    try:
        yield
        if zygote.lost == lost:
            for use, _ in begun:
                use.unlink(missing_ok=True)
    finally:
        for _, descriptor in begun:
            os.close(descriptor)


def try_kernel(backend: WorkerBackend, isolate: bool) -> None:
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
    except ExplainedError as error:
        why = error.what
    raise _unfit(why)


def _settle_doubts(zygote: Zygote, folders: Sequence[Path]) -> None:
    """Nothing to do where every use of the GPUs ended well or goes on."""
    with contextlib.ExitStack() as held:
        left = []
        for path in sorted(path for folder in folders for path in folder.iterdir()):
            with contextlib.suppress(BlockingIOError):  # in use
                descriptor = open_locked(path, wait=False)
                held.callback(os.close, descriptor)
                left.append((path, os.fstat(descriptor).st_size > 0))
        # A use that ended well while this looked leaves an empty file, which looking made.
        if any(is_doubt for _, is_doubt in left):
            try_kernel(zygote.backend, zygote.isolate)
        for path, _ in left:
            path.unlink(missing_ok=True)


def _begun(use: Path) -> tuple[Path, int]:
    """The file of a use that begins, and the descriptor that locks it."""
    descriptor = open_locked(use)
    os.write(descriptor, b"in use")
    return use, descriptor


def _folders() -> list[Path]:
    """One for each GPU that this process sees, in one order for all, so that two cannot wait in a ring."""
    seen = sorted(gpu.uuid for gpu in visible_gpus()) or ["unknown"]
    return [cache_root() / "gpus" / digest([uuid]) for uuid in seen]


def _unfit(why: str) -> InfrastructureError:
    return InfrastructureError(
        f"The GPU is unfit: an earlier submission lost it, and the grader's own kernel fails now. {why}",
        "Nothing is judged on such a GPU, and nothing counts against the submission.",
        "Look at it with nvidia-smi, reset it (nvidia-smi --gpu-reset) or restart the machine, and run the "
        "same command again.",
    )
