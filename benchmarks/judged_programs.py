"""Programs of other people's suites: built and run within limits, in the checked build or else the fast one.

A program that takes too long in the checked build gets a second try with the same limits, in two parts: the
fast build has to come to its own PASS, and a sampled run of the checked build has to end without a finding.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchmarks import record
from benchmarks.checkouts import Ended, commit_of, run_limited, write_log
from cusimt.programs.schedules import SAMPLE_VARIABLE

BUILD_LIMIT, RUN_LIMIT = 300, 60  # seconds of processor time
SAMPLE = 64  # blocks of a launch
# What runs a command; the environment of this process is that of the checked build.
_CHECKED, _FAST = (), (sys.executable, "-m", "cusimt", "--no-checks", "--")
_CHECKED_BUILD, _NEVER = "checked build", "no"  # where a program came to its own PASS


def limits(run: float) -> str:
    """What a record says of the limits, where each run may take `run` seconds."""
    return (
        f"{BUILD_LIMIT} s for a build, {run:g} s for a run, of processor time. What exceeds that in the "
        f"checked build is tried again: the fast build for values, and the checked one, with {SAMPLE} blocks "
        "of each launch, for findings. `own PASS` says in which build a program came to its own PASS, "
        "whatever was found in it. `cusimt` is the commit of this repository with which a row was made."
    )


@dataclass(frozen=True)
class Result:
    """What became of a program: `verdict` is "passed", "failed", "unsupported", "limit" or "lacking".

    It is unsupported if it does not build, or asks for what the simulated GPU says it does not have; it is
    lacking if its data, or libraries beside CUDA's that it needs, are not there.
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
class Rules:
    """How the programs of a suite say what they think of their own results.

    All output of a run that succeeded matches `passed`, and none matches `failed`. With the exit status
    `waived`, a program says that the GPU lacks what it shows.
    """

    passed: re.Pattern[str] = re.compile(r"\bPASS(ED)?\b")
    failed: re.Pattern[str] = re.compile(r"\bfail(ed|ure)?\b", re.IGNORECASE)
    missing: str = "it does not print PASS"
    waived: int | None = None

    def own_pass(self, runs: list[Ended]) -> bool:
        """Whether every one of `runs` succeeded by the program's own judgement."""
        return bool(runs) and not any(map(self.complaint, runs))

    def complaint(self, run: Ended) -> str:
        """What is wrong with a run that ended by itself, or nothing."""
        if run.status != 0 or self.failed.search(run.output):
            return first_error(run.output)
        return "" if self.passed.search(run.output) else self.missing

    def verdict(self, ended: list[Ended]) -> tuple[str, str]:
        """The verdict and its reason, from a build and the runs after it."""
        build, *runs = ended
        if kinds := _kinds(runs):
            return "failed", f"findings: {kinds}"
        if stopped := [each.stopped for each in ended if each.status is None]:
            return "limit", f"more than {stopped[0]}"
        if not build.succeeded:
            return "unsupported", first_error(build.output)
        for each in runs:
            if self.waived is not None and each.status == self.waived:
                return "unsupported", f"waived: {_last_line(each.output)}"
            if complaint := self.complaint(each):
                return "failed", complaint
        return ("passed", "") if runs else ("failed", self.missing)

    def in_the_fast_build(self, runs: list[Ended]) -> str:
        """Whether `runs` of the fast build came to the program's own PASS, and in how many seconds."""
        if self.own_pass(runs):
            return f"fast build, {sum(each.seconds for each in runs):.0f} s"
        stopped = [each.stopped for each in runs if each.status is None]
        return f"not within {stopped[0]}" if stopped else _NEVER


@dataclass(frozen=True)
class Built:
    """How a program's build ended, and what then runs in `folder`: a line of the shell for each run."""

    folder: Path
    ended: Ended
    lines: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()  # the arguments of each, for the record


Build = Callable[[Path, tuple[str, ...]], Built]  # in an empty folder, with words in front of each command


@dataclass(frozen=True)
class Attempt:
    """A program that was built, and its runs."""

    built: Built
    within: tuple[str, ...]  # the words in front of each command
    rules: Rules
    limit: float  # of a run, in seconds
    ended: list[Ended]  # the build, and the runs if that succeeded

    @property
    def verdict(self) -> tuple[str, str]:
        hidden = f"{self.built.folder.parent}/"
        return self.rules.verdict(
            [replace(each, output=each.output.replace(hidden, "")) for each in self.ended]
        )

    def run(self, variables: dict[str, str] | None = None, limit: float | None = None) -> list[Ended]:
        """Run the lines once more."""
        commands = ([*self.within, "bash", "-c", line] for line in self.built.lines)
        return [run_limited(each, self.built.folder, limit or self.limit, variables) for each in commands]


def judged(
    name: str,
    build: Build,
    rules: Rules,
    scratch: Path,
    limit: float,
    kept: Path | None = None,
    patience: float = 0,
) -> Result:
    """Build and run the program `name` in `scratch`; its output goes into the folder `kept`, if there is one.

    Each run may take `limit` seconds of processor time. With `patience`, runs that exceed the limit in the
    fast build are repeated there with so many seconds.
    """
    checked = _attempt(build, rules, limit, scratch / "checked", _CHECKED)
    ended, kind, (verdict, why) = list(checked.ended), "checked", checked.verdict
    own = _CHECKED_BUILD if rules.own_pass(ended[1:]) else _NEVER
    if any(each.status is None for each in ended[1:]):
        fast = _attempt(build, rules, limit, scratch / "fast", _FAST)
        patient = fast.run(limit=patience) if patience and fast.verdict[0] == "limit" else []
        own = rules.in_the_fast_build(patient or fast.ended[1:])
        ended += [*fast.ended, *patient]
        if verdict == "limit":  # nothing was found
            sampled = checked.run({SAMPLE_VARIABLE: str(SAMPLE)}) if fast.verdict[0] == "passed" else []
            ended, kind = [*ended, *sampled], "fast"
            verdict, why = second_verdict(fast.verdict, sampled)
    if kept:
        write_log(ended, kept / f"{name}.txt")
    return Result(name, checked.built.runs, verdict, why, sum(each.seconds for each in ended), kind, own)


def _attempt(build: Build, rules: Rules, limit: float, scratch: Path, within: tuple[str, ...]) -> Attempt:
    scratch.mkdir()
    built = build(scratch, within)
    attempt = Attempt(built, within, rules, limit, [])
    return replace(attempt, ended=[built.ended, *(attempt.run() if built.ended.succeeded else [])])


def second_verdict(fast: tuple[str, str], sampled: list[Ended]) -> tuple[str, str]:
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


def first_error(output: str) -> str:
    """The first line of `output` that speaks of an error, or else its last one; never empty."""
    lines = output.splitlines()
    wrong = [line for line in lines if re.search(r"error|fail|fatal|cannot", line, re.IGNORECASE)]
    return _cell(wrong[0]) if wrong else _last_line(output)


def _last_line(output: str) -> str:
    lines = output.strip().splitlines()
    return _cell(lines[-1]) if lines else "no output"


def _cell(line: str) -> str:
    return line.strip()[:100].replace("|", "/")
