"""A Slurm job array that grades a class in chunks; it needs nothing but sbatch.

Each of its jobs is a `grader batch` of some submissions. What one finds in the results folder it leaves
alone, so submitting the array again after a loss grades what is missing, and nothing twice.
"""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.instruct.batch import Item
from grader.instruct.cluster.executors import environment
from grader.instruct.cluster.settings import Blocks, Cluster
from grader.support.durable import make_private, write_atomically

_SCRIPT = """\
#!/bin/bash
#SBATCH --job-name=cu2grad
#SBATCH --array=0-{last}%{at_once}
#SBATCH --output={logs}/%A_%a.txt
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task={cpus}
#SBATCH --mem={memory}G
#SBATCH --time={walltime}
{options}
# {submissions} submissions, {chunk} in each job. Submit it again after a loss: what is graded stays as it is.
set -euo pipefail
{environment}
mapfile -t -s $((SLURM_ARRAY_TASK_ID * {chunk})) -n {chunk} names < {listed}
# Nothing is left past the end of the list; and without a name, the whole class would be graded.
(( ${{#names[@]}} )) || exit 0
exec {command} "${{names[@]/#/--only=}}"
"""


@dataclass(frozen=True)
class Batch:
    """The `grader batch` that every job runs: absolute folders, and the options as they are typed."""

    submissions: Path
    results: Path
    options: tuple[str, ...] = ()


def write_array(items: Sequence[Item], batch: Batch, cluster: Cluster, chunk: int) -> Path:
    """Write ``RESULTS/cluster/array.sh`` for ``items`` and the list that it reads; returns the script.

    A job has a GPU where anything is to be graded on cuda. The list is named by what is in it: jobs that wait
    have the script of their own time, and take their slices from the list that it was written with.
    """
    folder = batch.results / "cluster"
    logs = folder / "array"
    make_private(logs)
    folder.chmod(0o700)
    names = "".join(f"{item.exercise.slug}/{item.submission.student}\n" for item in items)
    listed = folder / f"array-{hashlib.sha256(names.encode()).hexdigest()[:12]}.txt"
    write_atomically(listed, names)
    timed = any(item.backend == "cuda" for item in items)
    blocks = cluster.gpu if timed and cluster.gpu else cluster.cpu
    words = [cluster.python, "-m", "grader", "batch", str(batch.submissions), "--results", str(batch.results)]
    words += ["--plain", "--jobs", str(cluster.cpu.workers), *batch.options]
    script = folder / "array.sh"
    script.write_text(
        _SCRIPT.format(
            last=-(-len(items) // chunk) - 1,
            at_once=blocks.blocks,
            logs=logs,
            cpus=cluster.cpu.workers,
            memory=blocks.memory_gb,
            walltime=blocks.walltime,
            options=_options(blocks, timed),
            submissions=len(items),
            chunk=chunk,
            environment=environment(cluster),
            listed=shlex.quote(str(listed)),
            command=shlex.join(words),
        )
    )
    return script


def _options(blocks: Blocks, timed: bool) -> str:
    options = [f"--partition={blocks.partition}"] if blocks.partition else []
    options += ["--gres=gpu:1"] if timed else []
    return "".join(f"#SBATCH {option}\n" for option in (*options, *blocks.options)).rstrip("\n")
