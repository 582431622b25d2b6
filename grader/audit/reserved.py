"""Attribute names that a submission may not define, because they have a meaning on other objects.

The audit does not know what a value is. It lets a file read the attributes that the file itself defines, and
`frame.f_globals` would become readable to anyone who defines a class with a field `f_globals`. So a name that
objects of Python, PyTorch or NumPy have is the submission's own only if it is on the list for everybody.
These names are taken from the running interpreter, not written down.
"""

from __future__ import annotations

import builtins
import contextlib
import dataclasses
import dis
import enum
import functools
import importlib
import types
import typing
import warnings
from collections.abc import Iterator
from functools import cache
from types import CodeType

from grader.audit.lists.attributes import ATTRIBUTE_NAMES

# Classes whose objects a submission can get hold of without naming them, by module.
_OF_TORCH = {
    "torch": ("Tensor", "Generator", "Size", "device", "dtype", "finfo", "UntypedStorage", "TypedStorage"),
    "torch._ops": ("OpOverload", "OpOverloadPacket", "_OpNamespace", "_Ops"),
    "torch._library.custom_ops": ("CustomOpDef",),
    "torch.library": ("Library",),
    "torch.autograd": ("Function",),
    "torch.autograd.function": ("FunctionCtx", "BackwardCFunction", "FunctionMeta"),
    "torch.autograd.graph": ("Node",),
    "torch.cuda": ("Event", "Stream"),
    "torch.nn": ("Module", "Parameter"),
    "torch.utils.hooks": ("RemovableHandle",),
}
_OF_NUMPY = {
    "numpy": ("ndarray", "generic", "dtype", "ufunc"),
    "numpy._core._internal": ("_ctypes",),
    "numpy.random": ("PCG64",),  # which a Generator leads to, and which has addresses
}
_OF_TRITON = (
    "triton.language.core", "triton.language.semantic", "triton.runtime.interpreter", "triton.runtime.jit",
    "triton.runtime.autotuner", "triton.tools.tensor_descriptor",
)  # fmt: skip
_MODULES = (types, builtins, typing, functools, contextlib, dataclasses, enum, warnings)


@cache
def reserved() -> frozenset[str]:
    """Names of attributes of others that are not on the list."""
    found: set[str] = set()
    for kind in _kinds():
        found.update(dir(kind), _used_inside(kind))
    found.update(_data_of_generators())
    return frozenset(found) - ATTRIBUTE_NAMES


@cache
def of_triton() -> frozenset[str]:
    """Names of attributes that objects of Triton have, those of its interpreter included.

    Empty where Triton is missing, and with it all such objects.
    """
    found: set[str] = set()
    for name in _OF_TRITON:
        with contextlib.suppress(ImportError):  # where a release of Triton keeps it elsewhere
            for kind in vars(importlib.import_module(name)).values():
                if isinstance(kind, type) and kind.__module__.startswith("triton."):
                    found.update(dir(kind), *map(_stored_by, vars(kind).values()))
                    found.update(getattr(kind, "__annotations__", ()))
    return frozenset(found)


def _stored_by(method: object) -> Iterator[str]:
    """The attributes that a method written in Python gives to objects."""
    code = getattr(method, "__code__", None)
    stored = dis.get_instructions(code) if isinstance(code, CodeType) else ()
    return (str(each.argval) for each in stored if each.opname == "STORE_ATTR")


def _data_of_generators() -> Iterator[str]:
    """Not their methods, which only draw: `gamma` and `beta` are what layers call their parameters."""
    kind = importlib.import_module("numpy.random").Generator
    return (name for name in dir(kind) if not callable(getattr(kind, name)))


def _kinds() -> Iterator[type]:
    for module in _MODULES:
        yield from (each for each in vars(module).values() if isinstance(each, type))
    yield type(functools.lru_cache(len))
    for table in (_OF_TORCH, _OF_NUMPY):
        for module_name, names in table.items():
            with contextlib.suppress(ImportError):  # where a release of PyTorch keeps it elsewhere
                module = importlib.import_module(module_name)
                yield from (kind for name in names if isinstance(kind := getattr(module, name, None), type))


def _used_inside(kind: type) -> Iterator[str]:
    """What a class written in Python gives to its objects: `dir` tells of the class alone."""
    annotations = getattr(kind, "__annotations__", ())  # of `type` itself, a descriptor
    yield from annotations if isinstance(annotations, dict) else ()
    for method in ("__init__", "__new__", "__enter__", "__set_name__"):
        code = getattr(vars(kind).get(method), "__code__", None)
        if isinstance(code, CodeType):
            yield from code.co_names
