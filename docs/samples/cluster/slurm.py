"""Blocks of Slurm: `grader class grade --cluster slurm.py`."""

from parsl.config import Config
from parsl.executors import HighThroughputExecutor
from parsl.launchers import SimpleLauncher
from parsl.providers import SlurmProvider

BLOCKS = SlurmProvider(
    partition="gpu",
    cores_per_node=8,
    mem_per_node=16,  # GB
    gres="gpu:1",  # for cuda
    exclusive=False,
    walltime="04:00:00",
    init_blocks=4,
    max_blocks=4,
    worker_init="source ~/cu2grad/.venv/bin/activate",
    launcher=SimpleLauncher(),
)
config = Config(
    executors=[
        HighThroughputExecutor(
            address="10.0.0.1",  # of this machine, as the nodes see it
            provider=BLOCKS,
            max_workers_per_node=1,  # a share uses all cores of its block
            encrypted=True,
        )
    ],
    retries=3,  # of a share that was lost with its block
)
