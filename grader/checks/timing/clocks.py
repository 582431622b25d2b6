"""Reduce the times of two clocks to one ratio: whether it is decided, and which clock to believe."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from grader.checks.outcome import Outcome
from grader.checks.timing.alternation import Measured
from grader.checks.timing.ratios import Block, Ratio, ratio
from grader.verdict import Status

NOISE = 0.10  # an interval wider than this, or a baseline further from itself, decides nothing
LAUNCH_BOUND_MS = 0.05  # below, the parent's clock sees launches rather than kernels
BUSY = 0.25  # of the baseline's time on the device, which the parent's clock may show more


def undecided(measured: Measured, seed: int) -> Outcome | None:
    """The baseline's turns must come out equal, and its two clocks agree; else the machine is too busy."""
    itself = against_itself(measured.queued, seed)
    own = ratio(measured.queued, seed)
    if itself.spread > NOISE or abs(itself.value - 1) > NOISE:
        return Outcome(
            Status.INCONCLUSIVE,
            f"Too noisy to judge: the baseline against itself came out at {itself.value:.2f} (95 % interval "
            f"{itself.low:.2f} to {itself.high:.2f}). Is something else running on this GPU?",
        )
    if own.spread > 2 * NOISE:
        return Outcome(
            Status.INCONCLUSIVE,
            "Too noisy to judge: the baseline takes the same time in every turn, and your kernel does not "
            f"(95 % interval of the ratio {own.low:.2f} to {own.high:.2f}). Grade again. If it stays so, its "
            "time depends on more than the sizes of its inputs.",
        )
    around, on_device = overhead_ms(measured), baseline_ms(measured.queued)
    if around > BUSY * on_device and on_device + around > LAUNCH_BOUND_MS:
        return Outcome(
            Status.INCONCLUSIVE,
            f"This machine is too busy to judge the time: the baseline takes {on_device:.3g} ms per call on "
            f"the GPU, and {on_device + around:.3g} ms as seen from this process. Grade again when less is "
            "running.",
        )
    return None


def believed(measured: Measured, seed: int) -> tuple[Ratio, bool]:
    """The ratio by the device's clock, or by the parent's (then True) where that shows a lower one."""
    by_device = ratio(measured.queued, seed)
    by_parent = ratio(without_overhead(measured), seed)
    if by_parent.high < by_device.low * (1 - measured.apart) and own_ms(measured.plain) > LAUNCH_BOUND_MS:
        return by_parent, True
    return by_device, False


def overhead_ms(measured: Measured) -> float:
    """What the parent's clock shows of each call of the baseline beyond its time on the device."""
    return max(0.0, baseline_ms(measured.plain) - baseline_ms(measured.queued))


def without_overhead(measured: Measured) -> list[Block]:
    """The parent's times per call, each turn without what the baseline's turns take around their calls."""
    turn = overhead_ms(measured) * measured.baseline_calls
    own, clean = turn / measured.calls, turn / measured.baseline_calls
    return [
        (first - min(own, first / 2), one - clean, other - clean, last - min(own, last / 2))
        if min(one, other) > clean
        else (first, one, other, last)
        for first, one, other, last in measured.plain
    ]


def own_ms(blocks: Sequence[Block]) -> float:
    """The submission's median time per call."""
    return statistics.median(time for block in blocks for time in (block[0], block[3]))


def baseline_ms(blocks: Sequence[Block]) -> float:
    """The baseline's median time per call."""
    return statistics.median(time for block in blocks for time in (block[1], block[2]))


def against_itself(blocks: Sequence[Block], seed: int) -> Ratio:
    """The baseline's two turns of each block, as if one of them were a submission."""
    return ratio([(one, other, other, one) for _, one, other, _ in blocks], seed)
