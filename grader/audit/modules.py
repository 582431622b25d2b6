"""Resolve the dotted names of a file by the lists and by the modules themselves."""

from __future__ import annotations

import importlib
import logging
import sys
from collections.abc import Mapping
from functools import cache
from types import ModuleType

from grader.audit.lists import Group

OPERATORS = "torch.ops"  # its namespaces hold operators alone, and a submission uses its own
_LIBRARIES = ("numpy", "packaging", "pytest", "torch", "triton")  # that a list names modules of
_HEAP_TYPE, _IMMUTABLE = 1 << 9, 1 << 8  # flags of a class: its attributes can be changed unless it is static


class Modules:
    """The modules of `lists` and the operators of `namespace`."""

    def __init__(self, lists: Mapping[str, Group], namespace: str) -> None:
        self.lists = lists
        self.own = f"{OPERATORS}.{namespace}" if namespace else ""
        self.ways = {".".join(name.split(".")[:n]) for name in lists for n in range(1, name.count(".") + 2)}

    @property
    def roots(self) -> list[str]:
        return sorted({name.partition(".")[0] for name in self.lists})

    def is_module(self, full: str) -> bool:
        """Whether `full` is a module of the list, or leads to one."""
        return full in self.ways or (full == OPERATORS and bool(self.own))

    def is_member(self, module: str, name: str) -> bool:
        """Whether a submission may use `module.name`, which is a module itself or one of its names."""
        full = f"{module}.{name}"
        if module == OPERATORS:
            return full == self.own
        if self.is_module(full):
            return True
        listed = self.lists.get(module)
        if listed is None:
            return False
        return name in listed.names if listed.names is not None else name in _public(module)

    def meant(self, module: str, name: str) -> list[str]:
        """What a submission may use of `module`, if `module.name` is nothing: a slip, then."""
        if module == OPERATORS:
            return [self.own]
        listed = self.lists.get(module)
        if listed is None or _resolve(f"{module}.{name}") is not None:
            return []
        names = listed.names if listed.names is not None else _public(module)
        return [f"{module}.{each}" for each in names]


def is_open_class(full: str) -> bool:
    """Whether `full` is a class whose attributes Python lets be changed, for everybody in the process."""
    found = _resolve(full)
    flags = getattr(found, "__flags__", 0)
    return isinstance(found, type) and bool(flags & _HEAP_TYPE) and not flags & _IMMUTABLE


def is_layer(full: str) -> bool:
    """Whether `full` is a layer of torch.nn: a class derived from one is as much as one from its base."""
    found, base = _resolve(full), _resolve("torch.nn.Module")
    return isinstance(found, type) and isinstance(base, type) and issubclass(found, base)


@cache
def _public(module: str) -> frozenset[str]:
    """Public names of a module that are no modules themselves."""
    members = vars(importlib.import_module(module)).items()
    return frozenset(
        name for name, value in members if not name.startswith("_") and not isinstance(value, ModuleType)
    )


def _import_quietly(module: str) -> None:
    """Import it without the warning of torch.utils.cpp_extension that this machine has no GPU.

    Nothing is built in this process, and on the simulated GPU the warning says nothing to a learner.
    """
    logger = logging.getLogger("torch.utils.cpp_extension")
    logger.addFilter(_is_other_news)
    try:
        importlib.import_module(module)
    finally:
        logger.removeFilter(_is_other_news)


def _is_other_news(record: logging.LogRecord) -> bool:
    return not str(record.msg).startswith("No CUDA runtime is found")


@cache
def _resolve(full: str) -> object:
    root, *rest = full.split(".")
    if root not in _LIBRARIES and root not in sys.stdlib_module_names:
        return None  # a test suite's `op` is no module of this process
    found: object = None
    try:
        found = importlib.import_module(root)
        for number, name in enumerate(rest, start=1):
            if not hasattr(found, name):
                _import_quietly(".".join((root, *rest[:number])))
            found = getattr(found, name)
    except (ImportError, AttributeError):
        return None  # this release has no such name: then it raises in the submission, too
    return found
