"""Check an operator's registrations: tracing, compiling, differentiating and mapping it.

What opcheck says and how many graphs or launches there were is what the worker says: a claim. Results and
gradients are compared here with the reference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from grader.checks.bench import Bench
from grader.checks.gradients.engine import numeric_sizes
from grader.checks.operators import compiled, mapped, registered
from grader.checks.operators.messages import NUMBER, VALUES
from grader.checks.outcome import Outcome, passed
from grader.checks.prerequisites import obstacle
from grader.specification.dispatcher import Dispatcher
from grader.verdict import Status


@dataclass(frozen=True)
class Step:
    """One thing that a registration is good for; ``topic`` is its anchor in the lesson."""

    name: str
    topic: str
    judge: Callable[[Bench, Dispatcher], Outcome | None]

    @property
    def title(self) -> str:
        """The name at the beginning of a sentence: a module's name stays as it is."""
        return self.name if "." in self.name else self.name[0].upper() + self.name[1:]


UNTESTED = "errors"  # the topic of an operator that cannot run at all
STEPS = (
    Step("schema", "schema", registered.schema),
    Step("autograd registration", "autograd_registration", registered.autograd_registration),
    Step("fake tensor", "fake_tensor", registered.fake_tensor),
    Step("AOT dispatch", "aot_dispatch", registered.aot_dispatch),
    Step("torch.compile", "compile", compiled.compiled),
)
MAPPED = Step("torch.func", "vmap", mapped.functional)
# Of the checks before this one: what to repair before a step that compares values can mean anything.
_FIRST = {
    "correctness": "repair the values first: they are wrong without it, too.",
    "gradient": "repair the gradients first: they are wrong without it, too.",
    "safety": "repair what the safety check found first: it may change values from run to run.",
}


def check(bench: Bench) -> Outcome:
    """Judge every step; each one that holds earns its share; report the first that fails."""
    dispatcher = bench.spec.dispatcher
    if dispatcher is None:
        return Outcome(Status.UNAVAILABLE, "This exercise has no operators to be registered.")
    absent = registered.missing(bench, dispatcher)
    if absent is not None:
        return absent
    steps = (*STEPS, MAPPED) if dispatcher.mapped else STEPS
    with numeric_sizes():
        failures = _failures(bench, dispatcher, steps)
    if not failures:
        answers = "values and gradients" if bench.spec.gradient else "values"
        without_a_loop = ", and under torch.func.vmap, without a loop" if dispatcher.mapped else ""
        return passed(
            f"opcheck's five tests accept the operators, and {answers} are right under torch.compile, in one "
            f"graph for all sizes{without_a_loop}."
        )
    step = _cause(failures)
    first, share = failures[step], 1 - len(failures) / len(steps)
    if first.status is Status.NOT_ATTEMPTED:
        return replace(first, share=share)
    untested = first.topic == UNTESTED
    keeps = first.topic in (UNTESTED, NUMBER) or first.sentence in _FIRST.values()
    return replace(
        first,
        sentence=f"{step.title}{' not tested' if untested else ''}: {first.sentence}",
        share=share,
        topic=first.topic if keeps else step.topic,
        lines=_table(failures, steps),
    )


def _failures(bench: Bench, dispatcher: Dispatcher, steps: Sequence[Step]) -> dict[Step, Outcome]:
    """The steps that do not hold, among them those that another one blames."""
    found: dict[Step, Outcome] = {}
    for step in steps:
        outcome = step.judge(bench, dispatcher)
        if outcome is not None:
            found[step] = _after_values(bench, outcome)
    for step, outcome in list(found.items()):
        found.setdefault(_blamed(step, outcome), outcome)
    return {step: found[step] for step in steps if step in found}


def _after_values(bench: Bench, outcome: Outcome) -> Outcome:
    """No registration is at fault for values that are wrong anyway: what the earlier check is about is."""
    if outcome.topic != VALUES:
        return outcome
    found = ((said, obstacle(bench, check)) for check, said in _FIRST.items())
    said, known = next(((said, known) for said, known in found if known is not None), ("", outcome))
    return replace(outcome, sentence=said or outcome.sentence, topic=known.topic, reading=known.reading)


def _blamed(step: Step, outcome: Outcome) -> Step:
    """The step whose fault it is that ``step`` does not hold: mostly itself."""
    topic = "autograd_registration" if outcome.topic == NUMBER else outcome.topic
    return next((each for each in (*STEPS, MAPPED) if each.topic == topic), step)


def _cause(failures: dict[Step, Outcome]) -> Step:
    """The first step that does not hold by its own fault."""
    own = [step for step, outcome in failures.items() if _blamed(step, outcome) is step]
    first_of_all = (step for step in own if failures[step].sentence not in _FIRST.values())
    return next(first_of_all, next(iter(own), next(iter(failures))))


def _table(failures: dict[Step, Outcome], steps: Sequence[Step]) -> tuple[str, ...]:
    """One line for each step; what the later failures say, too: they may have another cause."""
    first = _cause(failures)
    width = max(len(step.name) for step in steps)
    lines = []
    for step in steps:
        told = failures.get(step)
        if told is None:
            text = "holds"
        elif told.topic == UNTESTED and told.sentence == failures[first].sentence:
            text = "not tested"
        elif step is first:
            text = "fails"
        elif _blamed(step, told) is not step:
            text = f"fails: see {_blamed(step, told).name}"
        elif told.got and told.got == failures[first].got:
            text = f"fails, as does {first.name}: {told.got}"
        else:
            text = f"fails: {told.sentence}"
        lines.append(f"{step.name:<{width}}  {text}")
    return tuple(lines)
