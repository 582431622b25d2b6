"""Import an exercise's ``spec.py`` in the trusted parent and check every export before anything is run."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from grader.errors import BrokenSpec
from grader.spec.vocabulary import Argument, Case, Gradient, Refusal, Speed, TensorSpec

if TYPE_CHECKING:
    from grader.catalog import Exercise

REQUIRED = ("ENTRY", "reference", "CASES")
CONSTANTS = ("ENTRY", "CASES", "REFUSALS", "GRADIENT", "SPEED", "PROFILE")
FUNCTIONS = ("reference", "traffic", "flops", "accumulation", "tolerances")


@dataclass(frozen=True)
class Spec:
    """A validated ``spec.py``: every argument carries its name."""

    path: Path
    entry: str
    reference: Callable[..., Any]
    parameters: tuple[str, ...]
    cases: tuple[Case, ...]
    refusals: tuple[Refusal, ...] = ()
    gradient: Gradient | None = None
    speed: Speed | None = None
    traffic: Callable[..., int] | None = None
    flops: Callable[..., int] | None = None
    accumulation: Callable[..., int] | None = None
    tolerances: Callable[[Any], tuple[float, float]] | None = None
    profile: Case | None = None


def load_spec(exercise: Exercise) -> Spec:
    """Import and validate ``exercise.spec_path``.

    Raises:
        BrokenSpec: the file is missing, does not import, or an export has the wrong form; names the file.
    """
    path = exercise.spec_path
    module = _import_privately(path, exercise.slug)
    try:
        return _validated(path, module)
    except (TypeError, ValueError) as problem:
        raise _broken(path, str(problem)) from problem


def _import_privately(path: Path, slug: str) -> ModuleType:
    """Run the file under a name that no learner module and no second course can shadow."""
    if not path.is_file():
        raise _broken(path, "the file is missing")
    name = f"_cu2grad_spec_{slug}_{abs(hash(str(path)))}"
    recipe = importlib.util.spec_from_file_location(name, path)
    if recipe is None or recipe.loader is None:
        raise _broken(path, "the file is not Python")
    module = importlib.util.module_from_spec(recipe)
    sys.modules[name] = module  # dataclasses and typing look their module up by name
    # A course folder may be read-only, and is not the place for __pycache__.
    writes_bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        recipe.loader.exec_module(module)
    except Exception as problem:
        line = _line_in(path, problem)
        raise _broken(path, f"it raised {type(problem).__name__}{line}: {problem}") from problem
    finally:
        sys.dont_write_bytecode = writes_bytecode
        del sys.modules[name]
    return module


def _line_in(path: Path, problem: BaseException) -> str:
    """`` at line N``, for the innermost frame of `problem` that lies in `path`."""
    if isinstance(problem, SyntaxError):
        return f" at line {problem.lineno}"
    found = ""
    trace = problem.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            found = f" at line {trace.tb_lineno}"
        trace = trace.tb_next
    return found


def _broken(path: Path, what: str) -> BrokenSpec:
    return BrokenSpec(
        f"{path}: {what}.",
        "A spec.py exports ENTRY, reference and CASES as the docstring of grader.spec shows.",
        "Show that docstring with: python -m pydoc grader.spec",
    )


def _validated(path: Path, module: ModuleType) -> Spec:
    _check_names(module)
    reference = module.reference
    parameters = tuple(inspect.signature(reference).parameters)
    gradient = getattr(module, "GRADIENT", None)
    speed = getattr(module, "SPEED", None)
    if not isinstance(module.ENTRY, str) or not module.ENTRY.isidentifier():
        raise ValueError(f"ENTRY must be the name of a function, not {module.ENTRY!r}")
    if gradient is not None:
        gradient = _named_gradient(gradient, parameters)
    if speed is not None:
        _check_expression(_of(Speed, speed, "SPEED").baseline)
        speed = replace(_of(Speed, speed, "SPEED"), args=_named(speed.args, parameters, "SPEED"))
    cases = _named_calls(Case, "CASES", module.CASES, parameters)
    if not cases:
        raise ValueError("CASES is empty")
    refusals = _named_calls(Refusal, "REFUSALS", getattr(module, "REFUSALS", ()), parameters)
    profile = getattr(module, "PROFILE", None)
    if profile is not None:
        (profile,) = _named_calls(Case, "PROFILE", [profile], parameters)
    optional = {name: getattr(module, name, None) for name in FUNCTIONS[1:]} | {"profile": profile}
    return Spec(path, module.ENTRY, reference, parameters, cases, refusals, gradient, speed, **optional)


def _check_names(module: ModuleType) -> None:
    for name in REQUIRED:
        if not hasattr(module, name):
            raise ValueError(f"{name} is missing")
    for name in FUNCTIONS:
        if not callable(getattr(module, name, len)):
            raise TypeError(f"{name} must be a function")
    for name in ("CASE", "REFUSAL", "GRADIENTS", "BASELINE", "TRAFFIC", "FLOPS", "TOLERANCES"):
        if hasattr(module, name):
            known = ", ".join(CONSTANTS + FUNCTIONS)
            raise ValueError(f"{name} means nothing here (known are {known})")


def _check_expression(baseline: str) -> None:
    try:
        compile(baseline, "SPEED", "eval")
    except SyntaxError as problem:
        raise ValueError(f"SPEED.baseline is no expression: {baseline!r}") from problem


def _of(kind: type, value: Any, where: str) -> Any:
    if not isinstance(value, kind):
        raise TypeError(f"{where} must hold grader.spec.{kind.__name__}, not {type(value).__name__}")
    return value


def _named_gradient(gradient: Gradient, parameters: tuple[str, ...]) -> Gradient:
    _of(Gradient, gradient, "GRADIENT")
    if gradient.mode not in ("gradcheck", "cotangent"):
        raise ValueError(f"GRADIENT has the unknown mode {gradient.mode!r}")
    cases = _named_calls(Case, "GRADIENT", gradient.cases, parameters)
    if not cases:
        raise ValueError("GRADIENT has no cases")
    unknown = set(gradient.inputs or ()) - set(parameters)
    if unknown:
        raise ValueError(f"GRADIENT.inputs names {sorted(unknown)}, but reference takes {list(parameters)}")
    return replace(gradient, cases=cases)


def _named_calls(
    kind: type, where: str, calls: Iterable[Any], parameters: tuple[str, ...]
) -> tuple[Any, ...]:
    named: list[Any] = []
    for call in calls:
        _of(kind, call, where)
        if call.name in {earlier.name for earlier in named}:
            raise ValueError(f"{where} has two entries named {call.name!r}")
        unknown = set(getattr(call, "modifies", ())) - set(parameters)
        if unknown:
            raise ValueError(f"{where}, {call.name!r}: modifies names {sorted(unknown)}, not a parameter")
        named.append(replace(call, args=_named(call.args, parameters, f"{where}, {call.name!r}")))
    return tuple(named)


def _named(args: Sequence[Argument], parameters: tuple[str, ...], where: str) -> list[Argument]:
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
