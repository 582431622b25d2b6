"""Programs of HeCBench on the simulated GPU: built by their own Makefiles, run to their own PASS, no finding.

    git clone https://github.com/zjin-lcf/HeCBench ~/HeCBench
    python -m benchmarks.hecbench ~/HeCBench --record hecbench

The candidates are the CUDA programs whose sources print PASS; a seed chooses among them. The checkout is
only read. Each program runs with the arguments in `hecbench.toml`, or else with those of its `make run`.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import sys
import time
import tomllib
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks import record
from benchmarks.checkouts import Ended, commit_of, in_scratch, run_limited, write_log
from cusimt.programs.program import prepare

_SOURCES = frozenset({".c", ".cc", ".cpp", ".cu", ".cuh", ".h", ".hpp"})
_SUFFIX = "-cuda"
_BUILD_LIMIT, _RUN_LIMIT = 300, 60  # seconds of processor time
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


def candidates(checkout: Path) -> list[str]:
    """The names of the CUDA programs that have a Makefile and judge their own result."""
    folders = (makefile.parent for makefile in checkout.glob(f"src/*{_SUFFIX}/Makefile"))
    return sorted(folder.name.removesuffix(_SUFFIX) for folder in folders if _prints_pass(folder))


def _prints_pass(folder: Path) -> bool:
    sources = (file for file in folder.rglob("*") if file.suffix in _SOURCES and file.is_file())
    return any("PASS" in source.read_text(errors="replace") for source in sources)


def run(name: str, checkout: Path, given: tuple[str, ...], scratch: Path, kept: Path | None) -> Result:
    """Build and run the program `name` in `scratch`; its output goes into the folder `kept`, if there is one.

    `given` are the arguments of its runs; without any, those of its `make run`.
    """
    folder = _copy(name, checkout, scratch)
    ended = [run_limited(["make"], folder, _BUILD_LIMIT)]
    runs = given
    if ended[0].succeeded:
        dry = run_limited(["make", "-n", "run"], folder, _BUILD_LIMIT).output.splitlines()
        own = [line.split(maxsplit=1) for line in dry if line.startswith("./")]
        program = own[0][0] if own else "./main"
        runs = given or tuple(" ".join(words[1:]) for words in own)
        ended += [run_limited(["bash", "-c", f"{program} {each}"], folder, _RUN_LIMIT) for each in runs]
    if kept:
        write_log(ended, kept / f"{name}.txt")
    verdict, why = _verdict([replace(each, output=each.output.replace(f"{scratch}/", "")) for each in ended])
    return Result(name, runs, verdict, why, sum(each.seconds for each in ended))


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
    if any(each.status is None for each in ended):
        return "limit", f"more than {_RUN_LIMIT} s"
    if not build.succeeded:
        return "unsupported", _first_error(build.output)
    for each in runs:
        if each.kinds:
            return "failed", f"findings: {', '.join(sorted(each.kinds))}"
        if each.status or _FAILED.search(each.output):
            return "failed", _first_error(each.output)
    if not runs or not all(_PASSED.search(each.output) for each in runs):
        return "failed", "it does not print PASS"
    return "passed", ""


def _first_error(output: str) -> str:
    lines = output.splitlines()
    wrong = [line for line in lines if re.search(r"error|fail|cannot", line, re.IGNORECASE)] or lines[-1:]
    return wrong[0].strip()[:100].replace("|", "/") if wrong else "no output"


def summary(results: list[Result], known: dict[str, dict[str, str]], chosen: str, seconds: float) -> str:
    """The counts, and a row for each program."""
    results = [
        replace(each, verdict="lacking", why=known[each.name]["lacks"])
        if each.verdict != "passed" and "lacks" in known.get(each.name, {})
        else each
        for each in results
    ]
    count = Counter(each.verdict for each in results)
    share = f"{100 * count['passed'] / max(len(results) - count['lacking'], 1):.1f} %"
    verdicts = ("passed", "failed", "unsupported", "limit", "lacking")
    counts = (len(results), *(count[verdict] for verdict in verdicts), share)
    totals = record.table(("programs", *verdicts, "passed of those that lack nothing"), [counts])
    rows = [
        (each.name, "; ".join(each.runs) or "-", each.verdict, f"{each.seconds:.0f}", _reason(each, known))
        for each in results
    ]
    programs = record.table(("program", "arguments", "result", "seconds", "reason"), rows)
    return f"{chosen}\n\n{totals}\n\n{programs}\n\n{seconds:.0f} seconds."


def _reason(result: Result, known: dict[str, dict[str, str]]) -> str:
    remark = known.get(result.name, {}).get("remark", "") if result.verdict != "passed" else ""
    return ": ".join(filter(None, (result.why, remark)))


def main() -> None:
    parser = record.arguments(__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--seed", type=int, default=16)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--only", default="", help="of those, the programs whose names match this pattern")
    parser.add_argument("--keep", type=Path, help="write the output of each program into this folder")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
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
        f"checked build; {_BUILD_LIMIT} s for a build, {_RUN_LIMIT} s for a run, of processor time; "
        f"HeCBench at {commit_of(checkout)}, this repository at {commit_of(record.REPOSITORY)}."
    )
    begin = time.monotonic()
    results = in_scratch(
        lambda name, scratch: run(
            name, checkout, tuple(known.get(name, {}).get("runs", ())), scratch, options.keep
        ),
        [name for name in chosen if re.search(options.only, name)],
        options.jobs,
    )
    record.report(
        "HeCBench on the simulated GPU",
        summary(results, known, how, time.monotonic() - begin),
        options.record,
    )


if __name__ == "__main__":
    main()
