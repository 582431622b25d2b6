"""Puts recorded measurements into the lessons; with ``--check`` only compares.

What ``benchmarks/lessons.py --record`` wrote to ``benchmarks/results/lesson_SLUG.md`` becomes
``docs/_generated/measured/SLUG.md``, which the lesson includes; a lesson may ask for more (``ALSO``), and so
may a page that is no lesson (``PAGES``).
Without a record the lesson says so, and which speed a verdict on the solution named that is kept in
``benchmarks/results/solutions_*.md``, if any. Of ``bindings_h200.md`` two rows are also rows of a table that is
written by hand (``FACTORS``).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from contender_rows import HEADER, rows
from generated import bring_up_to_date

COURSE = Path(__file__).resolve().parent.parent.parent
FOLDER = COURSE / "docs" / "_generated" / "measured"
RESULTS = COURSE / "benchmarks" / "results"
ALSO = {  # of lessons that are about more than the speed of a kernel
    "02_elementwise_mult": "edit_to_verdict*.md", "24_stable_abi": "stable_abi_*.md",
}  # fmt: skip
# What pages that are no lesson show, from NAME_*.md.
PAGES = (
    *("bindings", "torch_symbols", "late_error"),
    "languages",  # of lesson 25, which compares six exercises
    # Of reference/performance.md:
    *("edit_to_verdict", "watch_saves", "command_line", "simt_throughput", "isolation", "gpu_lanes"),
)
NOTHING = "*No measurement of this exercise on a GPU has been recorded yet.*\n"
NOTHING_OF_A_PAGE = "*No run on a GPU has been recorded yet.*\n"
FACTORS = RESULTS / "bindings_h200.md"
COLUMNS = (  # of the table "Factor by factor"
    ("pybind11 alone",),
    ("load()", "load_inline()", "CUDAExtension"),
    ("TORCH_LIBRARY",),
    ("custom_op",),
    ("stable ABI",),
)
SPEED = re.compile(r"^Performance \w+, [^.]*points\. (?P<said>.+)\.$", re.MULTILINE)
COMPARED = re.compile(
    r"(?P<value>[\d.]+) times the speed of (?P<baseline>.+) \(95 % interval (?P<low>[\d.]+) to (?P<high>[\d.]+)"
)


def render(record: Path) -> str:
    """The record without its title: a line on where it was measured, then its tables."""
    lines = record.read_text(encoding="utf-8").splitlines()[1:]
    facts = _facts(lines)
    rest = "\n".join(line for line in lines if not line.startswith("- ")).strip()
    where = facts["processor"] if facts["GPU"] == "none" else facts["GPU"]
    return f"{_measured_on(where, facts)}\n\n{rest}\n"


def _measured_on(where: str, facts: Mapping[str, str]) -> str:
    return f"Measured on {where}, torch {facts['torch']}, nvcc {facts['nvcc']}, {facts['date']}:"


def spoken(verdicts: Path, slug: str) -> str:
    """What the verdict on the solution of ``slug`` in the file ``verdicts`` said of its speed, or ""."""
    said = _said(verdicts, slug)
    if not said:
        return ""
    facts = _facts(verdicts.read_text(encoding="utf-8").splitlines())
    gpu = facts["GPU"].split(",")[0]
    return (
        "*One verdict is all that has been recorded of this exercise on a GPU yet.* "
        f"On an {gpu}, {facts['date']}, commit {facts['commit']}, `performance` said of the solution: "
        f'"{said}" (`benchmarks/results/{verdicts.name}`).\n'
    )


def speeds(verdicts: Path, slugs: Sequence[str]) -> str:
    """A table of what the verdicts on the solutions in the file ``verdicts`` said of their speed."""
    facts = _facts(verdicts.read_text(encoding="utf-8").splitlines())
    gpu = facts["GPU"].split(",")[0]
    lines = [
        f"Measured on an {gpu}, {facts['date']}, commit {facts['commit']}:", "",
        "| solution | speed | PyTorch's expression | 95 % interval |", "|---|---|---|---|",
    ]  # fmt: skip
    for slug in slugs:
        found = COMPARED.search(_said(verdicts, slug))
        if found:
            lines.append(
                f"| [{slug}](../lessons/{slug}.md) | {found['value']}× | `{found['baseline']}` "
                f"| {found['low']} to {found['high']} |"
            )
    return "\n".join(lines) + "\n"


def contenders(record: Path) -> str:
    """A table of the solutions beside Triton and `torch.compile`."""
    text = record.read_text(encoding="utf-8")
    facts = _facts(text.splitlines())
    return "\n".join((_measured_on(f"an {facts['GPU']}", facts), "", HEADER, *rows(text))) + "\n"


def _said(verdicts: Path, slug: str) -> str:
    """What the verdict on the solution of ``slug`` said of its speed, or ""."""
    _, _, verdict = verdicts.read_text(encoding="utf-8").partition(f"\nExercise {slug}, ")
    found = SPEED.search(verdict.split("\nExercise ", 1)[0])
    return found["said"] if found else ""


def _facts(lines: Sequence[str]) -> dict[str, str]:
    """Where and when a record was made."""
    return dict(line[2:].split(": ", 1) for line in lines if line.startswith("- ") and ": " in line)


def unmeasured(slug: str) -> str:
    """For an exercise without a record."""
    said = [spoken(verdicts, slug) for verdicts in sorted(RESULTS.glob("solutions_*.md"))]
    return "\n".join(each for each in said if each) or NOTHING


def cells(record: Path, heading: str) -> dict[str, str]:
    """Of the record's table that has a column `heading`: what each row has there, by the row's first cell."""
    found: dict[str, str] = {}
    column = 0
    for line in record.read_text(encoding="utf-8").splitlines():
        row = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if heading in row:
            column = row.index(heading)
        elif column and not row:
            break
        elif column and not row[0].startswith("-"):
            found[row[0]] = row[column]
    return found


def factor_rows(record: Path) -> str:
    """Two rows for the page on bindings: the first build and a call of each column's ways."""
    lines = []
    for title, heading in (("first build", "first build"), ("a call, on the host", "a call")):
        of = cells(record, heading) if record.is_file() else {}
        columns = [", ".join(of.get(way, "not measured") for way in ways) for ways in COLUMNS]
        lines.append("| " + " | ".join((f"**{title}**", *columns)) + " |")
    return "\n".join(lines) + "\n"


