"""Blocks as Slurm jobs."""

from __future__ import annotations

from typing import Any

from parsl.launchers import SimpleLauncher
from parsl.providers import SlurmProvider

from grader.instruct.cluster.settings import Blocks

POLL_SECONDS = 10


class PolledSlurmProvider(SlurmProvider):
    """Asks for the state of its jobs every 10 seconds: after Parsl's 60, a lost block idles for a minute."""

    @property
    def status_polling_interval(self) -> int:
        return POLL_SECONDS


def slurm_provider(blocks: Blocks, gpu: bool, **counts: Any) -> SlurmProvider:
    """One job for each block, on a part of one node; Slurm sets CUDA_VISIBLE_DEVICES in a GPU block."""
    return PolledSlurmProvider(
        partition=blocks.partition or None,
        nodes_per_block=1,
        cores_per_node=blocks.workers,
        mem_per_node=blocks.memory_gb,
        gres="gpu:1" if gpu else None,
        walltime=blocks.walltime,
        exclusive=False,  # a node has other GPUs, for other blocks
        scheduler_options="\n".join(f"#SBATCH {option}" for option in blocks.options),
        launcher=SimpleLauncher(),
        **counts,
    )
