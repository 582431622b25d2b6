"""Pictures of the memory that one warp of a solution's kernel touches, as counted when it ran."""

from __future__ import annotations

from profiles import profile

from cusimt.profile.model import Profile
from cusimt.counters.canvas import Canvas
from cusimt.counters.pictures import Contents, picture

# The matrix product with the threads' x along the rows of the result: right, and slow.
EXCHANGED = (
    ("blockIdx.x) * blockDim.x + threadIdx.x;", "blockIdx.Y) * blockDim.Y + threadIdx.Y;"),
    ("blockIdx.y) * blockDim.y + threadIdx.y;", "blockIdx.x) * blockDim.x + threadIdx.x;"),
    ("blockIdx.Y) * blockDim.Y + threadIdx.Y;", "blockIdx.y) * blockDim.y + threadIdx.y;"),
)


def matmul_load_a() -> Canvas:
    """06: all lanes read one element of a."""
    return _drawn("matmul-load-a", _matmul(exchanged=False), "a", "a[row * k + i], one row for a warp")


def matmul_load_b() -> Canvas:
    """06: neighbouring lanes read neighbouring elements of b."""
    return _drawn("matmul-load-b", _matmul(exchanged=False), "b", "b[i * n + column], 32 columns for a warp")


def matmul_load_a_exchanged() -> Canvas:
    """06: how a is read when x and y are exchanged."""
    what = "a[row * k + i], 32 rows for a warp"
    return _drawn("matmul-load-a-exchanged", _matmul(exchanged=True), "a", what)


def _drawn(name: str, profile: Profile, memory: str, what: str) -> Canvas:
    stage = profile.stages[0]
    lines = [line for launched in stage.launches for line in launched.counts.lines]
    (line,) = (each for each in lines if stage.memory(each).name == memory and each.access == "load")
    return picture(line.sample, what, Contents(memory, line.bytes), access=line.access, name=name)


def _matmul(exchanged: bool) -> Profile:
    return profile("06", edits=EXCHANGED if exchanged else ())