def pages() -> Iterator[tuple[Path, str]]:
    for facts in sorted((COURSE / "exercises").glob("*/exercise.toml")):
        slug = facts.parent.name
        records = [*RESULTS.glob(f"lesson_{slug}.md"), *sorted(RESULTS.glob(ALSO.get(slug, "-")))]
        yield FOLDER / f"{slug}.md", "\n".join(render(record) for record in records) or unmeasured(slug)
    for name in PAGES:
        records = sorted(RESULTS.glob(f"{name}_*.md"))
        yield FOLDER / f"{name}.md", "\n".join(render(record) for record in records) or NOTHING_OF_A_PAGE
    yield FOLDER / "bindings_factors.md", factor_rows(FACTORS)
    slugs = sorted(facts.parent.name for facts in (COURSE / "exercises").glob("*/exercise.toml"))
    tables = [speeds(verdicts, slugs) for verdicts in sorted(RESULTS.glob("solutions_*.md"))]
    yield FOLDER / "solutions.md", "\n".join(tables) or NOTHING_OF_A_PAGE
    tables = [contenders(record) for record in sorted(RESULTS.glob("contenders_*.md"))]
    yield FOLDER / "contenders.md", "\n".join(tables) or NOTHING_OF_A_PAGE


if __name__ == "__main__":
    raise SystemExit(bring_up_to_date(pages(), "--check" in sys.argv[1:], "measured.py"))
