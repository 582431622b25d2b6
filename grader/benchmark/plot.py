"""A benchmark as a picture, with matplotlib, which is optional."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from grader.benchmark.contenders import SUBMISSION
from grader.benchmark.counters import CounterBenchmark, pairs
from grader.benchmark.rows import Benchmark
from grader.report.files import require_folder
from grader.support.errors import UsageError

SUFFIXES = (".svg", ".png")
_BAR_INCHES, _AROUND_INCHES, _WIDTH_INCHES = 0.32, 1.1, 9.0
_OWN, _OTHERS = "#0b6e4f", "#8da9c4"  # apart also without colour: one is dark


def require(path: Path) -> None:
    """Refuse what cannot be drawn, before anything is measured.

    Raises UsageError for another suffix, a folder that is not there, or a missing matplotlib.
    """
    if path.suffix not in SUFFIXES:
        raise UsageError(
            f"{path} names no kind of picture that can be drawn.",
            f"The suffix decides: {' or '.join(SUFFIXES)}.",
            f"For example: --plot {path.stem or 'bench'}.svg",
        )
    require_folder(path)
    _pyplot()


def _pyplot() -> Any:
    try:
        importlib.import_module("matplotlib").use("agg")
        return importlib.import_module("matplotlib.pyplot")
    except ImportError:
        raise UsageError(
            "--plot needs matplotlib, which is not installed here.",
            "It is optional: the table and --json do without it.",
            "Run: python -m pip install matplotlib",
        ) from None


def draw(benchmark: Benchmark | CounterBenchmark, path: Path) -> None:
    """Write the picture: a panel for each workload or stage, a bar for each contender."""
    pyplot = _pyplot()
    panels = panels_of(benchmark)
    heights = [max(1, len(bars)) * _BAR_INCHES + _AROUND_INCHES for _, _, bars in panels]
    figure, axes = pyplot.subplots(
        len(panels), 1, squeeze=False, figsize=(_WIDTH_INCHES, sum(heights) + 0.5),
        gridspec_kw={"height_ratios": heights}, layout="constrained",
    )  # fmt: skip
    figure.suptitle(f"{benchmark.exercise} on {benchmark.device}", fontsize=11)
    for (title, unit, bars), axis in zip(panels, axes[:, 0], strict=True):
        names, values = [name for name, _ in bars], [value for _, value in bars]
        colours = [_OWN if name == SUBMISSION else _OTHERS for name in names]
        drawn = axis.barh(range(len(bars)), values, color=colours)
        axis.bar_label(drawn, labels=[f"{value:.0f} %" for value in values], padding=3, fontsize=8)
        axis.set_yticks(range(len(bars)), names, fontsize=8)
        axis.invert_yaxis()
        axis.axvline(100, color="black", linewidth=0.8, linestyle="--")
        axis.set_xlim(0, max([110.0, *(1.12 * value for value in values)]))
        axis.set_xlabel(unit, fontsize=8)
        axis.set_title(title, fontsize=9, loc="left")
    figure.savefig(path)
    pyplot.close(figure)


def panels_of(benchmark: Benchmark | CounterBenchmark) -> list[tuple[str, str, list[tuple[str, float]]]]:
    """Title, unit and bars, in per cent, of each panel."""
    if isinstance(benchmark, Benchmark):
        return [
            (
                each.workload, "% of the floor's speed",
                [(row.contender, 100 * share) for row in each.rows if (share := row.share(each.floor))],
            )
            for each in benchmark.comparisons
        ]  # fmt: skip
    shares = {
        stage: [(who, 100 * each.share) for who, each in found.items() if each.share]
        for stage, found in pairs(benchmark)
    }
    return [(stage, "bytes needed, % of bytes moved", bars) for stage, bars in shares.items() if bars]
