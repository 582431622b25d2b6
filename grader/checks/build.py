"""Compile the submission and load it into a worker."""

from __future__ import annotations

import filecmp
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from cusimt.compiler.sources import closure, is_cuda
from cusimt.support.words import listed, noun
from cusimt.triton import require as require_triton
from grader.audit import (
    Objection,
    Unreadable,
    audit_installed,
    audit_library,
    audit_python,
    audit_sources,
    audit_units,
    decoded,
    python_files,
)
from grader.checks.load_crashes import uncaught
from grader.checks.outcome import Outcome, passed
from grader.checks.results import AUDIT
from grader.compilation import Artifact, BuildRequest, build
from grader.compilation.builder import STAGE
from grader.compilation.diagnostics import line_of
from grader.compilation.host_paths import without_host_paths
from grader.compilation.preprocessing import kept, preprocess
from grader.compilation.python_kernels import kernel_names
from grader.compilation.registrations import Mistake, find_mistake
from grader.compilation.steps import library_folders
from grader.course.catalog import Exercise
from grader.packages import PackageRequest, build_package, why_not_importable
from grader.run import compilers
from grader.run.failures import LoadFailed, WorkerTimeout
from grader.support.errors import BuildFailed, SubmissionError
from grader.verdict import Status

if TYPE_CHECKING:
    from grader.compilation.artifact import Interface
    from grader.support.backends import Backend

SHOWN_LINES = 40
WORTH_A_WORD = 1.0  # seconds of waiting for another build


def compile_submission(
    exercise: Exercise, files: Path, backend: Backend, owner: str, verbose: bool, isolate: bool = False,
    begun: Callable[[], None] = lambda: None, stage: Callable[[str], None] = lambda name: None,
    quick: bool = False,
) -> Artifact | Outcome:  # fmt: skip
    """The library, or what the audit or the compiler said. On simt the checked build alone is graded.

    ``isolate`` puts the compilers, and a setup.py, into a sandbox; ``begun`` is called when they run,
    and ``stage`` with the name of each stage: the audit, the build, and what is built beside the submission.
    ``quick`` runs nvcc's steps at once.

    Raises:
        InfrastructureError: the toolchain is missing or broken.
    """
    stage(AUDIT)
    if exercise.has_python_kernels:
        require_triton()
    missing = [name for name in (*exercise.edit, *exercise.given) if not (files / name).is_file()]
    if missing:
        needed = listed((*exercise.edit, *exercise.given))
        return Outcome(
            Status.BUILD_ERROR,
            f"{listed(missing)} {noun(len(missing) == 1, 'is', 'are')} missing. The exercise needs {needed}. "
            f"Get a fresh one with: grader reset {exercise.number:02d}",
        )
    objection = audit_sources(exercise, files, backend)
    if objection is not None:
        return _refused(objection)
    artifact: Artifact | Outcome
    try:
        if exercise.has_python_kernels:
            artifact = _of_python_kernels(exercise, files, backend)
        elif exercise.build.interface == "wheel":
            artifact = _of_package(exercise, files, backend, owner, verbose, isolate, begun, stage)
        else:
            request = replace(_request(exercise, files, backend, owner), quick=quick)
            artifact = _of_sources(exercise, request, files, verbose, isolate, begun, stage)
    except BuildFailed as failure:
        return _failed(failure, files, verbose)
    if isinstance(artifact, Outcome):
        return artifact
    stage(AUDIT)
    return _audited(exercise, files, artifact)


def _of_package(
    exercise: Exercise, files: Path, backend: Backend, owner: str, verbose: bool, isolate: bool,
    begun: Callable[[], None], stage: Callable[[str], None],
) -> Artifact | Outcome:  # fmt: skip
    """The wheel that the submission's setup.py builds. Raises BuildFailed."""
    objection = _changed_sources_of_a_package(exercise, files, backend, owner, isolate)
    if objection is not None:
        return _refused(objection)
    names = (*exercise.edit, *exercise.given)
    begun()
    stage(STAGE)
    package = PackageRequest(exercise.build.name, files, names, backend, owner, isolate)
    return build_package(package, verbose=verbose)


def _of_sources(
    exercise: Exercise, request: BuildRequest, files: Path, verbose: bool, isolate: bool,
    begun: Callable[[], None], stage: Callable[[str], None],
) -> Artifact | Outcome:  # fmt: skip
    """The library of kernels and binding, audited as the compiler sees them. Raises BuildFailed."""
    enclose = compilers.enclosing(request.backend) if isolate else None
    mistake = find_mistake(request)
    if mistake is not None:
        return _misregistered(mistake, files)
    units, unread = preprocess(request, files, enclose=enclose)
    objection = audit_units(exercise, units, request.backend)
    if objection is not None:
        return _refused(objection)
    stage(STAGE)
    artifact = build(request, verbose=verbose, enclose=enclose, begun=begun, stage=stage)
    objection = _unread(unread[0]) if unread else _compiled_by_nvcc(exercise, request, artifact)
    return artifact if objection is None else _refused(objection)


