"""PyTorch extensions of other people on the simulated GPU, judged by their own tests.

    mkdir ~/extensions && cd ~/extensions && git clone https://github.com/1ytic/warp-rnnt    # and others
    python -m benchmarks.extension_repositories ~/extensions --record extension_repositories

`extension_repositories.toml` says which repositories there are, at which commits, how each is built and
tested, and why where that differs from what its authors do. Checkouts are only read: each repository is
copied, and built and installed into an environment of its own that also has the packages of this one. Those
without a checkout are left out. A test is what pytest counts as one, or else one program.
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
from benchmarks.checkouts import Ended, commit_of, in_scratch, run_limited, write_log
from cusimt.programs.program import prepare

_LIMIT = 900  # seconds for a build, and for each command of tests
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
    clone = f"git clone -q --shared {checkouts / extension.name} {copy}"
    clone += f" && git -C {copy} checkout -q {extension.commit}"
    environment = _environment(scratch / "environment")
    ended = [run_limited(["bash", "-c", clone], scratch, _LIMIT)]
    folder = copy / extension.folder
    install = f"python -m pip install -q {shlex.join(extension.needs)}" if extension.needs else ""
    for command in filter(None, (install, extension.build)):
        if ended[-1].succeeded:
            ended.append(run_limited(["bash", "-c", command], folder, _LIMIT, environment))
    steps, counts = len(ended), Counter[str]()
    if ended[-1].succeeded:
        for number, command in enumerate(extension.tests):
            junit = scratch / f"{number}.xml"
            reported = re.sub(r"\bpytest\b", f"pytest --junitxml={junit}", command)
            ended.append(run_limited(["bash", "-c", reported], folder, _LIMIT, environment))
            counts.update(_counts(junit) or ["passed" if ended[-1].succeeded else "failed"])
    failure = "" if counts else _why(ended[-1]).replace(f"{scratch}/", "")
    kinds = frozenset[str]().union(*(each.kinds for each in ended[steps:]))
    result = Result(extension, sum(each.seconds for each in ended), counts, kinds, failure)
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
    return {"PATH": path, "VIRTUAL_ENV": str(folder), "FORCE_CUDA": "1", "MAX_JOBS": "2"}


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
        return f"more than {_LIMIT} s"
    wrong = [line for line in ended.output.splitlines() if re.search(r"error", line, re.IGNORECASE)]
    return (wrong or ["no output"])[0].strip()[:200].replace("|", "/")


def summary(results: list[Result]) -> str:
    """The counts, a row for each repository, and what differs from its authors' way of running its tests."""
    total = Counter[str]()
    for each in results:
        total.update(each.counts)
    judged = total["passed"] + total["failed"]
    built = sum(1 for each in results if not each.failure)
    share = f"{100 * total['passed'] / judged:.1f} %" if judged else "-"
    counts = (len(results), built, total["passed"], total["failed"], total["skipped"], share)
    totals = record.table(("repositories", "built", "passed", "failed", "skipped", "share"), [counts])
    header = ("repository", "commit", "passed", "failed", "skipped", "findings", "seconds")
    rows = record.table(header, [_row(each) for each in results])
    notes = "\n".join(_notes(results))
    return f"{totals}\n\n{rows}\n\n{notes}\n\n{sum(each.seconds for each in results):.0f} seconds."


def _row(result: Result) -> tuple[object, ...]:
    count = result.counts
    counts = [count["passed"], count["failed"], count["skipped"]] if not result.failure else ["-"] * 3
    kinds = ", ".join(sorted(result.kinds)) or "-"
    extension = result.extension
    return (extension.repository, extension.commit[:12], *counts, kinds, f"{result.seconds:.0f}")


def _notes(results: list[Result]) -> Iterator[str]:
    for each in results:
        said = [each.failure, each.extension.deviation]
        if each.failure or each.counts["failed"] or each.kinds:
            said.append(each.extension.remark)
        if any(said):
            yield f"- {each.extension.name}: {' '.join(filter(None, said))}"


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
        f"Checked build; {_LIMIT} s for a build and for each command of tests, {options.jobs} at a time; "
        f"this repository at {', '.join(sorted({each.simulator for each in results}))}."
    )
    text = f"{how}\n\n{summary(results)}"
    record.report("PyTorch extensions on the simulated GPU", text, options.record)


if __name__ == "__main__":
    main()
