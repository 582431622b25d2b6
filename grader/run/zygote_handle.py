"""The parent's handle on its zygote. Importing this module does not import torch, so that a command can start
the zygote first and import torch (and build) while the zygote does the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from grader.run.limits import Limits
from grader.run.worker_source import WorkerSource
from grader.run.zygote_process import Settings
from grader.support.backends import BACKENDS, WorkerBackend
from grader.support.errors import InfrastructureError

if TYPE_CHECKING:
    from grader.run.session import Session


class Zygote(WorkerSource):
    """The public face of a source of workers: settings in, sessions out.

    `"plain"` is torch on the CPU without a simulated device: tensors for `cuda:0` stay on the CPU. It serves
    the tests of this package.
    """

    @classmethod
    def start(
        cls,
        backend: WorkerBackend,
        isolate: bool = False,
        *,
        limits: Limits | None = None,
        readable: Sequence[Path] = (),
        modules: Sequence[str] = (),
        spool: Path | None = None,
        ahead: bool = True,
        lazy: bool = False,
    ) -> Zygote:
        """Start a zygote and return at once; `spawn_worker` waits until it is ready.

        The first worker is ordered at once too: on a GPU it takes seconds to open the device. Not so with
        `ahead=False`, which leaves the device alone until `spawn_worker`. A `lazy` one ends workers, which
        takes a GPU a tenth of a second each, while nothing waits for it. `isolate` puts all of them
        into bubblewrap, where they see `readable` (the learner's folder, the exercise) and nothing else of
        this user's files. `modules` are imported once, before any worker is forked: what many of them will
        need.

        With a `spool`, the zygote is for many submissions one after another, by `clear` in between. Each
        lies in a folder of its own below the spool, made before or after this start; its workers see no
        other.

        Raises `InfrastructureError` when bubblewrap is asked for and missing.
        """
        if backend not in get_args(WorkerBackend):
            raise InfrastructureError(
                f"There is no backend `{backend}`.", f"The backends are {', '.join(BACKENDS)}."
            )
        place = spool.resolve() if spool is not None else None
        bounds = limits or (Limits.for_strangers() if isolate else Limits())
        return cls(Settings(backend, isolate, bounds, tuple(readable), tuple(modules), place, ahead, lazy))

    def spawn_worker(self) -> Session:
        """A session on a fresh worker; raises `InfrastructureError` if the zygote never starts."""
        from grader.run.session import Session

        return Session(self)
