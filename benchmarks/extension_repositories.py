"""PyTorch extensions of other people on the simulated GPU, judged by their own tests.

    mkdir ~/extensions && cd ~/extensions && git clone https://github.com/1ytic/warp-rnnt    # and others
    python -m benchmarks.extension_repositories ~/extensions --record extension_repositories

`extension_repositories.toml` says which repositories there are, at which commits, how each is built and
tested, and why where that differs from what its authors do. Checkouts are only read: each repository is
copied, and built and installed into an environment of its own that also has the packages of this one. Those
without a checkout are left out. A test is what pytest counts as one, or else one program. The rows that
a run does not replace stay in the record: each names the commit of the simulator that it comes from.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import site
import sys
import tomllib
import venv
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from benchmarks import record
from benchmarks.checkouts import MEMORY_LIMIT, Ended, commit_of, in_scratch, run_limited, write_log
from cusimt.programs.program import prepare

_BUILD_LIMIT, _TEST_LIMIT = 1800, 600  # seconds of processor time: for a build, for each command of tests
_BUILD = "python setup.py -q build_ext --inplace"


@dataclass(frozen=True)
class Extension:
    """A repository: where its tests run, and how."""

    repository: str  # OWNER/NAME
    commit: str
    tests: tuple[str, ...]  # commands
    build: str = _BUILD
    folder: str = "."  # in which all commands run
    needs: tuple[str, ...] = ()  # packages
    deviation: str = ""  # from what its authors do, and why
    remark: str = ""  # on tests that fail

    @property
    def name(self) -> str:
        return self.repository.partition("/")[2]


@dataclass(frozen=True)
class Result:
    """How the tests of a repository ended: `counts` has "passed", "failed" and "skipped"."""

    extension: Extension
    seconds: float
    counts: Counter[str] = field(default_factory=Counter)
    kinds: frozenset[str] = frozenset()
    failure: str = ""  # why no test ran
    stopped: int = 0  # commands of tests that reached the limit
    simulator: str = field(default_factory=lambda: commit_of(record.REPOSITORY))  # its commit

    def save(self, folder: Path) -> None:
        plain = asdict(replace(self, counts=Counter())) | {"kinds": sorted(self.kinds), "counts": self.counts}
        (folder / f"{self.extension.name}.json").write_text(json.dumps(plain))


def saved(extension: Extension, folder: Path) -> Result | None:
    """What an earlier run left in `folder`, unless the list now says something else of the repository."""
    file = folder / f"{extension.name}.json"
    if not file.exists():
        return None
    values = json.loads(file.read_text())
    if values.pop("extension") != json.loads(json.dumps(asdict(extension))):
        return None
    kinds, counts = frozenset(values.pop("kinds")), Counter[str](values.pop("counts"))
    return Result(extension, kinds=kinds, counts=counts, **values)


def extensions() -> list[Extension]:
    """Those that `extension_repositories.toml` lists."""
    listed = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())["extension"]
    lists = ("tests", "needs")
    return [
        Extension(**{key: tuple(value) if key in lists else value for key, value in each.items()})
        for each in listed
    ]


def run(extension: Extension, checkouts: Path, scratch: Path, kept: Path | None) -> Result:
    """Build and test a copy of `extension` in `scratch`.

    What is printed goes into the folder `kept`, if there is one, and so does the result, which is taken from
    there if an earlier run left it.
    """
    if kept and (earlier := saved(extension, kept)):
        return earlier
    copy = scratch / extension.name
    # Without --no-checkout, a clone fails where the checkout lacks a file that git lists.
    clone = f"git clone -q --shared --no-checkout {checkouts / extension.name} {copy}"
    clone += f" && git -C {copy} checkout -q {extension.commit}"
    environment = _environment(scratch / "environment")
    ended = [run_limited(["bash", "-c", clone], scratch, _BUILD_LIMIT)]
    folder = copy / extension.folder
    install = f"python -m pip install -q {shlex.join(extension.needs)}" if extension.needs else ""
    for command in filter(None, (install, extension.build)):
        if ended[-1].succeeded:
            ended.append(run_limited(["bash", "-c", command], folder, _BUILD_LIMIT, environment))
    steps, counts = len(ended), Counter[str]()
    if ended[-1].succeeded:
        for number, command in enumerate(extension.tests):
            junit = scratch / f"{number}.xml"
            reported = re.sub(r"\bpytest\b", f"pytest --junitxml={junit}", command)
            ended.append(run_limited(["bash", "-c", reported], folder, _TEST_LIMIT, environment))
            counts.update(_counts(junit) or ["passed" if ended[-1].succeeded else "failed"])
    failure = "" if counts else _why(ended[-1]).replace(f"{scratch}/", "")
    kinds = frozenset[str]().union(*(each.kinds for each in ended[steps:]))
    stopped = sum(each.status is None for each in ended[steps:])
    result = Result(extension, sum(each.seconds for each in ended), counts, kinds, failure, stopped)
    if kept:
        write_log(ended, kept / f"{extension.name}.txt")
        result.save(kept)
    return result


def _environment(folder: Path) -> dict[str, str]:
    """Make an environment in `folder` that has this one's packages, too; the variables that select it."""
    venv.create(folder, symlinks=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    lines = (f"import site; site.addsitedir({each!r})" for each in site.getsitepackages())
    (packages / "packages_of_the_caller.pth").write_text("\n".join(lines))
    path = os.pathsep.join([str(folder / "bin"), os.environ["PATH"]])
    return {"PATH": path, "VIRTUAL_ENV": str(folder), "FORCE_CUDA": "1", "MAX_JOBS": "1"}


def _counts(junit: Path) -> list[str]:
    """How each test ended, by pytest's report; empty without one."""
    if not junit.exists():
        return []
    cases = ElementTree.parse(junit).iter("testcase")
    return [_ending({child.tag for child in case}) for case in cases]


def _ending(tags: set[str]) -> str:
    if tags & {"failure", "error"}:
        return "failed"
    return "skipped" if "skipped" in tags else "passed"


def _why(ended: Ended) -> str:
    if ended.status is None:
        return f"more than {ended.stopped}."
    wrong = [line for line in ended.output.splitlines() if re.search(r"error", line, re.IGNORECASE)]
    first = re.sub(r"\S*/site-packages/", "", (wrong or ["no output"])[0])  # where that is says nothing
    return first.strip()[:200].replace("|", "/")


@dataclass(frozen=True)
class Row:
    """What a record says of a repository, as it is written there."""

    cells: tuple[str, ...]
    note: str

    @property
    def name(self) -> str:
        return self.cells[0].partition("/")[2]

    @property
    def counts(self) -> list[int] | None:
        """Passed, failed and skipped tests; None if none ran."""
        return None if "-" in self.cells[2:5] else [int(cell) for cell in self.cells[2:5]]

    @classmethod
    def of(cls, result: Result) -> Row:
        count, extension = result.counts, result.extension
        counts = (
            ["-"] * 3 if result.failure else [str(count[each]) for each in ("passed", "failed", "skipped")]
        )
        kinds = ", ".join(sorted(result.kinds)) or "-"
        ends = (kinds, f"{result.seconds:.0f}", result.simulator)
        return cls((extension.repository, extension.commit[:12], *counts, *ends), " ".join(_note(result)))


_HEADER = ("repository", "commit", "passed", "failed", "skipped", "findings", "seconds", "cusimt")


def _note(result: Result) -> Iterator[str]:
    """What is said of `result` besides its figures."""
    extension, counts = result.extension, result.counts
    yield from filter(None, (result.failure, extension.deviation))
    if result.stopped:
        yield f"{result.stopped} of its commands took more than {_TEST_LIMIT} s or {MEMORY_LIMIT} GiB."
    if extension.remark and (result.failure or counts["failed"] or result.kinds):
        yield extension.remark


def recorded(text: str) -> list[Row]:
    """The rows of a record."""
    lines = text.splitlines()
    cells = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines if line[:1] == "|"]
    notes = dict(line[2:].split(": ", 1) for line in lines if line.startswith("- ") and ": " in line)
    rows = [row for row in cells if len(row) == len(_HEADER) and "/" in row[0]]
    return [Row(row, notes.get(row[0].partition("/")[2], "")) for row in rows]


