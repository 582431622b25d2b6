"""Wait, when the program ends, for the threads on which autograd runs the backward of a device.

Such a thread releases the Python objects of a backward after the caller has its gradients, and needs the
GIL for that. A thread that requests the GIL while Python finalizes is terminated in the middle of C++, and
the process aborts. So the main thread yields the GIL until these threads sleep, waiting for work.
"""

from __future__ import annotations

import atexit
import time
from pathlib import Path

_TASKS = Path("/proc/self/task")
_NAME = "pt_autograd"  # PyTorch calls them pt_autograd_0, pt_autograd_1, ...
_LOOKS, _LOOK_SECONDS, _QUIET = 1000, 0.001, 3  # so many looks in a row have to find all of them asleep


def install() -> None:
    """Before the program's own functions for its end are registered: those may run a backward, too."""
    atexit.register(_wait)


def _wait() -> None:
    quiet = 0
    for _ in range(_LOOKS):
        states = _states()
        if not states or quiet == _QUIET:
            return
        time.sleep(_LOOK_SECONDS)  # without the GIL: whichever thread waits for it goes on
        quiet = quiet + 1 if states <= {"S"} else 0


def _states() -> set[str]:
    """Those of the threads of autograd, as the system's scheduler sees them: R, S, ..."""
    found = set()
    for task in _TASKS.glob("*"):
        try:
            name, _, rest = (task / "stat").read_text().partition("(")[2].rpartition(")")
        except OSError:  # it has ended
            continue
        if name.startswith(_NAME):
            found.add(rest.split()[0])
    return found
