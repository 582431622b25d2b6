"""Grades the catalogue of attacks and prints what became of each.

    python -m tests.adversarial --backend simt
    python -m tests.adversarial --backend cuda speed host_work --json attacks.json

Exits with 1 if an attack got through: if it earned more than its folder allows, or if the check that the
folder names did not refuse it in the words that the folder has.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

from cusimt.triton import lacking
from grader.support.errors import ExplainedError, UsageError
from tests.adversarial.catalogue import BACKENDS, Attack, attacks
from tests.adversarial.running import Row, grade_all


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        chosen = _chosen(options.names, options.backend)
    except ExplainedError as error:
        print(error, file=sys.stderr)
        return 2
    if lacking() and (left := [each for each in chosen if each.exercise.has_python_kernels]):
        print(f"{lacking()} So {len(left)} attacks by kernels in Triton are left out.", file=sys.stderr)
        chosen = [each for each in chosen if each not in left]
    begun = time.perf_counter()
    rows = grade_all(chosen, options.backend, options.jobs)
    _show(rows, Console(), time.perf_counter() - begun)
    if options.json:
        document = {"backend": options.backend, "attacks": [asdict(row) for row in rows]}
        options.json.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    return int(any(row.objection for row in rows))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m tests.adversarial", description="Grade the catalogue of attacks."
    )
    parser.add_argument("names", nargs="*", metavar="CLASS", help="a class, or CLASS/NAME; all without one")
    parser.add_argument("--backend", choices=BACKENDS, default="simt")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at the same time")
    parser.add_argument("--json", type=Path, help="write the results to this file, too")
    return parser


def _chosen(names: Sequence[str], backend: str) -> list[Attack]:
    every = attacks()
    known = {attack.group for attack in every} | {attack.name for attack in every}
    unknown = sorted(set(names) - known)
    if unknown:
        classes = ", ".join(sorted({attack.group for attack in every}))
        raise UsageError(f"There is no class {unknown[0]!r}.", f"The classes are {classes}.")
    wanted = [each for each in every if not names or each.group in names or each.name in names]
    return [attack for attack in wanted if backend in attack.backends]


def _show(rows: Sequence[Row], console: Console, seconds: float) -> None:
    table = Table("class", "attack", "refused by", "points", "seconds", box=None)
    for row in rows:
        group, name = row.attack.split("/")
        marked = f"[bold red]{row.refused_by or 'nothing'}[/]" if row.objection else row.refused_by
        table.add_row(group, name, marked, f"{row.points:g}", f"{row.seconds:.1f}")
    console.print(table)
    through = [row for row in rows if row.objection]
    for row in through:
        console.print(f"{row.attack}: {row.objection}", markup=False, highlight=False)
    held = len(rows) - len(through)
    console.print(f"{held} of {len(rows)} attacks were held, in {seconds:.0f} s.")


if __name__ == "__main__":
    sys.exit(main())
