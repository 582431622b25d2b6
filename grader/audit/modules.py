"""Which dotted names of op.py are modules: one that went by another name could not be followed."""

from __future__ import annotations

import importlib
from collections.abc import Collection
from types import ModuleType

_OPERATORS = "torch.ops."  # its namespaces are modules by their class, and hold operators alone


def is_module(full: str, roots: Collection[str]) -> bool:
    """Whether ``full`` names a module of one of the packages ``roots``, which are imported to look."""
    root, *rest = full.split(".")
    if root not in roots or full.startswith(_OPERATORS):
        return False
    try:
        found: object = importlib.import_module(root)
        for name in rest:
            found = getattr(found, name)
    except Exception:  # whatever a missing attribute raises: then it raises in the submission, too
        return False
    return isinstance(found, ModuleType)
