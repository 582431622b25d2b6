"""Run the workers of a block, and leave no process behind.

``python -m grader.instruct.cluster.supervisor COMMAND...``

Parsl's pool of workers is several processes. When the one in the middle is killed, the others wait for it for
ever: on a machine that is not cleared after a job, each with a torch in memory and a zygote.
"""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import subprocess
import sys
from collections.abc import Sequence

from grader.run.limits import adopt_orphans, children_of, die_with_parent


def supervise(command: Sequence[str]) -> int:
    """Run ``command``; when it ends, end whatever it started. Returns its exit code, as a shell would."""
    adopt_orphans()
    bound = functools.partial(die_with_parent, os.getpid())
    code = subprocess.Popen(command, preexec_fn=bound).wait()
    while children := children_of(os.getpid()):  # those of a parent that ended came here
        for child in children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(-1, 0)
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(supervise(sys.argv[1:]))
