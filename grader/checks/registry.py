"""The checks there are, in the order of the verdict."""

from __future__ import annotations

# The check's name in scores and verdicts (grader.exercise.CHECKS), and the module that does it.
CHECKS = {
    "correctness": "correctness",
    "gradient": "gradient",
    "parts": "parts",
    "safety": "safety",
    "device_work": "device_work",
    "dispatcher": "dispatcher",
    "packaging": "packaging",
    "accepts": "accepts",
    "kills": "kills",
    "efficiency": "efficiency",
    "performance": "speed",
    "answers": "answers",
}
WITHOUT_CODE = ("answers",)  # the checks that do not run the submission
# What the workers of a check import, once for all of them: pytest, and what torch imports when `backward` and
# `torch.testing.assert_close` are first called; the compiler and opcheck, which want a folder for temporary
# files.
WORKER_MODULES = {
    "dispatcher": ("torch._dynamo", "torch.testing._internal.optests"),
    "kills": ("pytest", "torch.fx.experimental.symbolic_shapes", "torch.distributed.tensor"),
}
