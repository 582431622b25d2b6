"""Check that a wheel is installable elsewhere: complete, nothing superfluous, for every GPU, correctly
labelled.

Each question is asked of the wheel and of the files that it was built from, and each counts the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import torch
from packaging.utils import canonicalize_name
from packaging.version import Version

from cusimt.support.words import listed
from grader.checks import other_torch, package_sources, stable_wheel
from grader.checks.bench import Bench
from grader.checks.outcome import Outcome, passed
from grader.checks.package_view import Package, Question, Unknown
from grader.packages import requirements, wheel
from grader.packages.building import PROJECT, facts_of
from grader.packages.gpu_code import gpu_code
from grader.verdict import Status

# Of how many questions one is worth. Symbols are what a wheel for many releases is about.
_WEIGHTS = {"stable_symbols": 15, "target_version": 5}


def check(bench: Bench) -> Outcome:
    """Ask everything; what cannot be answered here leaves the count."""
    wanted, artifact = bench.spec.packaging, bench.artifact
    if wanted is None or artifact is None:
        return Outcome(Status.INFRA_ERROR, "The spec of this exercise says nothing about a wheel.")
    package = Package(
        bench.exercise.build.name, wanted, wheel.read(artifact.path), artifact.installed, facts_of(artifact),
        bench.files, bench.backend,
    )  # fmt: skip
    questions = QUESTIONS if wanted.stable is None else STABLE_QUESTIONS
    answers, unknown = _ask(package, questions)
    extra = ""
    if wanted.stable is not None:
        tried = other_torch.try_all(bench, artifact)
        extra = tried.said
        if tried.right or tried.problems:
            answers["other_torch"] = " ".join(tried.problems)
    problems = [(topic, problem) for topic, problem in answers.items() if problem]
    if not problems:
        return passed(" ".join([_praise(package, len(answers)), *filter(None, [extra]), *unknown]))
    (topic, first), *others = problems
    lines = (*(problem for _, problem in others), *unknown)
    asked = len(answers)
    held = f" {asked - len(problems)} of {asked} questions about the wheel are answered as they should be."
    share = 1 - _worth(topic for topic, _ in problems) / _worth(answers)
    return Outcome(Status.FAIL, first + held, share=share, lines=lines, topic=topic)


def _ask(package: Package, questions: Mapping[str, Question]) -> tuple[dict[str, str], list[str]]:
    """The problem, or "", by topic; and why other questions cannot be answered on this machine."""
    answers, unknown = {}, []
    for topic, question in questions.items():
        try:
            answers[topic] = question(package)
        except Unknown as reason:
            unknown.append(str(reason))
    return answers, list(dict.fromkeys(unknown))


def _worth(topics: Iterable[str]) -> int:
    return sum(_WEIGHTS.get(topic, 1) for topic in topics)


def _praise(package: Package, asked: int) -> str:
    code = listed(package.wanted.gpu_code)
    said = (
        f"{package.wheel.path.name}: all {asked} questions about it are answered as they should be. It was "
        f"imported without a compiler and has code for {code}."
    )
    if package.wanted.stable is None:
        return said
    return f"{said} All that it asks of torch is in {stable_wheel.oldest(package)} and later."


# ---- the questions -----------------------------------------------------------------------------------------


def _identity(package: Package) -> str:
    name, version = package.wheel.name, package.wheel.version
    same_name = canonicalize_name(name) == canonicalize_name(package.name)
    if same_name and version == package.wanted.version:
        return ""
    return (
        f"The wheel calls itself {name} {version}; it should be {package.name} {package.wanted.version}. "
        f"Name and version are in [project] of {PROJECT}, and pip uses nothing else."
    )


def _complete(package: Package) -> str:
    missing = [name for name in package.wanted.files if name not in package.wheel.files]
    if not missing:
        return ""
    return (
        f"The wheel lacks {listed(missing)}. It holds the files of the packages that are listed in "
        f"[tool.setuptools] packages of {PROJECT}, and no others."
    )


def _library(package: Package) -> str:
    libraries = package.wheel.libraries
    if any(name.startswith(f"{package.library}.") for name in libraries):
        return ""
    found = f"its libraries are {listed(libraries)}" if libraries else "there is no library in it"
    return (
        f"The wheel has no extension module {package.wanted.library}: {found}. The first argument of "
        "CUDAExtension is the dotted name by which the module is imported, and so its place in the wheel."
    )


def _nothing_else(package: Package) -> str:
    known = set(package.wanted.files)
    surplus = [
        name
        for name in package.wheel.files
        if name not in known and not name.startswith(f"{package.library}.")
    ]
    if not surplus:
        return ""
    more = f" and {len(surplus) - 3} more files" if len(surplus) > 3 else ""
    return (
        f"The wheel also installs {listed(surplus[:3])}{more}. Installing it puts every file into "
        "site-packages; sources and tests belong in the repository."
    )


def _build_requirements(package: Package) -> str:
    system = package.project.get("build-system")
    given = system.get("requires") if isinstance(system, dict) else None
    texts = [text for text in given if isinstance(text, str)] if isinstance(given, list) else []
    missing = [name for name in ("setuptools", "torch") if requirements.required(name, texts) is None]
    if not missing:
        local = requirements.local_version(requirements.required("torch", texts))
        return f"[build-system] requires of {PROJECT} names {local}" if local else ""
    return (
        f"[build-system] requires of {PROJECT} does not name {listed(missing)}, which setup.py imports. pip "
        'builds in an environment that has what is named there and nothing else: "No module named '
        f"'{missing[0]}'\"."
    )


def _run_requirements(package: Package) -> str:
    needed = requirements.required("torch", package.wheel.requirements)
    running = Version(Version(torch.__version__).base_version)
    if needed is None:
        return (
            "The wheel's metadata does not require torch, so pip installs it where there is none, and the "
            "import fails. install_requires of setup.py, or dependencies of [project], is what a wheel needs "
            "to run."
        )
    said = f"The wheel requires torch{needed}"
    if local := requirements.local_version(needed):
        return f"The wheel requires {local}"
    if not needed.contains(running):
        return f"{said}, and was compiled against {torch.__version__}: pip would refuse or replace that one."
    for minor in (running.minor + 1, running.minor - 1):
        other = f"{running.major}.{minor}"
        if needed.contains(f"{other}.0"):
            return (
                f"{said}, so pip installs it beside torch {other} too. It was compiled against "
                f"{torch.__version__}, and C++ code fits the torch it was compiled against: allow that "
                "release alone."
            )
    return ""


def _architectures(package: Package) -> str:
    found = sorted(package.installed.glob(f"{package.library}.*"))
    if not found:
        return f"Without {package.wanted.library} there is no code for any GPU in the wheel."
    code = gpu_code(found[0], "simt" if package.backend == "simt" else "cuda")
    if code is None:
        raise Unknown(
            "For which GPUs it holds code was not judged: the CUDA toolkit here has no cuobjdump "
            "(Debian package cuda-cuobjdump)."
        )
    missing = [each for each in package.wanted.gpu_code if each not in code]
    if not missing:
        return ""
    has = f"cuobjdump lists {listed(sorted(code))}" if code else "cuobjdump lists none"
    cause = package_sources.why_no_code(package.setup, package.wanted.architectures)
    means = package_sources.what_it_means(missing)
    return f"There is no code for {listed(missing)} in {found[0].name}: {has}. {means} {cause}"


def _rebuild(package: Package) -> str:
    facts = package.facts
    if facts.rebuilt or not facts.edited:
        return ""
    if facts.rebuilt is None:
        raise Unknown(
            f"What a build after an edit of {facts.edited} compiles was not judged: it did not end."
        )
    return (
        f"After an edit of {facts.edited} the package was built once more, and nothing was compiled: the "
        "wheel kept the old binary. setuptools compares time stamps of sources= and depends= alone; ninja, "
        "which BuildExtension uses unless told otherwise, knows what each source includes."
    )


def _paths(package: Package) -> str:
    return package_sources.absolute_path(package.setup)


def _processors(package: Package) -> str:
    return package_sources.needed_processor(package.setup, package.wheel.platform)


def _overrides(package: Package) -> str:
    return package_sources.overridden_variable(package.setup)


# By the anchor in the lesson that explains it.
QUESTIONS: dict[str, Question] = {
    "wheel_identity": _identity,
    "wheel_complete": _complete,
    "wheel_library": _library,
    "wheel_surplus": _nothing_else,
    "build_requirements": _build_requirements,
    "run_requirements": _run_requirements,
    "architectures": _architectures,
    "processors": _processors,
    "overrides": _overrides,
    "rebuild": _rebuild,
    "absolute_path": _paths,
}

# Of a wheel for many releases; the first is what it is about.
STABLE_QUESTIONS: dict[str, Question] = {
    "stable_symbols": stable_wheel.symbols,
    "target_version": stable_wheel.target,
    "python_symbols": stable_wheel.of_python,
    "wheel_tag": stable_wheel.tag,
    **QUESTIONS,
    "run_requirements": stable_wheel.run_requirements,
}
