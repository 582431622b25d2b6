"""Parsl's worker pool, which also ends when its interchange ended before answering.

``python -m grader.instruct.cluster.worker_pool ARGUMENTS`` takes the arguments of Parsl's own module.

Once a pool is registered it notices silence. Before that, Parsl 2026.10 asks the interchange and waits for
the answer without a limit: a block that starts while its driver is killed would be held until its walltime.
"""

from __future__ import annotations

import os
import runpy
import threading
import traceback
from typing import Any

ANSWER_SECONDS = 60.0  # for one answer of the interchange, which never blocks
_PARSL = "parsl.executors.high_throughput.process_worker_pool"


def main() -> None:
    """Run Parsl's module as the program."""
    from parsl import curvezmq

    make = curvezmq.ClientContext.socket

    def socket(context: Any, *arguments: Any, **named: Any) -> Any:
        made = make(context, *arguments, **named)
        made.setsockopt(curvezmq.zmq.RCVTIMEO, round(ANSWER_SECONDS * 1000))
        return made

    curvezmq.ClientContext.socket = socket
    threading.excepthook = _end
    runpy.run_module(_PARSL, run_name="__main__", alter_sys=True)


def _end(failed: threading.ExceptHookArgs) -> None:
    """The other threads would wait for the one that failed. The supervisor ends what this process started."""
    traceback.print_exception(failed.exc_type, failed.exc_value, failed.exc_traceback)
    os._exit(1)


if __name__ == "__main__":
    main()
