"""The solutions beside Triton and `torch.compile`, a row for each dtype: from what `grader bench` recorded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

SOLUTION, TRITON, COMPILED = "reference solution", "Triton", ", torch.compile"
HEADER = (
    "| solution | dtype | time | of the floor | Triton | `torch.compile` | times its speed |\n"
    "|---|---|---|---|---|---|---|"
)


@dataclass(frozen=True)
class Timed:
    """A row of a record: a contender's time in ms, and its share of the floor."""

    name: str
    ms: float
    share: str


def rows(record: str) -> Iterator[str]:
    """A row for each table of a record of ``benchmarks/contenders.py``, of the contenders that were timed:
    these alone are in backticks.
    """
    slug = dtype = ""
    timed: list[Timed] = []
    for line in [*record.splitlines(), "## "]:
        if line.startswith("| `"):
            name, time, _, _, share, *_ = (cell.strip(" `") for cell in line.strip("|").split("|"))
            timed.append(Timed(name, float(time.removesuffix(" ms")), share))
            continue
        if timed and (line.startswith("## ") or " · " in line):
            yield _row(slug, dtype, timed)
            timed = []
        if line.startswith("## "):
            slug = line[3:].strip()
        elif found := re.search(r" · (\w+)$", line):
            dtype = found[1]


def _row(slug: str, dtype: str, timed: list[Timed]) -> str:
    """The solution beside the fastest that `torch.compile` made of the same expression, the first one."""
    solution = next(each for each in timed if each.name == SOLUTION)
    triton = next((f"{each.ms:.4f} ms" for each in timed if each.name == TRITON), "")
    expression = next(each.name for each in timed if each.name not in (SOLUTION, TRITON))
    compiled = min(each.ms for each in timed if each.name.startswith(f"{expression}{COMPILED}"))
    cells = (
        f"[{slug}](../lessons/{slug}.md)", dtype, f"{solution.ms:.4f} ms", solution.share, triton,
        f"{compiled:.4f} ms", f"{compiled / solution.ms:.2f}×",
    )  # fmt: skip
    return f"| {' | '.join(cells)} |"
