"""torch's autograd engine without symbolic sizes.

``torch.autograd.grad`` compares the size of a cotangent with that of its output through sympy, which takes
half a second to import. Every tensor here has sizes that are numbers: a plain comparison says the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
import torch.autograd as autograd


@contextmanager
def numeric_sizes() -> Iterator[None]:
    """Within the context, ``torch.autograd.grad`` (and so gradcheck) compares sizes as numbers."""
    original: Any = autograd._make_grads

    def make_grads(outputs: Sequence[Any], grads: Sequence[Any], is_grads_batched: bool) -> Any:
        plain = all(isinstance(each, torch.Tensor) for each in (*outputs, *grads))
        if not plain or is_grads_batched:
            return original(outputs, grads, is_grads_batched)
        for output, grad in zip(outputs, grads, strict=True):
            if output.shape != grad.shape:
                raise RuntimeError(
                    f"a cotangent has shape {tuple(grad.shape)}, its output {tuple(output.shape)}"
                )
        return tuple(grads)

    autograd._make_grads = make_grads
    try:
        yield
    finally:
        autograd._make_grads = original
