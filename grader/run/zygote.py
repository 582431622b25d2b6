"""The zygote: a process with torch (and the simulated device) imported, which forks workers on order.

`python -P -m grader.run.zygote --backend simt --control FD`. It runs no operator, since a fork after the
first one deadlocks in OpenMP; it reads nothing a learner wrote; it ends when its parent's socket closes.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import gc
import importlib
import os
import select
import shutil
import signal
import socket
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from cusimt.support import collector, manifest
from grader.run import limits, sandbox, seccomp
from grader.run.control import Answer, Command, Order
from grader.run.sockets import receive
from grader.support.backends import WorkerBackend
from grader.support.processes import kill_group

_SWEEPS = 200  # an orphan's children become ours only when it dies


def main() -> None:
    """Prepare, say READY, and serve orders until the parent goes away."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--backend", required=True)
    parser.add_argument("--control", type=int, required=True)
    parser.add_argument("--parent", type=int, default=0, help="die with this process (not across namespaces)")
    parser.add_argument("--module", action="append", default=[], help="import this one too")
    parser.add_argument("--isolated", action="store_true", help="scratch folders are this sandbox's own")
    parser.add_argument("--confined", action="store_true", help="keep workers from each other and from this")
    options = parser.parse_args()
    if options.parent:
        limits.die_with_parent(options.parent)
    limits.adopt_orphans()
    control = socket.socket(fileno=options.control)
    os.set_inheritable(options.control, False)
    faulthandler.enable(all_threads=False)  # in a worker, file descriptor 2 is what the learner sees
    with collector.paused():
        prepare(options.backend, options.module)
    control.send(Answer(Command.READY, os.getpid()).pack())
    Server(control, options.backend, options.isolated, options.confined).serve()


def prepare(backend: WorkerBackend, modules: Sequence[str] = ()) -> None:
    """Import the modules that every worker needs, and `modules`."""
    if backend == "simt":
        from cusimt.activate import activate

        activate()
        manifest.let_go()  # a worker inherits descriptors, and what is loaded stays
    import grader.run.worker  # noqa: F401  (imports torch and numpy)

    if backend == "simt":
        import torch

        # The tensors are small, and a thread beside would wait for its share longer than it works on it. The
        # bits of torch's own sums then do not depend on the number of cores either.
        torch.set_num_threads(1)
    for name in modules:
        importlib.import_module(name)
    # Python writes a file to find this folder, and remembers it. A confined worker may write none, and torch
    # asks for the folder when a first call imports its compiler.
    with contextlib.suppress(FileNotFoundError):
        tempfile.gettempdir()
    gc.collect()
    gc.freeze()  # the collector of a worker then leaves these pages shared


class Server:
    """Carries out the parent's orders, one at a time."""

    def __init__(
        self, control: socket.socket, backend: WorkerBackend, isolated: bool = False, confined: bool = False
    ) -> None:
        self.control = control
        self.backend = backend
        self.confined = confined
        self.pid = os.getpid()
        self.workers: set[int] = set()
        self.scratch = tuple(Path(name) for name in sandbox.SCRATCH) if isolated else ()
        self.kept = {path for folder in self.scratch for path in folder.iterdir()}  # made by imports

    def serve(self) -> None:
        """Until the parent closes its end."""
        while True:
            datagram, fds = receive(self.control)
            if not datagram:
                return
            order = Order.unpack(datagram)
            if order.command is Command.SPAWN:
                self._spawn(order, *fds)
            elif order.command is Command.END:
                self.control.send(self._end(order.pid, order.grace_ms).pack())
            elif order.command is Command.CLEAR:
                self._clear()
                self.control.send(Answer(Command.CLEAR).pack())

    def _spawn(self, order: Order, connection: int, output: int) -> None:
        pid = os.fork()
        if pid == 0:
            try:
                self.control.close()
                _become_worker(self.pid, connection, output, order, self.backend, self.confined)
            except BaseException:  # a forked child must never return into the parent's code
                traceback.print_exc()
            finally:
                os._exit(os.EX_SOFTWARE)
        self.workers.add(pid)
        os.close(connection)
        os.close(output)
        handle = os.pidfd_open(pid)
        socket.send_fds(self.control, [Answer(Command.SPAWN, pid).pack()], [handle])
        os.close(handle)

    def _end(self, pid: int, grace_ms: int) -> Answer:
        """Wait for a worker, kill its remaining descendants, and say how it ended."""
        if pid not in self.workers:
            return Answer(Command.END, pid, killed=True)
        killed = not _has_ended(pid, grace_ms)
        kill_group(pid)  # before it is reaped: until then its number cannot belong to anybody else
        _, status = os.waitpid(pid, 0)
        self.workers.discard(pid)
        self._kill_orphans()
        if os.WIFSIGNALED(status):
            return Answer(Command.END, pid, os.WTERMSIG(status), 0, killed)
        return Answer(Command.END, pid, 0, os.WEXITSTATUS(status), killed)

    def _clear(self) -> None:
        """Leave nothing of one submission for the next: no process, no file."""
        for pid in tuple(self.workers):
            self._end(pid, 0)
        self._kill_orphans()
        for path in (path for folder in self.scratch for path in folder.iterdir()):
            if path in self.kept:
                continue
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()

    def _kill_orphans(self) -> None:
        """Kill what a worker left behind outside its process group: a child of ours that is no worker was
        adopted.
        """
        for _ in range(_SWEEPS):
            orphans = [child for child in limits.children_of(self.pid) if child not in self.workers]
            if not orphans:
                return
            for orphan in orphans:
                os.kill(orphan, signal.SIGKILL)
                os.waitpid(orphan, 0)


def _become_worker(
    zygote: int, connection: int, output: int, order: Order, backend: WorkerBackend, confined: bool
) -> NoReturn:
    """The rest of this process's life, on the untrusted side."""
    os.setsid()  # a process group of its own, which is killed as a whole
    limits.die_with_parent(zygote)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (output, 1), (output, 2)):
        os.dup2(source, target)
    os.close(nothing)
    os.close(output)
    limits.apply(order.memory_bytes, order.file_bytes, order.processes)
    if confined:
        seccomp.install(seccomp.worker_filter(os.getpid()))
    from grader.run.worker import serve

    serve(socket.socket(fileno=connection), backend, confined)
    os._exit(0)


def _has_ended(pid: int, grace_ms: int) -> bool:
    handle = os.pidfd_open(pid)  # a zombie still has one
    try:
        return bool(select.select([handle], [], [], grace_ms / 1000)[0])
    finally:
        os.close(handle)


if __name__ == "__main__":
    main()
