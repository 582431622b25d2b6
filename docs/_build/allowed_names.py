"""Tables of what Python in a submission may use: the lists that the audit goes by, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from grader.audit.lists import Group
from grader.audit.lists.attributes import ATTRIBUTES
from grader.audit.lists.builtins import BUILTINS, METHODS
from grader.audit.lists.setup import OF_SETUP, SETUP
from grader.audit.lists.standard import STANDARD
from grader.audit.lists.tensors import NUMPY, TORCH
from grader.audit.lists.triton import BUILTINS as IN_KERNELS
from grader.audit.lists.triton import HOST, KERNEL, KERNEL_ATTRIBUTES
from grader.audit.suite_source import PYTEST


def modules() -> str:
    """The modules of op.py."""
    return _table("module", "what it is for", {**STANDARD, **TORCH, **NUMPY}, code=True)


def suites() -> str:
    """What a suite of tests may import besides."""
    return _table("module", "what it is for", PYTEST, code=True)


def kernels() -> str:
    """What a file of kernels in Triton may import; op.py beside it has `triton` for what HOST lists."""
    return _table("module", "what it is for", {**KERNEL, **{f"{key} (in op.py)": HOST[key] for key in HOST}}, code=True)


def names_in_kernels() -> str:
    """Python's own names in a kernel, and the attributes of its values."""
    return _table("names", "what they are", {"Python's own": IN_KERNELS, "attributes": KERNEL_ATTRIBUTES})


def setup() -> str:
    """The modules of setup.py."""
    return _table("module", "what it is for", SETUP, code=True)


def attributes_in_setup() -> str:
    return _table("attributes", "what they are", OF_SETUP)


def names() -> str:
    """Python's own names, and the methods that a class may define."""
    methods = {f"methods: {key}": each for key, each in METHODS.items()}
    return _table("names", "what they do", {**BUILTINS, **methods})


def attributes() -> str:
    return _table("attributes", "what they are", ATTRIBUTES)


def _table(first: str, second: str, groups: Mapping[str, Group], code: bool = False) -> str:
    return "".join(f"{line}\n" for line in _lines(first, second, groups, code))


def _lines(first: str, second: str, groups: Mapping[str, Group], code: bool) -> Iterator[str]:
    yield f"| {first} | {second} | allowed |"
    yield "| --- | --- | --- |"
    for name, each in groups.items():
        names = sorted(each.names) if each.names is not None else []
        listed = " ".join(f"`{key}`" for key in names) or "every public name"
        yield f"| {f'`{name}`' if code else name} | {each.why} | {listed} |"
