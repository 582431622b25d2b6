"""A driver as `grader batch --cluster` is one, with grades that cost a moment: it is there to be killed.

Usage: driver.py CLUSTER_TOML COURSE SUBMISSIONS RESULTS BACKEND
"""

from __future__ import annotations

import sys
from pathlib import Path

from grader.build.request import Backend
from grader.catalog import Catalog
from grader.instruct.cluster import read_cluster
from grader.instruct.cluster.driving import drive
from grader.instruct.cluster.tasks import Task
from grader.instruct.submissions import read_submissions
from tests.cluster import fakes


def main(cluster_toml: str, course: str, submissions: str, results: str, backend: Backend) -> int:
    """Grade everything; the exit code is the number of submissions that were lost."""
    catalog = Catalog.open(Path(course))
    tasks = [
        Task(each, catalog.find(each.exercise), Path(results), backend)
        for each in read_submissions(Path(submissions), catalog)
    ]
    lost = 0
    for ended in drive(tasks, read_cluster(Path(cluster_toml)), grade=fakes.grade, build=fakes.build):
        lost += ended.record is None
        if ended.lost:
            print(ended.lost, flush=True)
    return min(lost, 255)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))  # type: ignore[arg-type]
