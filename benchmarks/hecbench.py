"""Programs of HeCBench on the simulated GPU: built by their own Makefiles, run to their own PASS, no finding.

    git clone https://github.com/zjin-lcf/HeCBench ~/HeCBench
    python -m benchmarks.hecbench ~/HeCBench --record hecbench

The candidates are the CUDA programs whose sources print PASS; a seed chooses among them. The checkout is
only read. Each program runs with the arguments in `hecbench.toml`, or else with those of its `make run`.

A program that takes too long in the checked build gets a second try with the same limits, in two parts: the
fast build has to print its PASS, and a sampled run of the checked build has to end without a finding. The
record names its build `fast` and says which share of the blocks of its kernels was checked. What exceeds the
limit there, too, runs once more in the fast build with the limit `--patience`, for its own PASS alone.

A column of its own says where a program came to its own PASS, whatever was found in it: a program with a true
finding has failed and may pass its own test. The rows that a run does not replace stay in the record: each
names the commit of the simulator that it comes from.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import sys
import tomllib
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchmarks import record
from benchmarks.checkouts import Ended, commit_of, in_scratch, run_limited, write_log
from cusimt.programs.program import prepare
from cusimt.programs.schedules import SAMPLE_VARIABLE

_SOURCES = frozenset({".c", ".cc", ".cpp", ".cu", ".cuh", ".h", ".hpp"})
_SUFFIX = "-cuda"
_BUILD_LIMIT, _RUN_LIMIT = 300, 60  # seconds of processor time
_SAMPLE = 64  # blocks of a launch
# What runs a command; the environment of this process is that of the checked build.
_CHECKED, _FAST = (), (sys.executable, "-m", "cusimt", "--no-checks", "--")
_CHECKED_BUILD, _NEVER = "checked build", "no"  # where a program came to its own PASS
_PASSED, _FAILED = re.compile(r"\bPASS(ED)?\b"), re.compile(r"\bfail(ed|ure)?\b", re.IGNORECASE)


@dataclass(frozen=True)
class Result:
    """What became of a program: `verdict` is "passed", "failed", "unsupported", "limit" or "lacking".

    It is unsupported if it does not build; it is lacking if its data, or libraries beside CUDA's that it
    needs, are not there.
    """

    name: str
    runs: tuple[str, ...]  # the arguments of each
    verdict: str
    why: str
    seconds: float  # of processor time
    build: str = "checked"  # or "fast": what its verdict comes from
    own: str = _NEVER  # where it came to its own PASS, whatever was found in it
    simulator: str = field(default_factory=lambda: commit_of(record.REPOSITORY))  # its commit


@dataclass(frozen=True)
class Attempt:
    """A program built in `folder` and run there."""

    folder: Path
    within: tuple[str, ...]  # the words in front of each command
    program: str
    runs: tuple[str, ...]
    ended: list[Ended]  # the build, and the runs if that succeeded

    @property
    def verdict(self) -> tuple[str, str]:
        hidden = f"{self.folder.parent}/"
        return _verdict([replace(each, output=each.output.replace(hidden, "")) for each in self.ended])


def candidates(checkout: Path) -> list[str]:
    """The names of the CUDA programs that have a Makefile and judge their own result."""
    folders = (makefile.parent for makefile in checkout.glob(f"src/*{_SUFFIX}/Makefile"))
    return sorted(folder.name.removesuffix(_SUFFIX) for folder in folders if _prints_pass(folder))


def _prints_pass(folder: Path) -> bool:
    sources = (file for file in folder.rglob("*") if file.suffix in _SOURCES and file.is_file())
    return any("PASS" in source.read_text(errors="replace") for source in sources)


def run(
    name: str, checkout: Path, given: tuple[str, ...], scratch: Path, kept: Path | None, patience: float = 0
) -> Result:
    """Build and run the program `name` in `scratch`; its output goes into the folder `kept`, if there is one.

    `given` are the arguments of its runs; without any, those of its `make run`. With `patience`, runs that
    exceed the limit in the fast build are repeated there with so many seconds of processor time.
    """
    checked = _attempt(name, checkout, given, scratch / "checked", _CHECKED)
    ended, build, (verdict, why) = list(checked.ended), "checked", checked.verdict
    own = _CHECKED_BUILD if _own_pass(ended[1:]) else _NEVER
    if any(each.status is None for each in ended[1:]):
        fast = _attempt(name, checkout, given, scratch / "fast", _FAST)
        patient = _runs(fast, limit=patience) if patience and fast.verdict[0] == "limit" else []
        own = _in_the_fast_build(patient or fast.ended[1:])
        ended += [*fast.ended, *patient]
        if verdict == "limit":  # nothing was found
            sampled = _runs(checked, {SAMPLE_VARIABLE: str(_SAMPLE)}) if fast.verdict[0] == "passed" else []
            ended, build = [*ended, *sampled], "fast"
            verdict, why = _second_verdict(fast.verdict, sampled)
    if kept:
        write_log(ended, kept / f"{name}.txt")
    return Result(name, checked.runs, verdict, why, sum(each.seconds for each in ended), build, own)


def _attempt(
    name: str, checkout: Path, given: tuple[str, ...], scratch: Path, within: tuple[str, ...]
) -> Attempt:
    scratch.mkdir()
    folder = _copy(name, checkout, scratch)
    built = run_limited([*within, "make"], folder, _BUILD_LIMIT)
    if not built.succeeded:
        return Attempt(folder, within, "", given, [built])
    dry = run_limited(["make", "-n", "run"], folder, _BUILD_LIMIT).output.splitlines()
    own = [line.split(maxsplit=1) for line in dry if line.startswith("./")]
    program = own[0][0] if own else "./main"
    runs = given or tuple(" ".join(words[1:]) for words in own)
    attempt = Attempt(folder, within, program, runs, [])
    return replace(attempt, ended=[built, *_runs(attempt)])


def _runs(
    attempt: Attempt, variables: dict[str, str] | None = None, limit: float | None = None
) -> list[Ended]:
    commands = ([*attempt.within, "bash", "-c", f"{attempt.program} {each}"] for each in attempt.runs)
    return [run_limited(each, attempt.folder, limit or _RUN_LIMIT, variables) for each in commands]


def _copy(name: str, checkout: Path, scratch: Path) -> Path:
    """The program's folder, with its neighbours where its Makefile and its arguments look for them."""
    folder = f"{name}{_SUFFIX}"
    for each in (checkout / "src").iterdir():
        if each.name != folder:
            (scratch / each.name).symlink_to(each)
    shutil.copytree(checkout / "src" / folder, scratch / folder)
    return scratch / folder


