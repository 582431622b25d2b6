"""Build a learner's package: a folder in, a wheel and its installed files out, cached."""

from __future__ import annotations

import json
import re
import sys
import time
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from cusimt.compiler import libraries, toolkit
from cusimt.support import cache
from cusimt.support.toolchain import cuda_toolkit, host_compiler, torch_install
from cusimt.support.words import ended, reason
from grader.compilation import Artifact, diagnostics
from grader.packages import outputs, stable_errors
from grader.packages import wheel as wheels
from grader.packages.build_folder import LOG, NATIVE, ORIGINS, PROBE, REPORT, BuildFolder, build_folder
from grader.packages.running import run_back_end
from grader.support.backends import Backend
from grader.support.errors import BuildFailed, ToolchainError

FACTS = "facts.json"
PROJECT = "pyproject.toml"
BACK_END = "setuptools.build_meta"
_HEADERS = (".h", ".hpp", ".cuh")
_MOST_PLACE = 200  # characters of a file and a line
# Words of setuptools', and what is behind them.
_RULES = {
    "unknown file type '.cu'": "setuptools' own build_ext compiles no CUDA: the command that builds must be "
    "torch's. See cmdclass.",
    "unsupported tag": "py_limited_api of bdist_wheel names the oldest CPython that the wheel fits, and the "
    "one that builds it is older.",
    "Unknown CUDA arch": "TORCH_CUDA_ARCH_LIST holds capabilities such as 8.0; semicolons separate them.",
    "No module named": "A wheel is built with the packages installed here: Python, torch and setuptools.",
    "TODO(": "setup.py is run from its first line to its last: nothing is built while one of them is open.",
}


@dataclass(frozen=True)
class PackageRequest:
    """The package `name` in the files `names` below `files`; nothing else of that folder is looked at.

    `isolate` builds inside bubblewrap; `owner` keeps what different people submit apart in the cache.
    """

    name: str
    files: Path
    names: tuple[str, ...]
    backend: Backend
    owner: str = ""
    isolate: bool = False

    @property
    def edited(self) -> str:
        """The native source whose edit a rebuild must not overlook: a header where there is one."""
        sources = [name for name in self.names if Path(name).suffix in NATIVE]
        headers = [name for name in sources if Path(name).suffix in _HEADERS]
        return next(iter(headers or sources), "")


@dataclass(frozen=True)
class Facts:
    """Facts about a built package besides its wheel.

    `rebuilt` is whether a second build noticed that the source `edited` had changed; None where it did not
    end by itself. `origins` are places, `FILE:LINE`, at which the sources use a symbol of torch's C++ or of
    Python, by symbol: the innermost first, then what it was inlined into. Empty unless the sources include
    torch's stable headers.
    """

    edited: str
    rebuilt: bool | None
    origins: Mapping[str, list[str]] = field(default_factory=dict)


def facts_of(artifact: Artifact) -> Facts:
    return Facts(**json.loads((artifact.path.parent / FACTS).read_text()))


def build_package(request: PackageRequest, *, verbose: bool = False) -> Artifact:
    """Build the wheel and install it into an empty folder, or find both done.

    Raises BuildFailed when the package is at fault and ToolchainError when this machine lacks a compiler.
    """
    started = time.monotonic()
    _require_back_end(request.files / PROJECT)
    machine = _machine(request)
    content = [part for name in request.names for part in (name, cache.file_digest(request.files / name))]
    with cache.entry(["wheel", *machine, request.name, *content], room="wheels") as slot:
        if slot.missing:
            # A stranger's setup.py could leave other objects for a later build of the same native sources.
            shared = [*machine, *content] if request.isolate else machine
            _build(request, shared, slot.folder, verbose)
    (path,) = slot.path.glob("*.whl")
    return Artifact(
        name=request.name,
        interface="wheel",
        path=path,
        backend=request.backend,
        checked=request.backend == "simt",
        seconds=time.monotonic() - started,
        cached=not slot.missing,
        log=slot.path / LOG,
    )


def _build(request: PackageRequest, machine: list[object], folder: Path, verbose: bool) -> None:
    with build_folder(request.files, request.names, machine) as place:
        log = run_back_end(place, request.backend, request.edited, request.isolate)
        if verbose:
            print(log, end="", flush=True)
        built = sorted(place.out.glob("*.whl"))
        if not built:
            raise _failure(request, place, log)
        wheel = wheels.read(_taken(built[0], folder))
        probed = _report(place.out / PROBE)
        noticed = bool(probed["type"]) if "type" in probed else None
        facts = {"edited": request.edited, "rebuilt": noticed, "origins": _origins(place)}
    wheels.install(wheel, folder / "installed")
    (folder / LOG).write_text(log)
    (folder / FACTS).write_text(json.dumps(facts))


def _taken(built: Path, folder: Path) -> Path:
    """A copy of the wheel in `folder`."""
    copy = folder / built.name
    try:
        copy.write_bytes(outputs.content(built, wheels.MOST_BYTES))
    except OSError as error:
        raise wheels.no_wheel(built, str(error)) from None
    return copy


