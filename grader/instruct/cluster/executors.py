"""From cluster.toml to a Parsl configuration: two executors, with settings that lose no grade.

``cpu`` runs builds, many at a time; on simt it runs everything. ``gpu`` runs what is timed, in blocks that
have one worker and one GPU.
"""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.instruct.cluster.settings import Blocks, Cluster
from grader.support.errors import InfrastructureError, UsageError
from grader.support.folders import IMPORT_FOLDERS

if TYPE_CHECKING:
    from parsl.config import Config
    from parsl.executors import HighThroughputExecutor
    from parsl.providers.base import ExecutionProvider

CPU, GPU = "cpu", "gpu"
RETRIES = 10  # of a task that was lost with its worker or its block; each loss costs 1
HEARTBEAT_SECONDS = 2
SILENCE_SECONDS = 10  # without a heartbeat, after which a block is lost, or a worker's driver is
IDLE_SECONDS = 120.0  # before a block without work is given back
_POOL = "grader.instruct.cluster.worker_pool"
_INTERCHANGE = "parsl.executors.high_throughput.interchange"
# The interchange dies with this process, however that ends. A Ctrl-C in the terminal it is not to see: Parsl
# would wait for ever for its answer while it gives the blocks back.
_LASTS = ("setsid", "setpriv", "--pdeathsig", "KILL")
_ANY_NUMBER = 0.01  # cores for each worker: the number of workers is ours to set, not Parsl's to count


def require_parsl() -> None:
    """Raises UsageError that names the extra, or the program, which is missing."""
    if importlib.util.find_spec("parsl") is None:
        raise UsageError(
            "Grading on a cluster needs Parsl, which is not installed.",
            "It comes with the extra `cluster`, and only this part of the grader uses it.",
            "Run: pip install cu2grad[cluster], or write a job array: grader cluster array",
        )
    if shutil.which("setpriv") is None:
        raise UsageError(
            "Grading on a cluster needs the program setpriv, which is not on PATH.",
            "Without it Parsl's interchange would outlive a grader that was killed, and keep its blocks.",
            "Install util-linux, or write a job array: grader cluster array",
        )


def configuration(cluster: Cluster, run_dir: Path, *, everything: int, timed: int) -> Config:
    """The configuration for so many submissions, of which ``timed`` go to GPUs; logs and keys in ``run_dir``.

    Raises UsageError where cluster.toml lacks what those need.
    """
    from parsl.config import Config

    executors = [_executor(CPU, cluster, cluster.cpu, everything)]
    if timed:
        if cluster.gpu is None:
            raise UsageError(
                f"cluster.toml has no [gpu] table, and {timed} submissions are to be graded on cuda.",
                "What is timed runs in blocks with one GPU each.",
                "Add one, as the handbook shows, or grade with --backend simt.",
            )
        executors.append(_executor(GPU, cluster, cluster.gpu, timed))
    return Config(
        executors=executors,
        retries=RETRIES,
        retry_handler=cost_of_retry,
        run_dir=str(run_dir),
        strategy="simple",
        strategy_period=1,
        max_idletime=IDLE_SECONDS,
        exit_mode="wait",
        usage_tracking=0,
    )


def cost_of_retry(error: Exception, task: object) -> float:
    """A worker or a block that got lost is worth another try; an error that the task raised is not."""
    from parsl.executors.high_throughput.errors import ManagerLost, WorkerLost

    return 1.0 if isinstance(error, (WorkerLost, ManagerLost)) else RETRIES + 1.0


def _executor(label: str, cluster: Cluster, blocks: Blocks, tasks: int) -> HighThroughputExecutor:
    from parsl.executors import HighThroughputExecutor
    from parsl.executors.high_throughput.executor import DEFAULT_LAUNCH_CMD
    from parsl.jobs.error_handlers import windowed_error_handler

    wanted = max(1, min(blocks.blocks, -(-tasks // blocks.workers)))
    python = shlex.quote(cluster.python)
    pool = f"exec {python} -m grader.instruct.cluster.supervisor {python} -m {_POOL}"
    return HighThroughputExecutor(
        label=label,
        address=cluster.address,
        provider=_provider(label, cluster, blocks, wanted),
        max_workers_per_node=wanted if _shares_gpus(label, cluster) else blocks.workers,
        # Only where one block of this machine serves all of its GPUs does Parsl hand them out. In a block
        # with one GPU it would overwrite what Slurm or Kubernetes chose, and every block would use GPU 0.
        available_accelerators=_gpus(wanted) if _shares_gpus(label, cluster) else (),
        cores_per_worker=_ANY_NUMBER,
        prefetch_capacity=0,  # a submission waits for a worker, and not behind another one
        heartbeat_period=HEARTBEAT_SECONDS,
        heartbeat_threshold=SILENCE_SECONDS,
        drain_period=_drain_seconds(blocks),
        # Gives up when the last three blocks failed, and not when as many failed as there were at the start.
        block_error_handler=windowed_error_handler,
        encrypted=True,
        launch_cmd=DEFAULT_LAUNCH_CMD.replace("process_worker_pool.py", pool, 1),
        interchange_launch_cmd=[*_LASTS, sys.executable, "-m", _INTERCHANGE],
    )


def _shares_gpus(label: str, cluster: Cluster) -> bool:
    return label == GPU and cluster.kind == "local"


def _gpus(wanted: int) -> list[str]:
    """The UUIDs of ``wanted`` of this machine's GPUs."""
    from grader.support.gpus import visible_gpus

    found = visible_gpus()
    if len(found) < wanted:
        raise InfrastructureError(
            f"cluster.toml asks for {wanted} GPUs, and this machine shows {len(found)}.",
            "On one machine each block of [gpu] is one of its own GPUs.",
            "Set blocks in [gpu] to that number, or run: grader doctor",
        )
    return [gpu.uuid for gpu in found[:wanted]]


def _drain_seconds(blocks: Blocks) -> int:
    """When a block stops taking work, so that its walltime does not cut a grading short."""
    return max(blocks.seconds // 2, blocks.seconds - 600)


def _provider(label: str, cluster: Cluster, blocks: Blocks, wanted: int) -> ExecutionProvider:
    shared: dict[str, Any] = {"worker_init": environment(cluster), "min_blocks": 0, "parallelism": 1}
    counts = {"init_blocks": wanted, "max_blocks": wanted}
    if cluster.kind == "slurm":
        from grader.instruct.cluster.slurm import slurm_provider

        return slurm_provider(blocks, label == GPU, **shared, **counts)
    if cluster.kind == "kubernetes":
        from grader.instruct.cluster.kubernetes import pod_provider

        return pod_provider(cluster, blocks, label == GPU, **shared, **counts)
    from parsl.launchers import SimpleLauncher
    from parsl.providers import LocalProvider

    if _shares_gpus(label, cluster):
        counts = {"init_blocks": 1, "max_blocks": 1}
    return LocalProvider(launcher=SimpleLauncher(), **shared, **counts)


def environment(cluster: Cluster) -> str:
    """The shell lines before a block's workers: the user's own, then where the grader is found."""
    lines = [cluster.setup] if cluster.setup else []
    if cluster.kind != "kubernetes":
        source = shlex.quote(os.pathsep.join(map(str, IMPORT_FOLDERS)))
        lines.append(f"export PYTHONPATH={source}${{PYTHONPATH:+:$PYTHONPATH}}")
    if cluster.architectures:
        lines.append(f"export TORCH_CUDA_ARCH_LIST={shlex.quote(cluster.architectures)}")
    lines.append("export OMP_NUM_THREADS=1")
    return "\n".join(lines)
