"""Which section of an exercise a verdict concerns; a hint for another one would mislead."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.course.catalog import Exercise
from grader.course.changes import section_at
from grader.course.exercise import CHECKS
from grader.course.hints import Rungs, Symptom, read_hints, read_symptoms
from grader.verdict import NOT_JUDGED, CheckResult, Status, Verdict

_BACKWARD = re.compile("The backward of|The second derivative of|gradcheck")
_REFERS = {  # what a sentence says of the check that says more
    "he safety check says where": "safety",
    "raised AcceleratorError": "safety",  # the host only hears of a kernel that the device stopped
    "The values are wrong, too": "safety",  # and what was seen on the device is before it
    "see device work": "device_work",
}
# An operator is not at fault for what an earlier check is about (grader/checks/operators/dispatcher.py).
_CONSEQUENCE = re.compile(r": repair (?:the values|the gradients|what the safety check found) first: ")
_WITHOUT_POINTS = ("build", "changes", "todo")  # results beside the checks of the scores
_PLACE = re.compile(r"(?P<file>[\w./-]+\.\w+):(?P<line>\d+)")
_CALLER = re.compile(r"(?P<file>[\w./-]+\.\w+):\d+ \(called in line (?P<line>\d+)\)")


@dataclass(frozen=True)
class _Rule:
    """A failure of ``check`` (``""``: any) in whose text ``said`` occurs is about the first known section."""

    check: str
    said: str
    sections: tuple[str, ...]

    def section(self, judged_by: str, text: str, rungs: Rungs) -> str:
        if self.check not in ("", judged_by) or not re.search(self.said, text):
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
    # The line is that of the launch; the check belongs where the launcher was called.
    _Rule("correctness", "had refused the launch", ("dispatch", "forward_launch", "stages")),
    _Rule(
        "gradient",
        "had refused the launch",
        ("backward_launch", "backward_dispatch", "dispatch", "stages"),
    ),
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
    _Rule("gradient", "The gradients are right, but", ("backward",)),
    _Rule("device_work", "^library: The backward of", ("backward",)),
    _Rule("gradient", "The backward of|The second derivative of|gradcheck of|^gradcheck:", ("backward",)),
)


def sections_of(exercise: Exercise, files: Path, verdict: Verdict) -> list[str]:
    """The sections with hints that the failed checks of ``verdict`` on ``files`` are about.

    They come in the order of the checks, since later checks often fail in consequence of the first one; only
    where a check refers to another one, that one is first. Empty where nothing tells.
    """
    failed = [check for check in verdict.checks if _says_what_failed(check)]
    if "parts" in exercise.scores and not exercise.is_repair:
        failed = failed[:1]  # each part builds on the ones before it
    wrong = any(
        _judged_by(exercise, check) == "correctness" and _own(check).startswith("values:") for check in failed
    )
    case = _Case(exercise, files, read_hints(exercise), read_symptoms(exercise), wrong)
    found: list[str] = []
    for check in case.causes_first(failed):
        found += [case.section(check), *case.symptoms_of(check, sure=True)]
    return list(dict.fromkeys(section for section in found if section))


def _says_what_failed(check: CheckResult) -> bool:
    silent = check.status in (Status.NOT_ATTEMPTED, Status.INFRA_ERROR)
    follows = check.sentence.startswith(NOT_JUDGED) or _CONSEQUENCE.search(check.sentence)
    return check.status.stands_in_the_way and not silent and not follows


@dataclass(frozen=True)
class _Case:
    """What is known about the exercise, the files that were graded and whether forward gives wrong values."""

    exercise: Exercise
    files: Path
    rungs: Rungs
    symptoms: list[Symptom]
    wrong_values: bool

    def causes_first(self, failed: list[CheckResult]) -> list[CheckResult]:
        """In their order, but that a check to which an earlier one refers comes before that one.

        Where a symptom of the earlier one is sure, it says more than the line that the other names: a wrong
        offset is computed in one section, and used in another.
        """
        ordered: list[CheckResult] = []
        for check in failed:
            named = next((name for said, name in _REFERS.items() if said in check.sentence), "")
            if named and not self._sure(check):
                ordered += [each for each in failed if each.name == named and each not in ordered]
            ordered += [check] if check not in ordered else []
        return ordered

    def section(self, check: CheckResult) -> str:
        """The section that a failed `check` is about; ``""`` where nothing tells.

        What it is sure of comes first, then the findings, then the other lines that are named: a sentence
        says where an error was raised, a finding where it was made.
        """
        if len(self.rungs) == 1:
            return next(iter(self.rungs))
        tells = (
            self._named, self._sure, self._caused, self._found, self._placed, self._asked, self._unsure,
            self._subject,
        )  # fmt: skip
        return next(filter(None, (tell(check) for tell in tells)), "")

    def _named(self, check: CheckResult) -> str:
        """A part is checked under the name of its section."""
        return check.name if check.name in self.rungs else ""

    def _sure(self, check: CheckResult) -> str:
        return next(self.symptoms_of(check, sure=True), "")

    def _caused(self, check: CheckResult) -> str:
        return self._by_rule(_CAUSES, check)

    def _found(self, check: CheckResult) -> str:
        return self._first_section((finding.file, finding.line) for finding in check.findings if finding.line)

    def _placed(self, check: CheckResult) -> str:
        """A line that the compiler or the sentence names; one of Python may only call what failed, or be in a
        given function that a section calls.
        """
        texts = (*check.lines, check.sentence)
        matches = [match for text in texts for match in _PLACE.finditer(text)]
        matches.sort(key=lambda match: match["file"].endswith(".py"))
        matches += [match for text in texts for match in _CALLER.finditer(text)]
        return self._first_section((match["file"], int(match["line"])) for match in matches)

    def _asked(self, check: CheckResult) -> str:
        """A question begins the line about its answer, or the line of answers.toml that is quoted."""
        if check.name != "answers":
            return ""
        words = [re.split(r"\W", line, maxsplit=1)[0] for line in check.lines]
        words += re.findall(r"`(\w+) *=", check.sentence)
        return next((word for word in words if word in self.rungs), "")

    def _unsure(self, check: CheckResult) -> str:
        return next(self.symptoms_of(check, sure=False), "")

    def _subject(self, check: CheckResult) -> str:
        """By what the check judges. Where forward is wrong, the gradient says nothing about backward."""
        if _judged_by(self.exercise, check) == "gradient" and self.wrong_values:
            return ""
        return self._by_rule(_SUBJECTS, check)

    def symptoms_of(self, check: CheckResult, sure: bool) -> Iterator[str]:
        """The sections whose symptoms the check shows."""
        for text in _texts(check):
            for symptom in self.symptoms:
                if (symptom.check, symptom.sure) == (check.name, sure) and symptom.said.search(text):
                    yield symptom.section

    def _by_rule(self, rules: tuple[_Rule, ...], check: CheckResult) -> str:
        judged_by = _judged_by(self.exercise, check)
        sections = (rule.section(judged_by, text, self.rungs) for text in _texts(check) for rule in rules)
        return next(filter(None, sections), "")

    def _first_section(self, places: Iterator[tuple[str, int]]) -> str:
        for file, line in places:
            for name in self.exercise.edit:
                here = f"/{file}".endswith(f"/{name}")
                section = section_at(self.exercise, self.files, name, line) if here else ""
                if section in self.rungs:
                    return section
        return ""


def _judged_by(exercise: Exercise, check: CheckResult) -> str:
    """The check's name; for a part of the exercise, the check that it failed.

    Any other name that is not known, as from a later version, means only itself.
    """
    is_part = "parts" in exercise.scores and check.name not in (*CHECKS, *_WITHOUT_POINTS)
    if not is_part:
        return check.name
    return "gradient" if _BACKWARD.search(check.sentence) else "correctness"


def _texts(check: CheckResult) -> tuple[str, ...]:
    """What is said of the check itself and of its findings, each as "topic: sentence".

    The lines below the sentence may be about what failed besides, so they come last.
    """
    findings = (f"{each.kind}: {each.sentence} {each.rule}" for each in check.findings)
    return f"{_topic(check)}: {check.sentence}", *findings, _own(check)


def _own(check: CheckResult) -> str:
    return f"{_topic(check)}: {' '.join((check.sentence, *check.lines))}"


def _topic(check: CheckResult) -> str:
    """Verdicts that were kept from before there were topics have the lesson's anchor only."""
    return check.topic or check.lesson.partition("#")[2].replace("-", "_")
