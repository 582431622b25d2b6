"""The calls that a ``spec.py`` describes: of the right kind, arguments named after the parameters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from grader.spec.vocabulary import Argument, Case, TensorSpec


def of_kind(kind: type, value: Any, where: str) -> Any:
    """`value`; raises TypeError unless it is a `kind`."""
    if not isinstance(value, kind):
        raise TypeError(f"{where} must hold grader.spec.{kind.__name__}, not {type(value).__name__}")
    return value


def named_calls(kind: type, where: str, calls: Iterable[Any], parameters: tuple[str, ...]) -> tuple[Any, ...]:
    """Copies of `calls` (each with ``name`` and ``args``); raises TypeError or ValueError naming `where`."""
    found: list[Any] = []
    for call in calls:
        of_kind(kind, call, where)
        if call.name in {earlier.name for earlier in found}:
            raise ValueError(f"{where} has two entries named {call.name!r}")
        unknown = set(getattr(call, "modifies", ())) - set(parameters)
        if unknown:
            raise ValueError(f"{where}, {call.name!r}: modifies names {sorted(unknown)}, not a parameter")
        if isinstance(call, Case):
            _check_switches(call, f"{where}, {call.name!r}")
        found.append(replace(call, args=named_arguments(call.args, parameters, f"{where}, {call.name!r}")))
    return tuple(found)


def _check_switches(case: Case, where: str) -> None:
    """Raise TypeError or ValueError where ``deterministic`` or ``waits`` can mean nothing."""
    for name in ("deterministic", "waits"):
        if not isinstance(getattr(case, name), bool):
            raise TypeError(f"{where}: {name} is {getattr(case, name)!r}, not True or False")
    arrays = [each for each in case.args if isinstance(each, TensorSpec) and each.kind == "numpy"]
    if case.deterministic and arrays:
        raise ValueError(f"{where}: deterministic is a mode of PyTorch, and its arguments are NumPy arrays")


def named_arguments(args: Sequence[Argument], parameters: tuple[str, ...], where: str) -> list[Argument]:
    """Tensors without a name get that of the parameter at their position; other values stay."""
    if len(args) > len(parameters):
        raise ValueError(f"{where}: {len(args)} arguments, but reference takes {len(parameters)}")
    return [_with_name(arg, name, where) for arg, name in zip(args, parameters, strict=False)]


def _with_name(arg: Argument, name: str, where: str) -> Argument:
    if isinstance(arg, TensorSpec):
        return arg if arg.name else replace(arg, name=name)
    if isinstance(arg, (list, tuple)):
        return [_with_name(each, f"{name}[{index}]", where) for index, each in enumerate(arg)]
    if arg is None or isinstance(arg, (bool, int, float, str)):
        return arg
    raise TypeError(
        f"{where}: argument {name} is a {type(arg).__name__}; use tensor(...), a number, text, None or a list"
    )
