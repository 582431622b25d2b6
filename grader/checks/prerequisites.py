"""Results of earlier checks that make a later check meaningless, such as the cost of a wrong answer."""

from __future__ import annotations

from grader.checks.bench import Bench
from grader.checks.outcome import Outcome


def obstacle(bench: Bench, check: str) -> Outcome | None:
    """The outcome of the earlier `check`, if it stands in the way of judging what an answer costs.

    In an exercise of parts, a part's own check replaces correctness. Accepted bad input is no obstacle: it
    costs nothing where the input is good.
    """
    part = bench.spec.part
    known = bench.outcomes.get(part.name if part is not None and check == "correctness" else check)
    if known is None or not known.status.stands_in_the_way or known.topic == "refusals":
        return None
    return known
