"""Puts tables of computed numbers into the pages; with ``--check`` only compares.

The roofline's numbers follow from the specs, those of known access patterns from the memory model, and those
of a multiprocessor are the simulated devices' own. Points are those of exercise.toml. Names that Python may
use are those of the audit's lists. Attacks are counted in the catalogue.
"""

from __future__ import annotations

import math
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import allowed_names
import barrier_pictures
import product_counts
import roofline
import softmax_pictures
import tape_pictures
import torch
import transpose_pictures
import vector_pictures
from generated import bring_up_to_date
from torch.testing._comparison import default_tolerances

from grader.audit.allowed_symbols import groups
from grader.audit.python_binding import ALLOWED
from grader.course.catalog import Catalog
from cusimt.profile.occupancy import known_devices
from cusimt.counters import transactions

COURSE = Path(__file__).resolve().parent.parent.parent
FOLDER = COURSE / "docs" / "_generated" / "tables"
ATTACKS = COURSE / "tests" / "adversarial" / "attacks"
WARP = 32
FLOATING = (torch.float16, torch.bfloat16, torch.float32, torch.float64)

# What it is called, bytes of an element, and the element that a lane takes.
PATTERNS: tuple[tuple[str, int, Callable[[int], int]], ...] = (
    ("neighbouring floats", 4, lambda lane: lane),
    ("the same, one float off", 4, lambda lane: lane + 1),
    ("neighbouring halves", 2, lambda lane: lane),
    ("neighbouring `float4`", 16, lambda lane: lane),
    ("all lanes one float", 4, lambda lane: 0),
    ("every second float", 4, lambda lane: 2 * lane),
    ("a column of `float tile[32][32]`", 4, lambda lane: 32 * lane),
    ("a column of `float tile[32][33]`", 4, lambda lane: 33 * lane),
    ("a column of `float tile[32][34]`", 4, lambda lane: 34 * lane),
    ("a column of `double tile[32][32]`", 8, lambda lane: 32 * lane),
    ("a column of `double tile[32][33]`", 8, lambda lane: 33 * lane),
)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Numbers to the right, the first column to the left."""
    rule = ["---", *["--:"] * (len(header) - 1)]
    return "".join(f"| {' | '.join(row)} |\n" for row in (header, rule, *rows))


def _scientific(value: float) -> str:
    """6.1·10⁻⁵"""
    digits, _, power = f"{value:.1e}".partition("e")
    return f"{digits}·10{_raised(int(power))}"


def dtypes() -> str:
    """What torch.finfo says, and what follows from it."""
    rows = []
    for dtype in FLOATING:
        facts = torch.finfo(dtype)
        bits = 1 - round(math.log2(facts.eps))
        largest = f"{facts.max:.0f}" if facts.max < 1e6 else _scientific(facts.max)
        rows.append([
            f"`{str(dtype).removeprefix('torch.')}`", str(bits), f"2{_raised(-bits)} = {_scientific(facts.eps / 2)}",
            largest, _scientific(facts.smallest_normal), _scientific(facts.smallest_normal * facts.eps),
        ])  # fmt: skip
    header = (
        "dtype", "significant bits", "u", "largest number", "smallest normal number", "spacing below that",
    )  # fmt: skip
    return table(header, rows)


def _raised(power: int) -> str:
    return str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def assert_close() -> str:
    """The constants of torch.testing, beside the unit roundoff."""
    rows = []
    for dtype in FLOATING:
        relative, absolute = default_tolerances(dtype)
        in_units = relative / (torch.finfo(dtype).eps / 2)
        name = str(dtype).removeprefix("torch.")
        rows.append([f"`{name}`", f"{relative:g}", f"{in_units:,.1f} u", f"{absolute:g}"])
    return table(("dtype", "`rtol`", "in units of u", "`atol`"), rows)


def warp_patterns() -> str:
    rows = []
    for name, size, element in PATTERNS:
        addresses = [size * element(lane) for lane in range(WARP)]
        sectors, ideal = transactions.sectors(addresses, size), transactions.ideal_sectors(addresses, size)
        waves = transactions.wavefronts(addresses, size)
        least = transactions.ideal_wavefronts(addresses, size)
        rows.append([name, str(sectors), str(ideal), str(waves), str(least)])
    header = ("a warp loads", "sectors", "fewest", "wavefronts", "fewest")
    return table(header, rows)


def roofline_points() -> str:
    header = ("exercise", "inputs", "operations", "least traffic", "operations per byte", "memory takes",
              "arithmetic takes")  # fmt: skip
    rows = [
        [
            f"{each.number} {each.title}",
            each.shapes,
            f"{each.flops / 1e6:,.0f} M",
            f"{each.traffic / 1e6:,.1f} MB",
            f"{each.intensity:.3g}",
            f"{each.seconds_of_memory * 1e6:,.1f} µs",
            f"{each.seconds_of_arithmetic * 1e6:,.1f} µs",
        ]
        for each in roofline.points()
    ]
    return table(header, rows)


def points() -> str:
    """What each backend of record can judge of an exercise."""
    rows = []
    for exercise in Catalog.open(COURSE).exercises:
        judged = [sum(exercise.scores_on(backend).values()) for backend in ("simt", "cuda")]
        rows.append([f"{exercise.number:02d} {exercise.title}", *map(str, judged)])
    return table(("exercise", "points on simt", "points on cuda"), rows)


def multiprocessors() -> str:
    devices = known_devices()
    rows = [
        ["multiprocessors", *[str(each.multiprocessors) for each in devices.values()]],
        ["threads that one holds", *[f"{each.threads:,}" for each in devices.values()]],
        ["in warps of 32", *[str(each.warps) for each in devices.values()]],
        ["blocks that one holds", *[str(each.blocks) for each in devices.values()]],
        ["registers of 32 bits", *[f"{each.registers:,}" for each in devices.values()]],
        ["shared memory", *[f"{each.shared // 1024} KiB" for each in devices.values()]],
    ]
    return table(("", *[f"`{key}`" for key in devices]), rows)


def allowed_symbols() -> str:
    """The groups of symbols that a compiled submission may ask for."""
    rows = ["| what | where | why |\n", "|---|---|---|\n"]
    for group in groups():
        where = "kernels and bindings" if group.kernels else "bindings"
        where = "Python modules" if group.python else where
        where += f", on {group.backends[0]}" if len(group.backends) == 1 else ""
        where += ", with tensors on simt only" if group.arrays else ""
        rows.append(f"| {group.title} | {where} | {group.reason} |\n")
    return "".join(rows)


def allowed_in_bindings() -> str:
    """What is used of pybind11, by name."""
    return ", ".join(f"`py::{name}`" for name in sorted(ALLOWED)) + "\n"


def attacks() -> str:
    """How many attacks the catalogue has in each class, where they apply, and what refuses them."""
    found: dict[str, list[dict[str, object]]] = defaultdict(list)
    for path in sorted(ATTACKS.glob("*/*/attack.toml")):
        found[path.parent.parent.name].append(tomllib.loads(path.read_text(encoding="utf-8")))
    rows = [_of_attacks(f"`{name}`", each) for name, each in found.items()]
    rows.append(_of_attacks(f"{len(found)} classes", [attack for each in found.values() for attack in each]))
    return table(("class", "attacks", "on simt", "on cuda", "refused by"), rows)


def _of_attacks(name: str, chosen: list[dict[str, object]]) -> list[str]:
    on = Counter(backend for each in chosen for backend in each["backends"])  # type: ignore[attr-defined]
    refused = Counter(str(each["refused_by"]) for each in chosen)
    by = ", ".join(f"{check} {count}" for check, count in refused.most_common())
    return [name, str(len(chosen)), str(on["simt"]), str(on["cuda"]), by]


TABLES = {
    "attacks": attacks,
    "allowed_in_bindings": allowed_in_bindings,
    "allowed_symbols": allowed_symbols,
    "dtypes": dtypes,
    "assert_close": assert_close,
    "warp_patterns": warp_patterns,
    "points": points,
    "roofline": roofline_points,
    "multiprocessors": multiprocessors,
    "transposes": transpose_pictures.table,
    "vectors": vector_pictures.table,
    "products": product_counts.table,
    "barrier_steps": barrier_pictures.in_words,
    "running_max_steps": softmax_pictures.running_steps_in_words,
    "tape_steps": tape_pictures.in_words,
    "allowed_modules": allowed_names.modules,
    "allowed_in_suites": allowed_names.suites,
    "allowed_in_kernels": allowed_names.kernels,
    "allowed_names_in_kernels": allowed_names.names_in_kernels,
    "allowed_in_setup": allowed_names.setup,
    "allowed_attributes_in_setup": allowed_names.attributes_in_setup,
    "allowed_names": allowed_names.names,
    "allowed_attributes": allowed_names.attributes,
}


def files() -> Iterator[tuple[Path, str]]:
    for name, text in TABLES.items():
        yield FOLDER / f"{name}.md", text()


if __name__ == "__main__":
    raise SystemExit(bring_up_to_date(files(), "--check" in sys.argv[1:], "tables.py"))