def _failed(failure: BuildFailed, files: Path, verbose: bool) -> Outcome:
    """What the compiler said, at most SHOWN_LINES of it unless ``verbose``."""
    text = failure.log if verbose and failure.log else failure.diagnostics
    shown = tuple(without_host_paths(text.rstrip(), files).splitlines())
    if len(shown) > SHOWN_LINES and not verbose:
        left = len(shown) - SHOWN_LINES
        shown = (*shown[:SHOWN_LINES], f"... {left} more lines: grader check --verbose shows them")
    return Outcome(Status.BUILD_ERROR, failure.what, lines=shown, topic="build")


def _of_python_kernels(exercise: Exercise, files: Path, backend: Backend) -> Artifact:
    """What is loaded where Triton compiles, or interprets, each kernel at its launch."""
    kernels = files / exercise.build.sources[0]
    return Artifact(
        exercise.build.name, "triton", kernels, backend, checked=backend == "simt", seconds=0.0, cached=False,
        log=kernels,
    )  # fmt: skip


def _misregistered(mistake: Mistake, files: Path) -> Outcome:
    """A name with which the library would compile, and not load: no compiler was started for it."""
    folder = files.resolve()
    where = ""
    if mistake.file:  # a link may lead out of the folder
        inside = mistake.file.is_relative_to(folder)
        where = f"{mistake.file.relative_to(folder) if inside else mistake.file}:{mistake.line}: "
    source = line_of(mistake.file, mistake.line) if mistake.file else ""
    lines = (f"{mistake.line:5} | {source}",) if source else ()
    sentence = f"{where}{mistake.message} {mistake.rule}"
    return Outcome(Status.BUILD_ERROR, sentence, lines=lines, topic="load")


def _request(exercise: Exercise, files: Path, backend: Backend, owner: str) -> BuildRequest:
    facts = exercise.build
    return BuildRequest(
        name=facts.name,
        interface=cast("Interface", facts.interface),
        sources=tuple(files / name for name in facts.sources),
        backend=backend,
        checked=backend == "simt",
        cuda_flags=facts.cuda_flags,
        owner=owner,
        common=_common(exercise, files, backend),
    )


def _common(exercise: Exercise, files: Path, backend: Backend) -> frozenset[Path]:
    """The sources whose objects are the same for all: a kernel's on simt names the folder that it lies in."""
    sources = _given_sources(exercise, files)
    return frozenset(source for source in sources if not (backend == "simt" and is_cuda(source)))


def _given_sources(exercise: Exercise, files: Path) -> frozenset[Path]:
    """The sources that are the course's own, with all that they include: not a changed copy."""
    own = [name for name in exercise.given if filecmp.cmp(files / name, exercise.root / name, shallow=False)]
    given = {(files / name).resolve() for name in own}
    sources = (files / name for name in exercise.build.sources if (files / name).is_file())
    return frozenset(source for source in sources if given.issuperset(closure(source, ())))


def _audited(exercise: Exercise, files: Path, artifact: Artifact) -> Artifact | Outcome:
    """What was built, with the Python texts that were audited."""
    backend, wheel = artifact.backend, artifact.interface == "wheel"
    folders = library_folders(backend)
    contents = python_files(exercise, files, artifact.installed if wheel else None)
    if wheel:
        objection = audit_installed(exercise, artifact.installed, backend, contents, folders)
    else:
        objection = audit_python(exercise, files, contents)
        if objection is None and not exercise.has_python_kernels:
            objects = json.loads(artifact.symbols.read_text()) if artifact.symbols else {}
            objection = audit_library(exercise, artifact.path, backend, objects, folders)
    if objection is not None:
        return _refused(objection)
    try:
        return replace(artifact, sources={name: decoded(each, name) for name, each in contents.items()})
    except Unreadable as unreadable:
        return _refused(unreadable.objection)


def _changed_sources_of_a_package(
    exercise: Exercise, files: Path, backend: Backend, owner: str, isolate: bool
) -> Objection | None:
    """The first objection to the compiled lines of a package's sources, where they are not the course's own.

    setup.py adds flags of its own, of which a macro may only be a number or a text.
    """
    request = replace(_request(exercise, files, backend, owner), interface="torch_extension")
    given = _given_sources(exercise, files)
    own = tuple(source for source in request.sources if source not in given)
    if not own:
        return None
    enclose = compilers.enclosing(backend) if isolate else None
    units, unread = preprocess(replace(request, sources=own), files, enclose=enclose, kernels=True)
    return audit_units(exercise, units, backend) or (_unread(unread[0]) if unread else None)