def _verdict(ended: list[Ended]) -> tuple[str, str]:
    build, *runs = ended
    if kinds := _kinds(runs):
        return "failed", f"findings: {kinds}"
    if stopped := [each.stopped for each in ended if each.status is None]:
        return "limit", f"more than {stopped[0]}"
    if not build.succeeded:
        return "unsupported", _first_error(build.output)
    for each in runs:
        if each.status or _FAILED.search(each.output):
            return "failed", _first_error(each.output)
    return ("passed", "") if _own_pass(runs) else ("failed", "it does not print PASS")


def _own_pass(runs: list[Ended]) -> bool:
    """Whether every one of `runs` succeeded by the program's own judgement."""
    succeeded = (
        each.succeeded and _PASSED.search(each.output) and not _FAILED.search(each.output) for each in runs
    )
    return bool(runs) and all(succeeded)


def _in_the_fast_build(runs: list[Ended]) -> str:
    """Whether `runs` of the fast build came to the program's own PASS, and in how many seconds."""
    if _own_pass(runs):
        return f"fast build, {sum(each.seconds for each in runs):.0f} s"
    stopped = [each.stopped for each in runs if each.status is None]
    return f"not within {stopped[0]}" if stopped else _NEVER


def _second_verdict(fast: tuple[str, str], sampled: list[Ended]) -> tuple[str, str]:
    """Of a program too long for the checked build: by the fast one's verdict and the sampled checked runs."""
    verdict, why = fast
    if verdict == "limit":
        return "limit", f"{why} in the fast build, too"
    if verdict != "passed":
        return verdict, why
    if kinds := _kinds(sampled):
        return "failed", f"findings in a sampled run: {kinds}"
    if stopped := [each.stopped for each in sampled if each.status is None]:
        return "limit", f"passes in the fast build; more than {stopped[0]} in a sampled run"
    ran, whole = (sum(counts) for counts in zip(*(each.blocks for each in sampled), strict=True))
    share = f"{ran} of {whole} blocks" if whole else "all blocks"
    return "passed", f"checked in a sampled run: {share}"


def _kinds(runs: list[Ended]) -> str:
    return ", ".join(sorted(frozenset[str]().union(*(each.kinds for each in runs))))


