"""Public suites for race detectors, run on the simulated GPU: races found and missed, and false alarms.

    python -m benchmarks.race_suites scor ~/ScoR
    python -m benchmarks.race_suites indigo ~/HiRace-Artifact-SC24 --record race_suites_indigo

`suite_programs` says which suites there are and where to get them. The checkout is only read. A program
counts as found if any race is reported in it. A clean one with a race, or that is stopped as a deadlock, is
a false alarm. Unsupported is what does not compile, or ends in an error of its own. Programs run with
--strict, which only adds findings of a kind of their own, so that one run gives both rows of the table.
"""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from benchmarks import record
from benchmarks.checkouts import commit_of, in_scratch, run_limited
from benchmarks.suite_programs import SUITES, SuiteProgram
from cusimt.programs.program import prepare
from cusimt.programs.schedules import SCHEDULE_VARIABLE, STRICT_VARIABLE

RACES = frozenset({"race_global", "race_shared", "deadlock"})
_GUESS = "plain_guess"
_COMPILE_LIMIT, _RUN_LIMIT = 300, 120  # seconds of processor time


@dataclass(frozen=True)
class Outcome:
    """What became of a program: the kinds of its findings, or why there are none."""

    program: SuiteProgram
    kinds: frozenset[str]
    failure: str  # `"compile"`, `"hang"`, `"crash"` or `""`
    seconds: float  # of processor time

    def label(self, strict: bool) -> str:
        if self.failure == "hang":
            return "hang"
        if self.failure:
            return "unsupported"
        is_reported = bool(self.kinds & RACES) or (strict and _GUESS in self.kinds)
        if self.program.is_racy:
            return "TP" if is_reported else "FN"
        return "FP" if is_reported else "TN"


def run(program: SuiteProgram, folder: Path) -> Outcome:
    """Compile and run `program` in the empty `folder`."""
    executable = folder / "program"
    source = program.source
    if program.appended:
        source = folder / program.source.name
        source.write_text(program.source.read_text(errors="replace") + program.appended)
    include = f"-I{program.source.parent}"
    command = ["nvcc", *program.flags, include, "-o", str(executable), str(source)]
    built = run_limited(command, folder, _COMPILE_LIMIT)
    if not built.succeeded:
        return Outcome(program, frozenset(), "hang" if built.status is None else "compile", built.seconds)
    done = run_limited([str(executable), *program.arguments], folder, _RUN_LIMIT)
    seconds = built.seconds + done.seconds
    if done.status is None:
        return Outcome(program, frozenset(), "hang", seconds)
    failure = "crash" if done.status != 0 and not done.kinds else ""  # it was refused, or judges nothing
    return Outcome(program, done.kinds, failure, seconds)


def summary(name: str, outcomes: list[Outcome], seconds: float) -> str:
    """The table, and the programs that are not judged as their authors judge them."""
    rows = [_row(name, outcomes, strict) for strict in (False, True)]
    header = ("suite", "programs", "TP", "FN", "TN", "FP", "false alarms", "hangs", "unsupported")
    others = [each for each in outcomes if each.label(strict=True) not in ("TP", "TN")]
    why = [", ".join(sorted(each.kinds)) or each.failure or "-" for each in others]
    lines = [
        f"- {each.label(strict=True)}: {each.program.name} ({reason})"
        for each, reason in zip(others, why, strict=True)
    ]
    parts = [record.table(header, rows), "\n".join(lines), f"{seconds:.0f} seconds."]
    return "\n\n".join(filter(None, parts))


def _row(name: str, outcomes: list[Outcome], strict: bool) -> tuple[object, ...]:
    count = Counter(outcome.label(strict) for outcome in outcomes)
    clean = count["FP"] + count["TN"]
    rate = f"{100 * count['FP'] / clean:.1f} %" if clean else "-"
    title = f"{name} --strict" if strict else name
    return (title, len(outcomes), count["TP"], count["FN"], count["TN"], count["FP"], rate, count["hang"],
            count["unsupported"])  # fmt: skip


def main() -> None:
    parser = record.arguments(__doc__)
    parser.add_argument("suite", choices=sorted(SUITES))
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--schedule", default="forward", help="forward, reversed or seeded:N")
    parser.add_argument("--only", default="", help="programs whose name contains this")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    suite = SUITES[options.suite](options.checkout.resolve())
    programs = [each for each in suite if options.only in each.name]
    if not programs:
        sys.exit(f"{options.checkout} has no program of this suite: see benchmarks/suite_programs.py")
    os.environ.update({STRICT_VARIABLE: "1", SCHEDULE_VARIABLE: options.schedule})
    prepare(checked=True)
    begin = time.monotonic()
    outcomes = in_scratch(run, programs, options.jobs)
    text = summary(options.suite, outcomes, time.monotonic() - begin)
    how = f"Schedule {options.schedule}, {options.jobs} at a time"
    commits = f"suite at {commit_of(options.checkout)}, this repository at {commit_of(record.REPOSITORY)}"
    record.report(f"Races found: {options.suite}", f"{how}; {commits}.\n\n{text}", options.record)


if __name__ == "__main__":
    main()
