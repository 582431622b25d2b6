"""A driver as `class grade --cluster` is one, with grades that cost a moment: it is there to be killed.

Usage: driver.py CLUSTER_TOML COURSE SUBMISSIONS RESULTS BACKEND
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from grader.course.catalog import Catalog
from grader.instruct.batch import Ended, Item, items_of, run_batch
from grader.instruct.cluster import read_cluster
from grader.instruct.cluster.dispatch import grade_on, items_on
from grader.instruct.cluster.remote_tasks import Terms
from grader.instruct.results import ResultStore
from grader.instruct.submissions import read_submissions
from grader.support.backends import Backend
from tests.cluster import fakes, judging


class Silent:
    """Nobody watches."""

    def begin(self, left: Sequence[Item], found: int, same: int = 0) -> None:
        print(f"{len(left)} left, {found} found", flush=True)

    def ended(self, ended: Ended) -> None:
        """It shows in the store."""


def main(cluster_toml: str, course: str, submissions: str, results: str, backend: Backend) -> int:
    """Grade everything; the exit code is 1 when something was lost."""
    os.environ[fakes.RESULTS] = results
    catalog = Catalog.open(Path(course))
    cluster = read_cluster(Path(cluster_toml))
    handed_in = read_submissions(Path(submissions), catalog)
    items = items_on(items_of(handed_in, catalog, lambda exercise: backend), cluster)
    device = fakes.MODEL if backend == "cuda" else ""
    terms = Terms(Path(course), Path(results), isolate=False, device=device, judge=judging.judge)
    store = ResultStore(Path(results))
    outcome = run_batch(items, store, lambda left: grade_on(left, cluster, terms), Silent())
    for sentence in outcome.failed.values():
        print(sentence)
    return int(bool(outcome.failed))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))  # type: ignore[arg-type]
