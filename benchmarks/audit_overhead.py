"""How much processor time of a grade is the audit's: the same grade with the audit and without it, in turns.

Each grade is a process of its own. Cold: every source has a comment that no other run has, so all of it is
compiled. Warm: everything is in the cache. Without the audit, nothing is read beforehand or afterwards:
neither text, nor compiled lines, nor symbols. So this is more than the audit's later layers cost beside
its first.

    .venv/bin/python benchmarks/audit_overhead.py 03 07 14 23 --rounds 5 --record audit_overhead_cpu
"""

from __future__ import annotations

import os
import secrets
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import record

from grader import checks
from grader.checks import build
from grader.course.catalog import Catalog, Exercise

AUDITS = ("audit_installed", "audit_library", "audit_python", "audit_sources", "audit_units")
SUFFIXES = (".cu", ".cpp", ".h", ".py")


HEADER = ("exercise", "cache", "without the audit, s", "with it, s", "difference")


def main() -> None:
    parser = record.arguments((__doc__ or "").splitlines()[0])
    parser.add_argument("exercises", nargs="+")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--one", choices=("cold", "warm"), help="grade once, for the parent that measures")
    parser.add_argument("--without", action="store_true")
    options = parser.parse_args()
    if options.one:
        grade(options.exercises[0], options.one == "cold", not options.without)
        return
    rows = [row(name, kind, options.rounds) for name in options.exercises for kind in ("cold", "warm")]
    text = f"{record.table(HEADER, rows)}\n\nProcessor time of a grade, medians of {options.rounds}; "
    text += "the difference is the median of those between neighbours."
    record.report("What the audit costs of a grade", text, options.record)


def row(name: str, kind: str, rounds: int) -> tuple[str, ...]:
    """One line of the table: medians of processor time, and of the differences between neighbours."""
    for audited in (True, False):  # the first may make what the others find
        seconds(name, kind, audited)
    pairs = []
    for number in range(rounds):
        order = (False, True) if number % 2 == 0 else (True, False)
        found = {audited: seconds(name, kind, audited) for audited in order}
        pairs.append((found[False], found[True]))
        print(name, kind, f"{found[False]:.2f} {found[True]:.2f}", file=sys.stderr, flush=True)
    without, with_it = (statistics.median(pair[at] for pair in pairs) for at in (0, 1))
    difference = statistics.median(100 * (b - a) / a for a, b in pairs)
    return name, kind, f"{without:.2f}", f"{with_it:.2f}", f"{difference:+.1f} %"


def seconds(name: str, kind: str, audited: bool) -> float:
    """Processor time of one grade and of all processes that it starts."""
    command = [sys.executable, __file__, name, "--one", kind, *([] if audited else ["--without"])]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as running:
        _, status, used = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
    if running.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {running.returncode}")
    return used.ru_utime + used.ru_stime


def grade(name: str, cold: bool, audited: bool) -> None:
    exercise = Catalog.open(record.REPOSITORY).find(name)
    if not audited:
        leave_out_the_audit()
    with tempfile.TemporaryDirectory(prefix="overhead-") as folder:
        place(exercise, Path(folder), secrets.token_hex(8) if cold else "")
        verdict = checks.grade(exercise, Path(folder), backend="simt", seed=1)
    if not verdict.passed:
        raise SystemExit(f"{name} did not pass")


def leave_out_the_audit() -> None:
    for each in AUDITS:
        setattr(build, each, lambda *arguments, **options: None)
    build.preprocess = lambda *arguments, **options: ([], [])


def place(exercise: Exercise, folder: Path, mark: str) -> None:
    """The solution's files, and in each that is compiled or run a comment of its own."""
    sources: Sequence[tuple[Sequence[str], Path]] = (
        (exercise.given, exercise.root),
        (exercise.edit, exercise.solution_dir),
    )
    for names, source in sources:
        for each in names:
            target = folder / each
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source / each, target)
            if mark and target.suffix in SUFFIXES and each in exercise.edit:
                comment = "#" if target.suffix == ".py" else "//"
                target.write_text(f"{target.read_text()}{comment} {mark}\n")


if __name__ == "__main__":
    main()
