"""Grading beyond one machine: the same unit of work, carried by Parsl, or by a Slurm job array without it.

``settings`` reads cluster.toml; ``executors`` turns it into a Parsl configuration; ``dispatch`` sends one
task for each submission and survives what gets lost; ``array`` is the way without Parsl; ``pods`` renders
what Kubernetes starts. Parsl is imported where it is used.
"""

from grader.instruct.cluster.dispatch import grade_on, items_on
from grader.instruct.cluster.remote_tasks import Terms
from grader.instruct.cluster.settings import Blocks, Cluster, read_cluster

__all__ = ["Blocks", "Cluster", "Terms", "grade_on", "items_on", "read_cluster"]