def _compiled_by_nvcc(exercise: Exercise, request: BuildRequest, artifact: Artifact) -> Objection | None:
    """The first objection to what nvcc made of the sources' own lines; it keeps them while it compiles."""
    if request.backend != "cuda" or artifact.units is None:
        return None
    texts = json.loads(artifact.units.read_text())
    read = [
        source for source in request.sources if is_cuda(source) and not request.is_common(source.resolve())
    ]
    units = {source: kept(texts[source.name], source) if source.name in texts else None for source in read}
    if missing := next((source for source, unit in units.items() if unit is None), None):
        return _unread(missing)
    return audit_units(exercise, [unit for unit in units.values() if unit is not None], request.backend)


def _unread(source: Path) -> Objection:
    """The preprocessor failed where the compiler did not: what was compiled is unknown."""
    rule = "Its lines are read as they are compiled. Leave out what depends on how often it is compiled."
    return Objection(source.name, 0, "cannot be preprocessed on its own", rule)


def _refused(objection: Objection) -> Outcome:
    """What would make a verdict worthless is not run at all."""
    status = Status.FAIL if objection.topic == "audit" else Status.BUILD_ERROR
    return Outcome(status, objection.sentence, topic=objection.topic)


def built(artifact: Artifact) -> Outcome:
    if artifact.interface == "triton":
        kernels = listed([f"`{name}`" for name in kernel_names(artifact.sources.values())])
        return passed(f"Loaded: {artifact.path.name} has {kernels}, for Triton to compile at their launch.")
    how = "from the cache" if artifact.cached else f"in {artifact.seconds:.1f} s"
    if artifact.cached and artifact.waited >= WORTH_A_WORD:
        how = f"from the cache, once another build of it was done ({artifact.waited:.1f} s)"
    return passed(f"Built {how}.")


def load_failure(failure: SubmissionError, artifact: Artifact, exercise: Exercise, files: Path) -> Outcome:
    """The library was built, but could not be brought to life."""
    if isinstance(failure, LoadFailed):
        error = failure.error
        if error.type == "NotImplementedError" and "TODO(" in error.message:
            return Outcome(Status.NOT_ATTEMPTED, f"Still open: {error.message}", topic="todo")
        where = f" at {error.where}" if error.where else ""
        if artifact.interface == "wheel":
            said, lines = why_not_importable(error.message, artifact)
            sentence = f"A wheel was built and installed, but importing it raised {error.type}{where}: {said}"
            topic = "wheel_complete" if "namespace package" in error.message else "load"
            return Outcome(Status.BUILD_ERROR, sentence, got=error.type, lines=lines, topic=topic)
        if error.type in _SYNTAX:
            place = error.where.replace(":", ", line ", 1)
            return Outcome(Status.BUILD_ERROR, f"{place}: {error.type}: {error.message}", got=error.type)
        if artifact.interface == "triton":
            sentence = f"Loading it raised {error.type}{where}: {error.message}"
            return Outcome(Status.BUILD_ERROR, sentence, got=error.type, topic="load")
        said = _module_name(error.message, exercise, files) or error.message
        sentence = f"It compiles, but loading it raised {error.type}{where}: {said}"
        return Outcome(Status.BUILD_ERROR, sentence, got=error.type, topic="load")
    status = Status.TIMEOUT if isinstance(failure, WorkerTimeout) else Status.CRASH
    what = failure.what[0].lower() + failure.what[1:]
    return uncaught(failure) or Outcome(status, f"It compiles, but {what} {failure.rule}", topic="load")


_SYNTAX = ("SyntaxError", "IndentationError", "TabError")
_MODULE = re.compile(r"^[ \t]*PYBIND11_MODULE\(\s*(\w+)", re.MULTILINE)


def _module_name(message: str, exercise: Exercise, files: Path) -> str:
    """What is wrong with the name of a pybind11 module, where Python misses its init function; or ``""``."""
    wanted = re.search(r"\(PyInit_(\w+)\)", message)
    if wanted is None:
        return ""
    for name in exercise.build.sources:
        text = (files / name).read_text(encoding="utf-8", errors="replace")
        found = _MODULE.search(text)
        if found is not None:
            line = text.count("\n", 0, found.start(1)) + 1
            return f"{name}:{line} has PYBIND11_MODULE({found[1]}, ...), and the name must be {wanted[1]}."
    return f"no source has PYBIND11_MODULE({wanted[1]}, ...)."
