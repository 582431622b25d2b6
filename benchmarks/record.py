"""Where a figure came from: the machine, the versions, the date; and the table that is committed.

Every script in this folder prints a table and, with ``--record``, writes it to ``results/NAME.md``
together with what is said here, so that no figure stands in the documentation without its origin.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

RESULTS = Path(__file__).parent / "results"
REPOSITORY = Path(__file__).resolve().parent.parent


def first_line(*command: str) -> str:
    """The first line a command prints, or "not found"."""
    if shutil.which(command[0]) is None:
        return "not found"
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return (
        (done.stdout or done.stderr).strip().splitlines()[0] if (done.stdout or done.stderr) else "not found"
    )


def nvcc_version() -> str:
    """nvcc's release, for example "13.0, V13.0.88", or "not found"."""
    if shutil.which("nvcc") is None:
        return "not found"
    text = subprocess.run(["nvcc", "--version"], capture_output=True, text=True, check=False).stdout
    return next((line.split("release ")[1] for line in text.splitlines() if "release " in line), "not found")


def processor() -> str:
    """The processor's name as Linux gives it."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def origin() -> dict[str, str]:
    """Machine, versions and date, in the order in which they are printed."""
    gpu = first_line("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader")
    return {
        "date": datetime.date.today().isoformat(),
        "processor": f"{processor()}, {os.cpu_count()} cores",
        "GPU": gpu if "not found" not in gpu else "none",
        "python": platform.python_version(),
        "torch": importlib.metadata.version("torch"),
        "g++": first_line("g++", "--version"),
        "nvcc": nvcc_version(),
    }


def check_seconds(*arguments: str, environment: Mapping[str, str] | None = None) -> dict[str, float]:
    """`grader check ARGUMENTS` of one exercise: what each of its checks took, in the verdict's own words."""
    command = [sys.executable, "-m", "grader", "check", *arguments, "--json"]
    done = subprocess.run(
        command, env=environment, cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}\n{done.stderr}")
    return {check["name"]: check["seconds"] for check in json.loads(done.stdout)["checks"]}


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table whose columns line up in plain text as well."""
    cells = [list(map(str, header)), *[list(map(str, row)) for row in rows]]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
        for row in cells
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def arguments(description: str | None) -> argparse.ArgumentParser:
    """The options that every benchmark has."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(
        "--record", metavar="NAME", help="write the table to benchmarks/results/NAME.md as well"
    )
    return parser


def report(title: str, text: str, name: str | None) -> None:
    """Print `text`; with a `name`, keep it in results/ below its origin."""
    print(text)
    if name is None:
        return
    RESULTS.mkdir(exist_ok=True)
    facts = "\n".join(f"- {key}: {value}" for key, value in origin().items())
    (RESULTS / f"{name}.md").write_text(f"# {title}\n\n{facts}\n\n{text}\n")
    print(f"\nwritten to benchmarks/results/{name}.md")
