"""cluster.toml: where worker blocks come from, how many, and how they reach this process.

A *block* is what is asked of the cluster at once: a Slurm job, a pod, or a process of this machine. It lives
long and grades one submission after the other::

    kind = "slurm"                     # local, slurm or kubernetes
    address = "10.0.0.1"               # of this machine, as the workers see it; "$POD_IP" is looked up
    setup = "module load cuda/13.0"    # a shell line that runs before a block's workers

    [cpu]                              # builds; on simt, all of the grading
    blocks = 2
    workers = 8                        # at a time in each block
    walltime = "04:00:00"

    [gpu]                              # what is timed: one worker and one GPU in each block
    blocks = 4
    model = "NVIDIA H200"              # as `nvidia-smi -L` says it: points for speed are given on one model
    walltime = "04:00:00"
    partition = "gpu"
    options = ["--account=cs101"]

    [kubernetes]
    image = "registry.example/cu2grad:0.1"
    claims = { "course" = "/course" }
"""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grader.support.errors import BrokenExercise, UsageError
from grader.support.toml_table import TomlTable, read_toml

KINDS = ("local", "slurm", "kubernetes")
LOOPBACK = "127.0.0.1"
_WALLTIME = re.compile(r"(?P<hours>\d{2,}):(?P<minutes>[0-5]\d):(?P<seconds>[0-5]\d)")


@dataclass(frozen=True)
class Blocks:
    """One kind of block: how many at most, and what each holds.

    ``walltime`` is ``HH:MM:SS``; ``model`` is that of the GPU, as nvidia-smi names it.
    """

    blocks: int
    workers: int
    walltime: str
    partition: str = ""
    options: tuple[str, ...] = ()
    memory_gb: int = 4
    model: str = ""

    @property
    def seconds(self) -> int:
        hours, minutes, seconds = map(int, self.walltime.split(":"))
        return 3600 * hours + 60 * minutes + seconds


@dataclass(frozen=True)
class Pods:
    """What Kubernetes needs to know beside that: the image, and the claims that hold the shared folders."""

    image: str = ""
    namespace: str = "default"
    claims: dict[str, str] = field(default_factory=dict)
    privileged: bool = False
    user: int = 1000
    group: int = 1000


@dataclass(frozen=True)
class Cluster:
    """All of cluster.toml. ``gpu`` is None where nothing is timed.

    ``architectures`` is TORCH_CUDA_ARCH_LIST for machines that compile and have no GPU to ask.
    """

    kind: str
    cpu: Blocks
    gpu: Blocks | None
    address: str
    python: str
    setup: str = ""
    architectures: str = ""
    pods: Pods = Pods()

    @property
    def lanes(self) -> int:
        """How many submissions are graded at a time, at most."""
        return self.gpu.blocks if self.gpu else self.cpu.blocks * self.cpu.workers


def read_cluster(path: Path) -> Cluster:
    """Read and check ``path``. Raises UsageError that names the key, the rule and the file."""
    if not path.is_file():
        raise UsageError(
            f"{path} is not there.",
            "It says where the workers come from; the handbook has one for each kind of cluster.",
            "Write one, or grade on this machine: grader class grade",
        )
    try:
        cluster = _read(read_toml(path))
    except BrokenExercise as fault:
        raise UsageError(fault.what, fault.rule, f"Edit {path.name} and run it again.") from fault
    _refuse_what_does_not_fit(path, cluster)
    return cluster


def _read(table: TomlTable) -> Cluster:
    kind = table.text("kind", one_of=KINDS)
    cluster = Cluster(
        kind=kind,
        cpu=_blocks(table.table("cpu", required=True), "cpu"),
        gpu=_blocks(table.table("gpu"), "gpu") if "gpu" in set(table) else None,
        address=_address(table, kind),
        python=table.text("python", sys.executable if kind != "kubernetes" else "python3"),
        setup=table.text("setup", ""),
        architectures=table.text("architectures", ""),
        pods=_pods(table.table("kubernetes"), kind),
    )
    table.finish()
    return cluster


def _blocks(table: TomlTable, name: str) -> Blocks:
    """``[cpu]`` or ``[gpu]``. A GPU block has one worker: two would time each other's kernels."""
    blocks = Blocks(
        blocks=table.integer("blocks", 1),
        workers=table.integer("workers", 1) if name == "cpu" else 1,
        walltime=table.text("walltime", "01:00:00"),
        partition=table.text("partition", ""),
        options=table.texts("options", ()),
        memory_gb=table.integer("memory_gb", 4),
        model=table.text("model") if name == "gpu" else "",
    )
    table.finish()
    if not blocks.blocks or not blocks.workers or not blocks.memory_gb:
        raise table.broken(f"{name} asks for nothing", "blocks, workers and memory_gb are at least 1.")
    if not _WALLTIME.fullmatch(blocks.walltime) or blocks.seconds < 60:
        raise table.broken(
            f"{name}.walltime is {blocks.walltime!r}", "It is written HH:MM:SS, and a minute at least."
        )
    return blocks


def _address(table: TomlTable, kind: str) -> str:
    """Not guessed: with a wrong one, every worker would knock at the wrong door, and nothing would say so."""
    address = os.path.expandvars(table.text("address", LOOPBACK if kind == "local" else None))
    if address.startswith("$"):
        raise table.broken(f"address is {address}", "There is no such variable in the environment.")
    if not address.strip():
        raise table.broken("address is empty", "It is this machine's address, as the workers see it.")
    return address


def _pods(table: TomlTable, kind: str) -> Pods:
    if kind != "kubernetes":
        if list(table):
            raise table.broken("there is a [kubernetes] table", f"Only kind kubernetes reads it, not {kind}.")
        return Pods()
    claims: dict[str, Any] = {}
    inner = table.table("claims", required=True)
    for name in inner:
        claims[name] = inner.text(name)
        if not claims[name].startswith("/"):
            raise inner.broken(f"claim {name!r} is mounted at {claims[name]!r}", "It is an absolute folder.")
    if not claims:
        raise inner.broken("kubernetes.claims is empty", "Pods share folders by a PersistentVolumeClaim.")
    pods = Pods(
        image=table.text("image"),
        namespace=table.text("namespace", "default"),
        claims=claims,
        privileged=table.boolean("privileged", False),
        user=table.integer("user", 1000),
        group=table.integer("group", 1000),
    )
    table.finish()
    return pods


def _refuse_what_does_not_fit(path: Path, cluster: Cluster) -> None:
    """Options that would undo what a GPU block relies on."""
    for blocks in filter(None, (cluster.cpu, cluster.gpu)):
        for option in blocks.options:
            if not option.startswith("-") or "\n" in option:
                raise UsageError(
                    f"{path}: the option {option!r} is none of sbatch.",
                    "Each is one string as on sbatch's command line.",
                    'Write, for example: options = ["--account=cs101"]',
                )
            if option.startswith(("--gres", "--gpus", "--exclusive")):
                raise UsageError(
                    f"{path}: the option {option!r} is not taken.",
                    "A GPU block has exactly one GPU, which Slurm chooses; the grader asks for it itself.",
                    "Drop the option, and set blocks to the number of GPUs.",
                )