def _first_error(output: str) -> str:
    lines = output.splitlines()
    wrong = [line for line in lines if re.search(r"error|fail|cannot", line, re.IGNORECASE)] or lines[-1:]
    return wrong[0].strip()[:100].replace("|", "/") if wrong else "no output"


_VERDICTS = ("passed", "failed", "unsupported", "limit", "lacking")
_HEADER = ("program", "arguments", "result", "build", "seconds", "own PASS", "cusimt", "reason")
Row = tuple[str, ...]  # what a record says of a program, in the order of _HEADER


def row(result: Result, known: dict[str, dict[str, str]]) -> Row:
    about = known.get(result.name, {})
    if result.verdict != "passed" and "lacks" in about:
        result = replace(result, verdict="lacking", why=about["lacks"])
    remark = about.get("remark", "") if result.verdict != "passed" else ""
    reason = ": ".join(filter(None, (result.why, remark)))
    own = "-" if result.verdict == "lacking" else result.own
    ends = (result.build, f"{result.seconds:.0f}", own, result.simulator, reason)
    return (result.name, "; ".join(result.runs) or "-", result.verdict, *ends)


def recorded(text: str) -> list[Row]:
    """The rows of a record."""
    lines = (line.strip("|").split("|") for line in text.splitlines() if line[:1] == "|")
    rows = [tuple(cell.strip() for cell in cells) for cells in lines]
    return [each for each in rows if len(each) == len(_HEADER) and each[2] in _VERDICTS]


def merged(old: list[Row], new: list[Row], chosen: list[str]) -> list[Row]:
    """The rows of the `chosen` programs, the `new` ones instead of `old` ones."""
    rows = {each[0]: each for each in (*old, *new)}
    return [rows[name] for name in chosen if name in rows]


def summary(rows: list[Row], chosen: str) -> str:
    """The counts, and a row for each program."""
    count = Counter(each[2] for each in rows)
    fast = sum(each[2] == "passed" and each[3] == "fast" for each in rows)
    counted = max(len(rows) - count["lacking"], 1)
    own = sum("build" in each[5] for each in rows)
    passes = (count["passed"] - fast, count["passed"], own)
    shares = (f"{100 * passed / counted:.1f} %" for passed in passes)
    counts = (len(rows), *(count[verdict] for verdict in _VERDICTS), fast, *shares)
    share = "of those that lack nothing"
    passed = (f"{word}, {share}" for word in ("passed checked", "passed", "own PASS"))
    header = ("programs", *_VERDICTS, "passed fast", *passed)
    return f"{chosen}\n\n{record.table(header, [counts])}\n\n{record.table(_HEADER, rows)}"


def main() -> None:
    parser = record.arguments(__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--seed", type=int, default=16)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--only", default="", help="of those, the programs whose names match this pattern")
    parser.add_argument("--keep", type=Path, help="write the output of each program into this folder")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--patience", type=float, default=0, help="seconds of processor time; see above")
    options = parser.parse_args()
    checkout = options.checkout.resolve()
    names = candidates(checkout)
    if len(names) < options.count:
        sys.exit(f"{options.checkout} has {len(names)} programs that print PASS, fewer than {options.count}")
    chosen = sorted(random.Random(options.seed).sample(names, options.count))
    known = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
    prepare(checked=True)
    how = (
        f"{options.count} of {len(names)} programs that print PASS, chosen with the seed {options.seed}; "
        f"HeCBench at {commit_of(checkout)}. {_BUILD_LIMIT} s for a build, {_RUN_LIMIT} s for a run, of "
        "processor time. What exceeds that in the checked build is tried again: the fast build for values, "
        f"and the checked one, with {_SAMPLE} blocks of each launch, for findings. `own PASS` says in which "
        "build a program came to its own PASS, whatever was found in it. `cusimt` is the commit of this "
        "repository with which a row was made."
    )
    results = in_scratch(
        lambda name, scratch: run(
            name,
            checkout,
            tuple(known.get(name, {}).get("runs", ())),
            scratch,
            options.keep,
            options.patience,
        ),
        [name for name in chosen if re.search(options.only, name)],
        options.jobs,
    )
    former = record.RESULTS / f"{options.record}.md"
    old = recorded(former.read_text()) if options.record and former.exists() else []
    rows = merged(old, [row(each, known) for each in results], chosen)
    record.report("HeCBench on the simulated GPU", summary(rows, how), options.record)


if __name__ == "__main__":
    main()
