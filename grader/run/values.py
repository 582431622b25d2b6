"""The arguments of a session's calls, and their results. Importing this module does not import torch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from grader.support.schema import Whole, key

if TYPE_CHECKING:
    from torch import Tensor

STRIDED_VIEW = "which is a strided view"  # ends what is said of an array that was copied as if it were dense
TUNED_APART = "DifferentAnswers"  # raised by the simulated device's autotuning, whoever makes the call

Schedule = Literal[
    "forward", "reversed", "random"
]  # of the simulated device: the order of blocks and threads
Dim3 = tuple[Whole, Whole, Whole]
Moment = tuple[int, Whole]  # the runtime's number of a stream, and how many pieces of work it had by then


@dataclass(frozen=True)
class TensorArg:
    """A tensor argument of a call.

    `tensor` is a CPU tensor; the worker sees exactly its storage, sizes, strides and storage offset, on
    `device`: `"cpu"`, `"cuda:0"`, `"cuda:1"`, or `"numpy"` for a NumPy array. `requires_grad`
    makes it a leaf of the graph. `name` is the parameter's name, used in findings and sentences.
    """

    tensor: Tensor
    device: str = "cuda:0"
    requires_grad: bool = False
    name: str = ""


Arg: TypeAlias = "TensorArg | int | float | bool | str | Sequence[Arg] | None"


@dataclass(frozen=True)
class RemoteError:
    """An exception that learner code raised: its type's name, its message, and `file:line` in the
    learner's files; `callers` are the places there that led to it, the innermost first.
    """

    type: str
    message: str
    where: str = ""
    callers: tuple[str, ...] = ()

    def __str__(self) -> str:
        where = f"{self.where}: " if self.where else ""
        return f"{where}{self.type}: {self.message}"


@dataclass(frozen=True)
class Output:
    """One returned value.

    `tensor` is a dense CPU copy for the kinds `tensor` and `numpy`; `dtype`, `shape`, `strides`
    (in elements) and `device` are those of the value in the worker. `alias` names the argument (or
    `cotangent 0`, ...) whose storage the value shares, `""` when it has its own. `value` holds a
    returned number, string or bool (kind `other`), and `type` the name of the Python type. In a backward
    reply `name` is the input's name.
    """

    kind: Literal["tensor", "numpy", "none", "other"]
    tensor: Tensor | None = None
    device: str = ""
    dtype: str = ""
    shape: tuple[int, ...] = ()
    strides: tuple[int, ...] = ()
    requires_grad: bool = False
    name: str = ""
    alias: str = ""
    type: str = ""
    value: int | float | bool | str | None = None


@dataclass(frozen=True)
class TracedLaunch:
    """One kernel launch; `stream` is the runtime's stream id (0 the default stream), `shared_bytes`
    dynamic only. `waits`: its stream came after what the caller had queued; `awaited`: the caller's
    stream waits for it in the end; None where the backend cannot tell. `moment` is its place in the order
    of all work, the runtime's number of its stream and how many pieces of work that had by then; `after`,
    of each stream, the latest moment during this call that comes before it. `operators` are those of
    PyTorch that it was made in, the innermost last, as far as a profiler recorded them.
    """

    kernel: str
    grid: Dim3
    block: Dim3
    shared_bytes: int = field(default=0, metadata=key("shared"))
    stream: int = 0
    device: int = 0
    file: str = ""
    line: int = 0
    error: int = 0
    waits: bool | None = None
    awaited: bool | None = None
    moment: Moment | None = None
    after: tuple[Moment, ...] = ()
    operators: tuple[str, ...] = ()


@dataclass(frozen=True)
class TensorAddress:
    """A tensor of a call, the address of its storage on the device, and the bytes of one element."""

    name: str
    base: int
    itemsize: int


@dataclass(frozen=True)
class Trace:
    """The events on the device during one request.

    `stream` is the id of the stream that the caller made current. `writers` has one entry per output:
    how many of its bytes were last written by whom (`unwritten kernel library copy memset host`), or None
    where the backend cannot tell. `foreign_copies` are those to the device whose content is no argument of
    the call, where arguments are in host memory. `live_allocations` is the change in live device
    allocations from just before the entry ran until its results were dropped, `alive_before` the number of
    those that earlier calls had left behind, which is counted without a trace, too. `launches_total` also
    counts launches that were left out of `launches` to keep it short. `allocations` counts those made
    during the call, and `peak_bytes` is the most device memory that it held at once, its results
    included. With counting on, `counts` holds one record per launch for `cusimt.counters.symbolise`, and
    `placed` says which tensors lie at their addresses. `specialisations` are those of kernels in Triton
    that its interpreter ran (`cusimt.triton.specialisations`).
    """

    findings: tuple[dict[str, Any], ...] = ()
    launches: tuple[TracedLaunch, ...] = ()
    launches_total: int = 0
    operators: tuple[str, ...] = ()
    copies: tuple[str, ...] = ()
    foreign_copies: tuple[str, ...] = ()
    api_calls: tuple[dict[str, Any], ...] = ()
    writers: tuple[Mapping[str, int] | None, ...] = ()
    live_allocations: int = 0
    live_bytes: int = 0
    alive_before: int = 0
    sticky_error: str | None = None
    stream: int = 0
    host_syncs: int = 0
    allocations: int = 0
    peak_bytes: int = 0
    counts: tuple[dict[str, Any], ...] = ()
    placed: tuple[TensorAddress, ...] = ()
    specialisations: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reply:
    """The answer to `call`, `backward` or `run_inside`.

    `returned` says what the entry returned as a whole: `value`, `tuple` or `list`; `outputs`
    holds the single value, or the elements. `handle` names the graph that the worker keeps, for
    `backward` and `release`. `printed` is what the submission wrote to stdout and stderr meanwhile,
    shortened in the middle.
    """

    outputs: tuple[Output, ...] = ()
    returned: Literal["value", "tuple", "list"] = "value"
    handle: int | None = None
    error: RemoteError | None = None
    trace: Trace = field(default_factory=Trace)
    printed: str = ""
    seconds: float = 0.0
