"""One wheel, several torch: the graded library is also run in the Pythons that CU2GRAD_OTHER_TORCH names."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import torch

from cusimt.support.demangling import demangled, qualified
from grader.checks.bench import Bench
from grader.checks.values.compare import compare_values
from grader.checks.values.expected import Expected, expected_outputs
from grader.checks.values.inputs import draw, seeded
from grader.compilation import Artifact
from grader.packages import elsewhere
from grader.packages.elsewhere import VARIABLE, Trial, Unusable
from grader.specification import Case, TensorSpec


@dataclass
class Tried:
    """The releases of torch with which the library gave the right values, and what happened in others."""

    right: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    unusable: list[str] = field(default_factory=list)

    @property
    def said(self) -> str:
        """What the verdict adds where nothing is wrong."""
        here = torch.__version__
        if self.right:
            also = " and ".join(self.right)
            return " ".join([f"The same file was run with torch {here} and {also}.", *self.unusable])
        no_other = (
            f"It was run with torch {here} alone; {VARIABLE}, the path of another Python with another torch, "
            "has it run there too."
        )
        return " ".join([no_other, *self.unusable])


def try_all(bench: Bench, artifact: Artifact) -> Tried:
    """Run the first case of each dtype in every other Python; nothing where strangers' code is isolated."""
    tried = Tried()
    pythons = elsewhere.pythons()
    if pythons and bench.isolated:
        tried.unusable.append(f"{VARIABLE} is not followed where submissions are isolated.")
        return tried
    for python in pythons:
        try:
            _try(bench, artifact, python, tried)
        except Unusable as reason:
            tried.unusable.append(str(reason))
    return tried


def _try(bench: Bench, artifact: Artifact, python: Path, tried: Tried) -> None:
    cases = _cases(bench)
    drawn = [draw(case.args, seeded(bench.seed, "other torch", case.name)) for case in cases]
    calls = [[each.tensor.contiguous() for each in inputs.tensors()] for inputs in drawn]
    with tempfile.TemporaryDirectory(dir=bench.scratch) as scratch:
        trial = elsewhere.run(
            python, bench.backend, artifact.installed, artifact.name, bench.spec.entry, calls, Path(scratch)
        )
    if trial.error:
        tried.problems.append(_failed(trial))
        return
    for case, inputs, got in zip(cases, drawn, trial.results, strict=True):
        (expected,) = expected_outputs(bench.spec, inputs, case.name)
        if wrong := _difference(got, expected):
            tried.problems.append(f"With torch {trial.release}, {case.name}, the same file returns {wrong}.")
            return
    tried.right.append(trial.release)


def _difference(got: torch.Tensor | None, expected: Expected) -> str:
    if got is None or got.dtype != expected.dtype or tuple(got.shape) != expected.shape:
        return "a result of another dtype or shape"
    wrong = compare_values(got, expected.values, expected.tolerance)
    return f"{wrong.got} where {wrong.expected} is right" if wrong is not None else ""


def _failed(trial: Trial) -> str:
    message = trial.error.replace(str(Path.home()), "~")
    name, _, rest = message.partition("undefined symbol: ")
    if rest:
        symbol = rest.split()[0].strip("'\",")
        message = f"undefined symbol: {qualified(demangled([symbol])[0])}"
    else:
        message = name.splitlines()[0]
    return (
        f"With torch {trial.release} it does not run: {message}. The file was compiled against "
        f"{torch.__version__}."
    )


def _cases(bench: Bench) -> list[Case]:
    """One of each dtype, of those whose arguments are plain tensors on the default stream."""
    chosen: dict[str, Case] = {}
    for case in bench.spec.cases:
        specs = [each for each in case.args if isinstance(each, TensorSpec)]
        plain = len(specs) == len(case.args) and case.stream == "default" and case.autocast is None
        if plain and all(each.layout == "contiguous" and each.device == "cuda:0" for each in specs):
            chosen.setdefault(specs[0].dtype, case)
    return list(chosen.values())
