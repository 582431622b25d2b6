"""`torch.library.triton_op` and `wrap_triton` for kernels that the interpreter runs.

PyTorch traces into such an operator to compile its kernels. There is nothing to compile here, so it is an
operator like those of `custom_op`: its function gives the values, and the shapes where there are no values,
since a launch on tensors without memory does nothing (`grid`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def install() -> None:
    """Put both in place, once torch is imported."""
    import torch

    library: Any = torch.library
    library.triton_op = _triton_op
    library.wrap_triton = _wrap_triton


def _triton_op(
    name: str, fn: Callable[..., Any] | None = None, /, *, mutates_args: Any, schema: str | None = None
) -> Any:
    import torch

    def register(function: Callable[..., Any]) -> Any:
        operator = torch.library.custom_op(name, function, mutates_args=mutates_args, schema=schema)
        operator.register_fake(function)
        return operator

    return register if fn is None else register(fn)


def _wrap_triton(kernel: Any, /) -> Any:
    from triton.runtime.autotuner import Autotuner
    from triton.runtime.interpreter import InterpretedFunction

    if not isinstance(kernel, InterpretedFunction | Autotuner):
        raise RuntimeError("wrap_triton only works on functions annotated with triton.jit or triton.autotune")
    return kernel
