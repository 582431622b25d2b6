"""The losses that lesson 29 draws: a tiny transformer trained with exercise 29, with PyTorch, with a mistake.

    python benchmarks/attention_training.py --record

The training is `docs/samples/attention/train.py`, on the GPU if there is one, otherwise on the simulated
one. The mistake is a planted one, `MISTAKE`: a kernel that fails nothing but the comparison of gradients.
``--record`` writes ``results/attention_training.json``, from which `docs/_build/training_pictures.py` draws.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import record
import torch

from grader.course.catalog import Catalog
from grader.course.mutants import load_mutants

SLUG = "29_attention_backward"
MISTAKE = "delta left out"
SAMPLE = record.REPOSITORY / "docs" / "samples" / "attention" / "train.py"
RESULT = record.RESULTS / "attention_training.json"


def trained(folder: Path) -> dict[str, Any]:
    """What the sample writes about the submission in `folder`."""
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "losses.json"
        simulated = [] if torch.cuda.is_available() else ["-m", "cusimt", "--no-checks"]
        command = [sys.executable, *simulated, str(SAMPLE), str(folder), "--json", str(file)]
        environment = {**os.environ, "PYTHONPATH": str(record.REPOSITORY)}
        subprocess.run(command, check=True, cwd=record.REPOSITORY, env=environment)
        return dict(json.loads(file.read_text()))


def with_mistake() -> list[float]:
    exercise = Catalog.open(record.REPOSITORY).find(SLUG)
    (mutant,) = (each for each in load_mutants(exercise) if each.name == MISTAKE)
    with tempfile.TemporaryDirectory() as folder:
        mutant.write(Path(folder))
        return list(trained(Path(folder))["own"])


def rounded(losses: list[float]) -> list[float]:
    return [round(each, 7) for each in losses]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help=f"write results/{RESULT.name}")
    options = parser.parse_args()
    found = trained(record.REPOSITORY / "solutions" / SLUG)
    document = {
        "origin": record.origin(),
        "size": found["size"],
        "own": rounded(found["own"]),
        "reference": rounded(found["reference"]),
        "mistake": {"name": MISTAKE, "losses": rounded(with_mistake())},
    }
    if options.record:
        lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in document.items())
        RESULT.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