def merged(old: list[Row], new: list[Row]) -> list[Row]:
    """The rows of listed repositories, the `new` ones instead of `old` ones, in the order of the list."""
    rows = {each.name: each for each in (*old, *new)}
    return [rows[each.name] for each in extensions() if each.name in rows]


def summary(rows: list[Row]) -> str:
    """The counts, the rows, and what differs from the authors' way of running their tests."""
    ran = [each.counts for each in rows if each.counts]
    passed, failed, skipped = (sum(each) for each in zip(*ran, strict=True)) if ran else (0, 0, 0)
    most = 99.9 if failed else 100  # no rounding hides a failure
    share = f"{min(100 * passed / (passed + failed), most):.1f} %" if passed + failed else "-"
    mostly = sum(each[0] >= 0.9 * (each[0] + each[1]) > 0 for each in ran)
    totals = record.table(
        ("repositories", "built", "90 % passed", "passed", "failed", "skipped", "share"),
        [(len(rows), len(ran), mostly, passed, failed, skipped, share)],
    )
    notes = "\n".join(f"- {each.name}: {each.note}" for each in rows if each.note)
    return f"{totals}\n\n{record.table(_HEADER, [each.cells for each in rows])}\n\n{notes}"


def main() -> None:
    parser = record.arguments(__doc__)
    parser.add_argument("checkouts", type=Path, help="the folder that holds the checkouts, by name")
    parser.add_argument("--only", default="", help="repositories whose names match this pattern")
    parser.add_argument(
        "--keep", type=Path, help="write into this folder what each prints, and go on from there"
    )
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    checkouts = options.checkouts.resolve()
    chosen = [each for each in extensions() if re.search(options.only, each.name)]
    present = [each for each in chosen if (checkouts / each.name).is_dir()]
    if not present:
        sys.exit(f"{checkouts} has no checkout of a repository in extension_repositories.toml")
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
    prepare(checked=True)
    results = in_scratch(
        lambda extension, scratch: run(extension, checkouts, scratch, options.keep), present, options.jobs
    )
    how = (
        f"Checked build; {_BUILD_LIMIT} s for a build, {_TEST_LIMIT} s for each command of tests. All "
        "seconds are of processor time. `cusimt` is the commit of this repository with which a row was made."
    )
    former = record.RESULTS / f"{options.record}.md"
    old = recorded(former.read_text()) if options.record and former.exists() else []
    text = f"{how}\n\n{summary(merged(old, [Row.of(each) for each in results]))}"
    record.report("PyTorch extensions on the simulated GPU", text, options.record)


if __name__ == "__main__":
    main()