def _machine(request: PackageRequest) -> list[object]:
    """Everything outside of the package that a wheel depends on."""
    from grader import __version__

    compiler, torch = host_compiler(), torch_install()
    parts: list[object] = [__version__, request.owner, request.backend, request.isolate, sys.executable]
    parts += [sys.version, torch.root, torch.version, _setuptools(), compiler.version]
    parts += [*compiler.command, cache.tree_digest(Path(__file__).parent, (".py",))]
    if request.backend == "cuda":
        return [*parts, cuda_toolkit().identity]
    return [*parts, libraries.sources_digest(), toolkit.translator()]


def _setuptools() -> str:
    try:
        return version("setuptools")
    except PackageNotFoundError:
        raise ToolchainError(
            "setuptools is not installed in this Python.",
            "It is the build back end that makes wheels with torch's BuildExtension.",
            "Install it with: python -m pip install 'setuptools>=77'",
        ) from None


def _require_back_end(project: Path) -> None:
    try:
        table = tomllib.loads(project.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:  # of TOML, of UTF-8, of thousands of digits or brackets
        raise BuildFailed(
            f"{PROJECT} cannot be read: {reason(error)}.",
            "It is TOML: tables in brackets, strings in quotes.",
            "Correct the line.",
        ) from None
    system = table.get("build-system")
    chosen = system.get("build-backend", "") if isinstance(system, dict) else ""
    if chosen != BACK_END:
        said = f"names the build back end {chosen!r}" if chosen else "names no build back end"
        raise BuildFailed(
            f"{PROJECT} {said}; here it has to be {BACK_END}.",
            "The back end is what pip calls to make the wheel, and setuptools' is the one that knows "
            "torch's BuildExtension.",
            f'In [build-system] write: build-backend = "{BACK_END}"',
        )


# ---- what it says --------------------------------------------------------------------------------------


def _failure(request: PackageRequest, place: BuildFolder, log: str) -> BuildFailed:
    """The compilers' errors at the learner's lines; without any, what setup.py or setuptools raised."""
    own = log.replace(f"{place.tree}/", "")
    printed = log.partition("Traceback (most recent call last)")[0]
    sources = [place.tree / name for name in request.names if Path(name).suffix in NATIVE]
    errors = diagnostics.trim(printed, sources)
    if errors != printed.strip() and _ERROR.search(errors):
        shown = errors.replace(f"{place.tree}/", "")
        said = f"{request.name} does not compile. {_without_cuda(shown) or stable_errors.why(shown)}".rstrip()
        return BuildFailed(said, diagnostics=shown, log=own)
    report = _report(place.out)
    said = str(report.get("message", "")).strip().replace(f"{place.tree}/", "")
    said = said or "it ended without a message"
    kind = str(report.get("type", ""))
    said = said if kind in ("SystemExit", "") else f"{kind}: {said}"
    where = f"{report['where']}: " if report.get("where") else ""
    rule = next((rule for words, rule in _RULES.items() if words in said), "") or _missing(own)
    return BuildFailed(f"No wheel was built. {where}{ended(said)} {rule}".rstrip(), log=own)


_MISSING = re.compile(r"ninja: error: '([^']+)', needed by '[^']+', missing")


def _missing(log: str) -> str:
    """The file that ninja did not find; torch's exception says only that compiling failed."""
    found = _MISSING.search(log)
    return (
        f"There is no {found[1]}: a source is named by its path from the folder of setup.py." if found else ""
    )


_ERROR = re.compile(r"\berror\b")
_CUDA_HEADER = re.compile(
    r"\b(cuda\w*\.h|cuda/\S+|cu(?:blas|rand|sparse|fft)\w*\.h): No such file or directory"
)


def _without_cuda(errors: str) -> str:
    """The mistake in setup.py behind a CUDA header that the compiler does not find."""
    found = _CUDA_HEADER.search(errors)
    if found is None:
        return ""
    return (
        f"The compiler was not told where CUDA's headers are, {found[1]} among them: is it a CUDAExtension? "
        "CppExtension adds neither CUDA's headers nor its libraries."
    )


def _origins(place: BuildFolder) -> dict[str, list[str]]:
    """What the confined process wrote, which a setup.py may have written instead: places without folders."""
    headers = torch_install().root / "include"
    found = _table(place.out / ORIGINS)
    return {
        name: [_within(each, (place.tree, headers)) for each in places if isinstance(each, str)]
        for name, places in found.items()
        if isinstance(places, list)
    }


def _within(where: str, folders: Sequence[Path]) -> str:
    inside = next((folder for folder in folders if where.startswith(f"{folder}/")), None)
    return (where[len(f"{inside}/") :] if inside else where.rpartition("/")[2])[:_MOST_PLACE]


def _report(folder: Path) -> dict[str, Any]:
    return _table(folder / REPORT)


def _table(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(outputs.text(path))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
