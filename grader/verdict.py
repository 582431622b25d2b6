"""The verdict: what the grader found out about one submission, and its JSON form.

The JSON document (`schema_version` 1) has exactly these keys::

    {
      "schema_version": 1,
      "exercise": "03_fused_muladd",          slug
      "title": "Fused multiply-add",
      "backend": "simt" | "cuda",
      "seed": 81985529216486,                  every input follows from it
      "status": Status,                        of the whole: "pass" or what kept it from passing
      "score": {"earned": 70.0, "out_of": 80.0},
      "files": "exercises/03_fused_muladd",    the folder that was graded, as it was named
      "digest": "sha256:...",                  of the graded files, so that a replay can tell an edit
      "versions": {"cu2grad": ..., "python": ..., "torch": ..., "exercise": ...},
      "seconds": 1.7,                          wall clock
      "to_review": "...",                      why a person should read the submission; "" for no reason
      "checks": [{
         "name": "correctness", "status": Status, "points": 40.0, "out_of": 40.0, "seconds": 0.2,
         "sentence": "...",                    complete without the other fields
         "case": "a partial last block",       "" when no single case is meant
         "input": "a = 0.5, b = 2.0", "expected": "1.0", "got": "0.0", "index": [3, 7] | null,
         "findings": [ReportedFinding], "lines": ["..."], "lesson": "docs/lessons/03_fused_muladd.md#...",
         "topic": "values",                    what a failure is about; "" in older documents
         "not_own": "aten::mm computed them"   who made the results, if not the learner's kernels: they earn
      }]                                       nothing then; else, and in older documents, ""
    }

    Finding: {"kind": "out_of_bounds", "sentence": "...", "rule": "...", "file": "kernel.cu", "line": 12,
              "source": "out[i] = a[i];", "block": [3,0,0] | null, "thread": [67,0,0] | null, "count": 29,
              "request": WarpRequest | null}       documents written before there were requests have none
    WarpRequest: {"space": "global", "access": "load", "bytes": 4, "addresses": [0, 128, null, ...],
                  "tensor": "a", "itemsize": 4}

`lines` holds text to be shown as it is (compiler diagnostics, open TODOs). Readers must refuse a version
they do not know; a change that an old reader would misread raises the version.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum

from grader.support.backends import Backend
from grader.support.errors import UsageError
from grader.support.schema import ADDED_LATER, SchemaError, read

SCHEMA_VERSION = 1
_DERIVED = ("status", "score", "to_review")  # properties of a verdict, written for other readers
NOT_JUDGED = "Not judged"  # begins the sentence of a check that could not run because an earlier one failed


class Status(StrEnum):
    """How a check ended."""

    PASS = "pass"
    FAIL = "fail"
    BUILD_ERROR = "build_error"
    CRASH = "crash"
    TIMEOUT = "timeout"
    NOT_ATTEMPTED = "not_attempted"
    INCONCLUSIVE = "inconclusive"
    UNAVAILABLE = "unavailable"
    INFRA_ERROR = "infra_error"

    @property
    def counts(self) -> bool:
        """Whether the check's points belong into the denominator: an unjudged check is never a zero."""
        return self not in (Status.INCONCLUSIVE, Status.UNAVAILABLE, Status.INFRA_ERROR)

    @property
    def stands_in_the_way(self) -> bool:
        """Whether the exercise is not passed because of it."""
        return self not in (Status.PASS, Status.INCONCLUSIVE, Status.UNAVAILABLE)


# Which status the whole verdict gets when several checks fail in different ways: the first of these that
# occurs.
_PRECEDENCE = (
    Status.INFRA_ERROR,
    Status.BUILD_ERROR,
    Status.CRASH,
    Status.TIMEOUT,
    Status.FAIL,
    Status.NOT_ATTEMPTED,
)


def overall(seen: Collection[Status]) -> Status:
    """The status of a whole whose checks ended in these ways."""
    for status in _PRECEDENCE:
        if status in seen:
            return status
    return Status.PASS if Status.PASS in seen else Status.UNAVAILABLE


