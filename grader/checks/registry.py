"""All checks, in the order of the verdict."""

from __future__ import annotations

from collections.abc import Iterable

from grader.support.backends import Backend

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


def worker_modules(checks: Iterable[str], backend: Backend) -> list[str]:
    """The modules that workers on `backend` will need for `checks`, each once."""
    wanted = [check for check in checks if backend == "cuda" or check not in _ONLY_ON_CUDA]
    return list(dict.fromkeys(name for check in wanted for name in WORKER_MODULES.get(check, ())))
