"""Who is compared: submission, reference solution, kernels in Triton where the course has them, and the
spec's functions in PyTorch, eager and compiled.

The spec has up to two of these: ``reference``, and the ``baseline`` of SPEED where that is another one.
All come from the exercise's own files, so a new one needs nothing for `grader bench`.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from grader.checks.timing.timed_calls import described, device_of
from grader.specification import Argument, Spec
from grader.support.backends import WorkerBackend

Where = Literal["submission", "solution", "triton", "clean"]
SUBMISSION, SOLUTION, TRITON = "your submission", "reference solution", "Triton"
# How torch.compile is called, by what the table says. CUDA graphs would copy every input first.
MODES = {"torch.compile": "default", "torch.compile, max-autotune": "max-autotune-no-cudagraphs"}
REFERENCE = "the reference of spec.py"


@dataclass(frozen=True)
class Contender:
    """An ``entry``; or an ``expression``, else the reference, compiled in a ``mode``. ``where`` it runs."""

    name: str
    where: Where
    entry: str = ""
    expression: str = ""
    mode: str = ""

    def plan(self, args: Sequence[Argument], exercise: Path, backend: WorkerBackend) -> dict[str, Any]:
        """What the worker is told (`inside.begin`)."""
        return {
            "arguments": described(args), "entry": self.entry, "expression": self.expression,
            "mode": self.mode, "exercise": str(exercise), "device": device_of(backend),
            "clock": "events" if backend == "cuda" else "host",
        }  # fmt: skip


def contenders_of(
    spec: Spec, workers: Container[Where], modes: dict[str, str] | None = None
) -> list[Contender]:
    """Those of ``workers``, then the spec's functions, by row of the table; ``modes`` replaces MODES."""
    own: dict[Where, str] = {"submission": SUBMISSION, "solution": SOLUTION, "triton": TRITON}
    found = [Contender(name, where, spec.entry) for where, name in own.items() if where in workers]
    for name, expression in functions_of(spec).items():
        found.append(Contender(name, "clean", expression=expression))
        for said, mode in (MODES if modes is None else modes).items():
            found.append(Contender(f"{name}, {said}", "clean", expression=expression, mode=mode))
    return found


def functions_of(spec: Spec) -> dict[str, str]:
    """The spec's functions in PyTorch by name: a lambda's source, or "" for the reference itself."""
    assert spec.speed is not None
    said = returned(spec.reference)
    found = {said or REFERENCE: ""}
    if ast.unparse(ast.parse(spec.speed.baseline, mode="eval")) != said:
        parameters = ", ".join(spec.parameters[: len(spec.speed.args)])
        found[spec.speed.baseline] = f"lambda {parameters}: {spec.speed.baseline}"
    return found


def returned(function: Callable[..., Any]) -> str:
    """The expression that a function of one line returns; "" for any other function."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        return ""
    if len(tree.body) != 1 or not isinstance(tree.body[0], ast.FunctionDef):
        return ""
    body = [each for each in tree.body[0].body if not _is_docstring(each)]
    alone = body[0] if len(body) == 1 else None
    return ast.unparse(alone.value) if isinstance(alone, ast.Return) and alone.value is not None else ""


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
