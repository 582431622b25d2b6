"""All checks, in the order of the verdict."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from cusimt.triton import lacking
from grader.support.backends import Backend

if TYPE_CHECKING:
    from grader.course.exercise import Exercise

# The check's name in scores and verdicts (grader.course.exercise.CHECKS), and the module that does it.
CHECKS = {
    "correctness": "values.correctness",
    "gradient": "gradients.gradient",
    "parts": "repairs.parts",
    "safety": "device.safety",
    "device_work": "device.device_work",
    "dispatcher": "operators.dispatcher",
    "packaging": "packaging",
    "measurements": "measurements.measurements",
    "accepts": "suites.acceptance",
    "kills": "suites.mutation_score",
    "efficiency": "device.efficiency",
    "performance": "timing.speed",
    "answers": "questions.answers",
}
COUNTED = ("accepts", "kills")  # the checks that take long, and say how far they are
WITHOUT_CODE = ("answers",)  # the checks that do not run the submission
# What the workers of a check import, once for all of them: pytest, and what torch imports when `backward` and
# `torch.testing.assert_close` are first called; the compiler and opcheck, which want a folder for temporary
# files; what torch imports for a dispatch mode; the worker's part of a timing.
WORKER_MODULES = {
    "dispatcher": ("torch._dynamo", "torch.testing._internal.optests"),
    "measurements": ("torch._dynamo", "torch.utils._python_dispatch"),
    "kills": ("pytest", "torch.fx.experimental.symbolic_shapes", "torch.distributed.tensor"),
    "performance": ("grader.checks.timing.inside", "grader.checks.timing.timed_results"),
}
_ONLY_ON_CUDA = ("performance",)
# What an `import triton` and the first launch of its interpreter import.
_TRITON_MODULES = ("triton", "triton.experimental.gluon")


def worker_modules(exercises: Iterable[Exercise], backend: Backend) -> list[str]:
    """The modules that workers on `backend` will need for the checks of `exercises`, each once."""
    exercises = list(exercises)
    checks = sorted({check for exercise in exercises for check in exercise.scores})
    wanted = [check for check in checks if backend == "cuda" or check not in _ONLY_ON_CUDA]
    names = [name for check in wanted for name in WORKER_MODULES.get(check, ())]
    in_python = any(exercise.has_python_kernels for exercise in exercises)
    if in_python and backend == "simt" and not lacking():
        names += _TRITON_MODULES
    return list(dict.fromkeys(names))
