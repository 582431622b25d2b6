"""Import an exercise's `spec.py` in the trusted parent, and check every export before anything runs."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

from grader.specification import dispatcher, efficiency, packaging, parts, questions, suites, workloads
from grader.specification.dispatcher import Dispatcher
from grader.specification.efficiency import Efficiency
from grader.specification.naming import named_arguments, named_calls, of_kind
from grader.specification.packaging import Packaging
from grader.specification.parts import Part
from grader.specification.questions import Question
from grader.specification.suites import Tests
from grader.specification.vocabulary import Case, Gradient, Refusal, Speed
from grader.specification.workloads import Workloads
from grader.support.errors import BrokenSpec

if TYPE_CHECKING:
    from grader.course.catalog import Exercise

REQUIRED = ("ENTRY", "reference", "CASES")
CONSTANTS = (
    "ENTRY", "CASES", "REFUSALS", "GRADIENT", "SPEED", "PROFILE", "EFFICIENCY", "QUESTIONS", "PARTS", "TESTS",
    "DISPATCHER", "PACKAGING", "ROUNDED_ONCE", "WORKLOADS", "CONFUSED", "FIXED_SIZES",
)  # fmt: skip
FUNCTIONS = ("reference", "traffic", "flops", "accumulation", "tolerances")


@dataclass(frozen=True)
class Spec:
    """A validated ``spec.py``: every argument carries its name.

    With ``PARTS`` it is that of the main part, and ``parts`` are those of all, each with its ``part``.
    """

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
    rounded_once: bool = False
    confused: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    profile: Case | None = None
    efficiency: tuple[Efficiency, ...] = ()
    questions: tuple[Question, ...] = ()
    dispatcher: Dispatcher | None = None
    tests: Tests | None = None
    packaging: Packaging | None = None
    workloads: Workloads | None = None
    fixed_sizes: str = ""  # why no case has drawn sizes
    part: Part | None = None
    parts: tuple[Spec, ...] = ()
    left_out: int = 0  # cases and refusals for devices that this machine does not have
    too_large: int = 0  # cases for which its GPU has no memory


def load_spec(exercise: Exercise) -> Spec:
    """Import and validate ``exercise.spec_path``.

    Raises:
        BrokenSpec: the file is missing, does not import, or an export has the wrong form; names the file.
    """
    path = exercise.spec_path
    module = _import_privately(path, exercise.slug)
    try:
        return _validated_parts(exercise, module) if hasattr(module, "PARTS") else _validated(path, module)
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
        "A spec.py exports ENTRY, reference and CASES as the docstring of grader.specification shows.",
        "Show that docstring with: python -m pydoc grader.specification",
    )


def _validated_parts(exercise: Exercise, module: ModuleType) -> Spec:
    """The main part's, with all of them in ``parts``; what else is exported goes with the main part."""
    taken = [name for name in REQUIRED if hasattr(module, name)]
    if taken:
        raise ValueError(f"PARTS replaces {', '.join(REQUIRED)}, but {taken[0]} is there too")
    several = parts.checked(module.PARTS, exercise.scores.get("parts", 0), exercise.sections)
    shared = parts.shared_by(several, vars(module), FUNCTIONS)
    main = parts.main_of(several)
    specs: list[Spec] = []
    for number, part in enumerate(several):
        try:
            spec = _validated(exercise.spec_path, parts.exports_of(part, shared if number == main else {}))
        except (TypeError, ValueError) as problem:
            raise ValueError(f"PARTS, {part.name!r}: {problem}") from problem
        specs.append(replace(spec, part=part))
    return replace(specs[main], parts=tuple(specs))


def _validated(path: Path, module: ModuleType | SimpleNamespace) -> Spec:
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
        _check_expression(of_kind(Speed, speed, "SPEED").baseline)
        speed = replace(of_kind(Speed, speed, "SPEED"), args=named_arguments(speed.args, parameters, "SPEED"))
    cases = named_calls(Case, "CASES", module.CASES, parameters)
    if not cases:
        raise ValueError("CASES is empty")
    refusals = named_calls(Refusal, "REFUSALS", getattr(module, "REFUSALS", ()), parameters)
    profile = getattr(module, "PROFILE", None)
    if profile is not None:
        (profile,) = named_calls(Case, "PROFILE", [profile], parameters)
    optional: dict[str, Any] = {name: getattr(module, name, None) for name in FUNCTIONS[1:]}
    optional["profile"] = profile
    optional["rounded_once"] = _rounded_once(getattr(module, "ROUNDED_ONCE", False), optional["tolerances"])
    optional["confused"] = _confused(getattr(module, "CONFUSED", {}), parameters)
    optional["efficiency"] = efficiency.checked(getattr(module, "EFFICIENCY", ()), parameters)
    optional["dispatcher"] = dispatcher.checked(getattr(module, "DISPATCHER", None), parameters)
    optional["packaging"] = packaging.checked(getattr(module, "PACKAGING", None))
    optional["questions"] = questions.checked(getattr(module, "QUESTIONS", None))
    optional["tests"] = suites.checked(getattr(module, "TESTS", None))
    optional["fixed_sizes"] = _fixed_sizes(getattr(module, "FIXED_SIZES", None))
    optional["workloads"] = workloads.checked(getattr(module, "WORKLOADS", None))
    return Spec(path, module.ENTRY, reference, parameters, cases, refusals, gradient, speed, **optional)


def _rounded_once(value: Any, tolerances: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"ROUNDED_ONCE must be True or False, not {value!r}")
    if value and tolerances is not None:
        raise ValueError("ROUNDED_ONCE and tolerances are two answers to one question; keep one of them")
    return value


def _fixed_sizes(value: Any) -> str:
    if value is not None and (not isinstance(value, str) or not value.strip()):
        raise TypeError(f"FIXED_SIZES must say why no case has drawn sizes, not {value!r}")
    return value or ""


def _confused(value: Any, parameters: tuple[str, ...]) -> dict[str, Callable[..., Any]]:
    """Formulas by what they are, with the parameters of the reference."""
    if not isinstance(value, Mapping):
        raise TypeError(f"CONFUSED must be a dict of functions by their words, not {value!r}")
    for words, formula in value.items():
        if not isinstance(words, str) or not callable(formula):
            raise TypeError(f"CONFUSED must have words and a function, not {words!r}: {formula!r}")
        if tuple(inspect.signature(formula).parameters) != parameters:
            raise TypeError(f"CONFUSED, {words!r}: it must take {', '.join(parameters)}, as reference does")
    return dict(value)


def _check_names(module: ModuleType | SimpleNamespace) -> None:
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


def _named_gradient(gradient: Gradient, parameters: tuple[str, ...]) -> Gradient:
    of_kind(Gradient, gradient, "GRADIENT")
    if gradient.mode not in ("gradcheck", "cotangent"):
        raise ValueError(f"GRADIENT has the unknown mode {gradient.mode!r}")
    cases = named_calls(Case, "GRADIENT", gradient.cases, parameters)
    if not cases:
        raise ValueError("GRADIENT has no cases")
    unknown = set(gradient.inputs or ()) - set(parameters)
    if unknown:
        raise ValueError(f"GRADIENT.inputs names {sorted(unknown)}, but reference takes {list(parameters)}")
    return replace(gradient, cases=cases)
