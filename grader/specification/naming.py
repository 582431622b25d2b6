"""Validate the calls in a `spec.py`: right kind, arguments named after the parameters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from grader.specification.sizes import DrawnSizes
from grader.specification.vocabulary import AUTOCAST, Argument, Case, TensorSpec

DRAWN_IN = ("CASES", "GRADIENT")  # where a case may have sizes of the verdict


def of_kind(kind: type, value: Any, where: str) -> Any:
    """`value`; raises TypeError unless it is a `kind`."""
    if not isinstance(value, kind):
        raise TypeError(f"{where} must hold grader.specification.{kind.__name__}, not {type(value).__name__}")
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
            found.append(with_arguments(call, _given(call, where), parameters, where))
        else:
            args = named_arguments(call.args, parameters, f"{where}, {call.name!r}")
            found.append(replace(call, args=args))
    return tuple(found)


def with_arguments(case: Case, args: Sequence[Argument], parameters: tuple[str, ...], where: str) -> Case:
    """`case` with `args`, each named after its parameter and marked where autocast casts it."""
    place = f"{where}, {case.name!r}"
    return replace(case, args=under_autocast(case, named_arguments(args, parameters, place), place))


def _given(case: Case, where: str) -> Sequence[Argument]:
    """The arguments of `case`; where its sizes are drawn, those of an example."""
    if case.sizes is None:
        return case.args
    place = f"{where}, {case.name!r}"
    if where not in DRAWN_IN:
        raise ValueError(f"{place}: sizes are drawn in {' and '.join(DRAWN_IN)}; what is counted is fixed")
    if case.args:
        raise ValueError(f"{place}: args and sizes are two answers to one question; keep one of them")
    sizes: DrawnSizes = of_kind(DrawnSizes, case.sizes, place)
    try:
        return sizes.example()
    except ValueError as problem:
        raise ValueError(f"{place}: {problem}") from problem


def under_autocast(case: Case, args: list[Argument], where: str) -> list[Argument]:
    """`args`, in which every tensor that autocast casts says what it becomes; raises ValueError."""
    if case.autocast is None:
        if case.cast_inputs is not None:
            raise ValueError(f"{where}: cast_inputs={case.cast_inputs!r} means nothing without autocast")
        return args
    if case.autocast not in AUTOCAST:
        raise ValueError(f"{where}: autocast={case.autocast!r} is none of {', '.join(AUTOCAST)}")
    dtype = case.cast_inputs or case.autocast
    if dtype not in ("float32", *AUTOCAST):
        raise ValueError(f"{where}: cast_inputs={dtype!r} is none of float32, {', '.join(AUTOCAST)}")
    return [_cast(arg, dtype) for arg in args]


def _cast(arg: Argument, dtype: str) -> Argument:
    if isinstance(arg, list):
        return [_cast(each, dtype) for each in arg]
    if not isinstance(arg, TensorSpec) or not _is_eligible(arg):
        return arg
    return replace(arg, computed_in=dtype)


def _is_eligible(given: TensorSpec) -> bool:
    """As for torch: autocast leaves float64, and tensors that are not on its device, alone."""
    lower = given.dtype in ("float16", "bfloat16", "float32")
    return lower and given.kind == "tensor" and given.device.startswith("cuda")


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
