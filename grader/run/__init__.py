"""Runs a submission: a zygote forks workers, a session talks to one, and no worker can harm the parent.

    with Zygote.start("simt") as zygote:          # returns at once
        artifact = build(request)                 # meanwhile
        with zygote.spawn_worker() as session:    # waits until the zygote is ready
            session.load(artifact, op_file, folder)
            reply = session.call("muladd", [TensorArg(a, name="a"), TensorArg(b, name="b"), 2.0])

Importing this package does not import torch; `spawn_worker` does.

The modules in the order of a request, from the checks to learner code; each imports only later ones.

    canary            a harmless submission that shows whether this machine can grade
    zygote_handle     `Zygote`: settings in, sessions out
    session           `Session`: load, call, backward, inputs
    workers           one worker after another, each with the submission loaded
    connection        a request to one worker, its reply, or how the worker ended
    loading           the submission that a session has loaded
    replies           a reply's JSON as `values`
    counts, records   the contents of a trace: counted launches; findings and runtime calls
    worker_source     forks workers, and replaces a zygote that is gone
    zygote_process    the zygote seen from the parent
    transcript        the output that a worker prints
    failures          exceptions for a worker that crashes, hangs or breaks the protocol
    zygote            the zygote itself, which imports torch once and forks
    worker            the loop of a forked worker: request in, reply out
    inside            learner code within a worker: load, call, trace
    cleaned_text      texts of a worker without what could disturb a terminal or a reader
    tensors           tensors to bytes and back
    shared_memory     the memory that carries them
    control           orders to the zygote and its answers
    sockets           sockets that keep message boundaries and carry descriptors
    values            arguments, outputs, launches, traces
    wire              headers and records of messages
    compilers         the sandbox for compilers of a stranger's sources
    sandbox           bubblewrap around a zygote or a compiler
    seccomp           filters of system calls
    syscalls          their numbers
    landlock          a worker gives up files, programs and the network
    groups            control groups: memory and processes of a whole sandbox
    limits            the time, memory and output that a worker may use
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
from grader.run.values import Arg, Output, RemoteError, Reply, TensorArg, Trace, TracedLaunch
from grader.run.zygote_handle import Zygote

__all__ = [
    "Arg",
    "CallLost",
    "Limits",
    "LoadFailed",
    "Output",
    "OutputFlood",
    "ProtocolViolation",
    "RemoteError",
    "Reply",
    "TensorArg",
    "Trace",
    "TracedLaunch",
    "WorkerCrashed",
    "WorkerTimeout",
    "Zygote",
]
