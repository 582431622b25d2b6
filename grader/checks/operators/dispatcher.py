"""Is the operator registered for all that PyTorch does with one: trace, compile, differentiate, map?

What opcheck says and how many graphs or launches there were is what the worker says: a claim. Results and
gradients are compared here with the reference.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from grader.checks.bench import Bench
from grader.checks.gradients.engine import numeric_sizes
from grader.checks.operators import compiled, mapped, registered
from grader.checks.outcome import Outcome, passed
from grader.spec.dispatcher import Dispatcher
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


STEPS = (
    Step("schema", "schema", registered.schema),
    Step("autograd registration", "autograd_registration", registered.autograd_registration),
    Step("fake tensor", "fake_tensor", registered.fake_tensor),
    Step("AOT dispatch", "aot_dispatch", registered.aot_dispatch),
    Step("torch.compile", "compile", compiled.compiled),
    Step("torch.func", "vmap", mapped.functional),
)


def check(bench: Bench) -> Outcome:
    """Judge every step; each that holds earns its share, and the first that fails is told."""
    dispatcher = bench.spec.dispatcher
    if dispatcher is None:
        return Outcome(Status.UNAVAILABLE, "This exercise has no operators to be registered.")
    absent = registered.missing(bench, dispatcher)
    if absent is not None:
        return absent
    with numeric_sizes():
        failures = _failures(bench, dispatcher)
    if not failures:
        return passed(
            "opcheck's five tests have nothing against the operators, and values and gradients are right "
            "under torch.compile, in one graph for all sizes, and under torch.func.vmap, without a loop."
        )
    step, first = failures[0]
    share = 1 - len(failures) / len(STEPS)
    if first.status is Status.NOT_ATTEMPTED:
        return replace(first, share=share)
    lines = _table({failed.name: outcome for failed, outcome in failures})
    return replace(
        first, sentence=f"{step.title}: {first.sentence}", share=share, topic=step.topic, lines=lines
    )


def _failures(bench: Bench, dispatcher: Dispatcher) -> list[tuple[Step, Outcome]]:
    found = []
    for step in STEPS:
        outcome = step.judge(bench, dispatcher)
        if outcome is not None:
            found.append((step, outcome))
    return found


def _table(failures: dict[str, Outcome]) -> tuple[str, ...]:
    """One line for each step; what the later failures say, too: they may have another cause."""
    first = next(iter(failures))
    width = max(len(step.name) for step in STEPS)
    lines = []
    for step in STEPS:
        told = failures.get(step.name)
        text = "holds" if told is None else "fails" if step.name == first else f"fails: {told.sentence}"
        lines.append(f"{step.name:<{width}}  {text}")
    return tuple(lines)