@dataclass(frozen=True)
class WarpRequest:
    """Where the 32 lanes of a warp went in one request of memory: what a picture of it is drawn from.

    `addresses` are bytes from the beginning of `tensor`, or of the block's shared memory; None: the lane
    took no part. `bytes` is what one lane asks for, `itemsize` an element of the tensor (0: not known).
    """

    space: str
    access: str
    bytes: int
    addresses: tuple[int | None, ...]
    tensor: str = ""
    itemsize: int = 0


@dataclass(frozen=True)
class ReportedFinding:
    """One thing the checked build saw, already in words and tied to the learner's source line."""

    kind: str
    sentence: str
    rule: str = ""
    file: str = ""
    line: int = 0
    source: str = ""
    block: tuple[int, ...] | None = None
    thread: tuple[int, ...] | None = None
    count: int = 1
    request: WarpRequest | None = field(default=None, metadata=ADDED_LATER)

    @property
    def where(self) -> str:
        return f"{self.file}:{self.line}" if self.file and self.line else self.file


@dataclass(frozen=True)
class CheckResult:
    """How one check ended, for how many points, and one sentence that stands on its own."""

    name: str
    status: Status
    sentence: str
    points: float = 0.0
    out_of: float = 0.0
    seconds: float = 0.0
    case: str = ""
    input: str = ""
    expected: str = ""
    got: str = ""
    index: tuple[int, ...] | None = None
    findings: tuple[ReportedFinding, ...] = ()
    lines: tuple[str, ...] = ()
    lesson: str = ""
    topic: str = field(default="", metadata=ADDED_LATER)
    not_own: str = field(default="", metadata=ADDED_LATER)


@dataclass(frozen=True)
class Verdict:
    """Every check of one submission, with what is needed to run it again."""

    exercise: str
    title: str
    backend: Backend
    seed: int
    checks: tuple[CheckResult, ...]
    files: str = ""
    digest: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    schema_version: int = SCHEMA_VERSION

    @property
    def earned(self) -> float:
        return sum(check.points for check in self.checks if check.status.counts)

    @property
    def out_of(self) -> float:
        return sum(check.out_of for check in self.checks if check.status.counts)

    @property
    def status(self) -> Status:
        return overall({check.status for check in self.checks})

    @property
    def passed(self) -> bool:
        return self.status is Status.PASS

    @property
    def to_review(self) -> str:
        """Why a person should read the submission, in a sentence; "" where nothing says so."""
        checks: dict[str, list[str]] = {}
        for check in self.checks:
            if check.not_own:
                checks.setdefault(check.not_own, []).append(f"`{check.name}`")
        said = [f"{who} ({', '.join(names)})" for who, names in checks.items()]
        return f"Results are not its kernels' work: {'; '.join(said)}." if said else ""

    @property
    def exit_code(self) -> int:
        """0 passed, 1 not passed, 3 when the machine rather than the submission was at fault."""
        if self.status is Status.INFRA_ERROR:
            return 3
        return 0 if self.passed else 1

    def to_json(self) -> str:
        """The document described at the top of this module, indented, with a final newline."""
        document = asdict(self)
        document["status"] = self.status.value
        document["score"] = {"earned": self.earned, "out_of": self.out_of}
        document["to_review"] = self.to_review
        return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    @classmethod
    def from_json(cls, text: str, name: str = "This file") -> Verdict:
        """Read a document back; an error calls it ``name``.

        Raises:
            UsageError: the text is not a verdict, or of a schema version this reader does not know.
        """
        try:
            document = json.loads(text)
        except ValueError as problem:
            raise _not_a_verdict(name, f"it is not JSON ({problem})") from problem
        if not isinstance(document, dict) or "schema_version" not in document:
            raise _not_a_verdict(name, "it has no schema_version")
        if document["schema_version"] != SCHEMA_VERSION:
            raise UsageError(
                f"{name} has schema version {document['schema_version']!r}.",
                f"This grader reads version {SCHEMA_VERSION}.",
                "Grade again with grader check, or read it with the cu2grad that wrote it.",
            )
        try:
            verdict: Verdict = read(cls, {key: document[key] for key in document if key not in _DERIVED})
        except SchemaError as problem:
            raise _not_a_verdict(name, str(problem)) from problem
        return verdict


def _not_a_verdict(name: str, why: str) -> UsageError:
    return UsageError(
        f"{name} is not a verdict: {why}.",
        "A verdict is the JSON that grader check --json prints.",
        "Write one with: grader check 03 --json > verdict.json",
    )
