"""Which section of an exercise a verdict is about: hints for another one would send the learner astray."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from grader.catalog import Exercise
from grader.changes import section_at
from grader.hints import Rungs
from grader.verdict import NOT_JUDGED, CheckResult, Status, Verdict

_PLACE = re.compile(r"(?P<file>[\w./-]+\.\w+):(?P<line>\d+)")


@dataclass(frozen=True)
class _Rule:
    """A failure of ``check`` (``""``: any) in whose text ``said`` occurs is about the first known section."""

    check: str
    said: str
    sections: tuple[str, ...]

    def section(self, check: CheckResult, text: str, rungs: Rungs) -> str:
        if self.check not in ("", check.name) or not re.search(self.said, text):
            return ""
        return next((name for name in self.sections if name in rungs), "")


# A text is "topic: sentence". These are stronger than any line: what goes wrong shows in another section.
_CAUSES = (
    _Rule("", "^refusals:|must be refused", ("checks",)),
    _Rule("correctness", r"raised RuntimeError .* must ", ("checks",)),
    _Rule("", "memory of another device", ("current",)),
    _Rule("", "^stream_reuse:", ("scratch",)),
    _Rule("", "^stream_fork:", ("fork",)),
    _Rule("", "^stream_join:", ("join",)),
    _Rule("efficiency", "^bank_conflicts:", ("tile",)),
)
# What a failure is about where no line says so.
_SUBJECTS = (
    _Rule("build", "nothing defines or instantiates", ("instantiate",)),
    _Rule("correctness", "^shape:|the output has shape", ("dispatch",)),
    _Rule("correctness", "^values:", ("kernel",)),
    _Rule(
        "gradient",
        "kept by ctx.save_for_backward|this input pass through the call unchanged",
        ("context", "setup_context", "forward"),
    ),
    _Rule("gradient", "the gradient of x is ", ("slope",)),
    _Rule("gradient", "The backward of|The second derivative of|gradcheck of|^gradcheck:", ("backward",)),
)


def section_of(exercise: Exercise, rungs: Rungs, verdict: Verdict) -> str:
    """The section of ``rungs`` that the failed checks of ``verdict`` are about; ``""`` where nothing tells.

    What a check is sure of comes first, then the findings, then the other lines that are named: a sentence
    says where an error was raised, a finding where it was made.
    """
    failed = [check for check in verdict.checks if _says_what_failed(check)]
    for tell in (_named, _caused, _found, _placed, _asked, _subject):
        for check in failed:
            if section := tell(exercise, rungs, check):
                return section
    return ""


def _says_what_failed(check: CheckResult) -> bool:
    silent = check.status in (Status.NOT_ATTEMPTED, Status.INFRA_ERROR) or check.sentence.startswith(
        NOT_JUDGED
    )
    return check.status.stands_in_the_way and not silent


def _named(_: Exercise, rungs: Rungs, check: CheckResult) -> str:
    """A part is checked under the name of its section."""
    return check.name if check.name in rungs else ""


def _caused(_: Exercise, rungs: Rungs, check: CheckResult) -> str:
    return _by_rule(_CAUSES, rungs, check)


def _found(exercise: Exercise, rungs: Rungs, check: CheckResult) -> str:
    places = ((finding.file, finding.line) for finding in check.findings if finding.line)
    return _first_section(exercise, rungs, places)


def _placed(exercise: Exercise, rungs: Rungs, check: CheckResult) -> str:
    """A line that the compiler or the sentence names."""
    matches = (match for text in (*check.lines, check.sentence) for match in _PLACE.finditer(text))
    return _first_section(exercise, rungs, ((match["file"], int(match["line"])) for match in matches))


def _asked(_: Exercise, rungs: Rungs, check: CheckResult) -> str:
    """A question is named at the beginning of the line that says what became of its answer."""
    words = (re.split(r"\W", line, maxsplit=1)[0] for line in check.lines)
    return next((word for word in words if word in rungs), "")


def _subject(_: Exercise, rungs: Rungs, check: CheckResult) -> str:
    return _by_rule(_SUBJECTS, rungs, check)


def _by_rule(rules: tuple[_Rule, ...], rungs: Rungs, check: CheckResult) -> str:
    """By what is said of the check itself or of its findings. The check's topic is its lesson's anchor."""
    topic = check.lesson.partition("#")[2].replace("-", "_")
    own = f"{topic}: {' '.join((check.sentence, *check.lines))}"
    texts = (own, *(f"{finding.kind}: {finding.sentence} {finding.rule}" for finding in check.findings))
    for rule in rules:
        for text in texts:
            if section := rule.section(check, text, rungs):
                return section
    return ""


def _first_section(exercise: Exercise, rungs: Rungs, places: Iterator[tuple[str, int]]) -> str:
    for file, line in places:
        for name in exercise.edit:
            section = section_at(exercise, name, line) if f"/{file}".endswith(f"/{name}") else ""
            if section in rungs:
                return section
    return ""
