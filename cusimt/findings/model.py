"""What can be wrong with a program on the simulated GPU, as data: one kind, at one place, by one thread."""

from __future__ import annotations

from dataclasses import dataclass

from cusimt.records.launches import Dim3
from cusimt.records.source_lines import NOWHERE, Frame

# Spaces that host code may touch, too.
OF_THE_HOST = ("managed", "pinned")
# Kinds that are no fault by themselves, and explain values that are wrong.
SUSPICIONS = frozenset({"absent_lane"})
# Of a kernel that ran without access checks where they were wanted: no finding, but a lack of them.
UNCHECKED = "unchecked_kernel"
# Of a launch that ran only some of its blocks, in a run that samples: no finding, either.
SAMPLED = "sampled_launch"


@dataclass(frozen=True)
class Allocation:
    """The memory that an access hit or missed: `offset` bytes from its beginning, negative when before it."""

    base: int
    bytes: int
    offset: int
    device: int


@dataclass(frozen=True)
class Tensor:
    """The argument or output that lies in an allocation, `offset` elements from its beginning."""

    name: str
    itemsize: int
    offset: int = 0


@dataclass(frozen=True)
class Party:
    """The other thread of a race or of a divergent barrier."""

    frame: Frame
    access: str | None
    block: Dim3 | None  # None: one of several blocks
    thread: Dim3 | None  # None: one of several threads
    of_program: bool = False  # the block is a program of Triton's, which has no threads of its own


@dataclass(frozen=True)
class Finding:
    """One thing that went wrong at one place; `count` says how often."""

    kind: str
    frame: Frame = NOWHERE
    launch: Frame = NOWHERE
    access: str | None = None
    bytes: int = 0
    kernel: str | None = None
    space: str | None = None
    array: str = ""  # the __shared__ array that was overrun
    block: Dim3 | None = None
    thread: Dim3 | None = None
    other: Party | None = None
    allocation: Allocation | None = None
    tensor: Tensor | None = None
    lanes: tuple[int, int] | None = None  # of one warp, that wrote different values with one instruction
    count: int = 1
    note: str = ""
    schedule: str = ""  # the order of blocks and threads, if it is not the usual one
    ordered: bool = False  # of a race: the note is the order of the program, not of the run
    of_program: bool = False  # the block is a program of Triton's, which has no threads of its own

    @property
    def where(self) -> str:
        return (self.frame if self.frame.file else self.launch).where
