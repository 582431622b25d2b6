"""Running a submission: a zygote forks workers, a session talks to one, and nothing a worker does harms the
parent.

    with Zygote.start("simt") as zygote:          # returns at once
        artifact = build(request)                 # meanwhile
        with zygote.spawn_worker() as session:    # waits until the zygote is ready
            session.load(artifact, op_file, folder)
            reply = session.call("muladd", [TensorArg(a, name="a"), TensorArg(b, name="b"), 2.0])

Importing this package does not import torch; ``spawn_worker`` does.
"""

from grader.run.failures import (
    CallLost,
    LoadFailed,
    OutputFlood,
    ProtocolViolation,
    WorkerCrashed,
    WorkerTimeout,
)
from grader.run.limits import Limits
from grader.run.values import Arg, Launch, Output, RemoteError, Reply, TensorArg, Trace
from grader.run.zygote_handle import Zygote

__all__ = [
    "Arg",
    "CallLost",
    "Launch",
    "Limits",
    "LoadFailed",
    "Output",
    "OutputFlood",
    "ProtocolViolation",
    "RemoteError",
    "Reply",
    "TensorArg",
    "Trace",
    "WorkerCrashed",
    "WorkerTimeout",
    "Zygote",
]
