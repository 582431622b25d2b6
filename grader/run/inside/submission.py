"""Loads a submission, finds the entries to call, and describes the exceptions that it raises."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import linecache
import os
import re
import sys
import traceback
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import torch

from grader.run import landlock, sandbox
from grader.run.inside import installed
from grader.run.inside.request import Request

if TYPE_CHECKING:
    from grader.compilation import Artifact

_OP_FILE = "op.py"
_MAX_MESSAGE = 8192
_MOST_CALLERS = 8
# What a check in C++ puts before `FILE:LINE`: where the package was built, or where torch is installed.
_FOLDERS = re.compile(r"(?:/[^\s,:/]+)+/(?:packages/[0-9a-f]{32}/tree|include)/(?=[\w./-]+\.\w+:\d)")


class LoadedSubmission:
    """The learner's code in this process: `op.py` as a module, or the built library where there is no
    `op.py`.
    """

    def __init__(self, confined: bool = False) -> None:
        self.confined = confined  # whatever it was built for
        self.module: Any = None
        self.files: Path | None = None
        self._name = ""
        self._specs: dict[str, ModuleType] = {}

    def load(self, request: Request, confined: Callable[[], None]) -> dict[str, str] | None:
        """Load it; returns the description of the exception if learner code raised one.

        Kernels in Triton without `op.py` are loaded for Triton's compiler: `module` is then a `Frontend`, or
        says why there is none. Calls `confined` just before any learner code runs: threads that start there
        are confined, too.
        """
        text = request.text
        built = _artifact(text["artifact"]) if text["artifact"] else None
        if built is not None and request.records:
            _unpack(built, request)
        is_wheel = built is not None and built.interface == "wheel"
        # A wheel does without the folder it was built from.
        self.files = built.installed if built is not None and is_wheel else Path(text["files"])
        os.chdir(self.files)
        load = self._loader(built, text["op_file"], text["sources"], self.files)
        on_simt = built is not None and built.backend == "simt"
        if on_simt or self.confined:  # never on a GPU: its driver opens devices and starts threads
            landlock.confine(_needed(self.files, built))
        confined()
        try:
            self.module = load()
        except BaseException as error:  # learner code may raise anything, sys.exit() included
            return describe(error, self.files)
        return None

    def _loader(
        self, built: Artifact | None, op_file: str | None, sources: dict[str, str], files: Path
    ) -> Callable[[], Any]:
        """What makes the module, once this process is confined; now it does what must come before that."""
        in_triton = built is not None and built.interface == "triton"
        if in_triton and op_file is None:
            lacking = _lacking_compiler()
            return lambda: lacking or _frontend(sources, files)
        if in_triton and built is not None and built.backend == "simt":
            from cusimt import triton

            triton.activate()  # while the process may still start threads
        if op_file is not None:
            self._name = Path(op_file).name
            return lambda: _run_op(op_file, built, sources, files)
        if built is None:
            return lambda: None
        self._name = built.name
        if built.interface == "wheel":
            return lambda: installed.open_package(built.name, files, sources)
        return lambda: _open_library(built)

    def entry(self, dotted: str) -> Callable[..., Any]:
        """The attribute `dotted` of the submission; raises `AttributeError` naming the file that lacks
        it.
        """
        found = self.module
        for name in dotted.split("."):
            try:
                found = getattr(found, name)
            except AttributeError:
                raise AttributeError(f"`{self._name}` has no `{dotted}`") from None
        if not callable(found):
            raise TypeError(f"`{dotted}` in `{self._name}` is not a function")
        return found  # type: ignore[no-any-return]

    def inside(self, place: str) -> Callable[..., Any]:
        """The function `FILE.py:name` of the grader's or an author's."""
        path, _, name = place.rpartition(":")
        if path not in self._specs:
            self._specs[path] = _run_module(f"_inside_{len(self._specs)}", Path(path))
        return getattr(self._specs[path], name)  # type: ignore[no-any-return]


def _unpack(built: Artifact, request: Request) -> None:
    """Write the library that the request brings: this process is isolated and does not see the cache."""
    built.path.parent.mkdir(exist_ok=True)
    built.path.write_bytes(request.storage(0, torch.device("cpu")).numpy().tobytes())
    if built.interface == "wheel":
        zipfile.ZipFile(built.path).extractall(built.installed)


def _run_op(op_file: str, built: Artifact | None, sources: dict[str, str], files: Path) -> ModuleType:
    """The module `op`; before it, the kernels in Triton that it imports, or the library that it loads."""
    if built is not None and built.interface == "triton":
        for name in _kernel_files(sources):
            _run_text(Path(name).stem, sources[name], files / name)
    elif built is not None:
        from grader.compilation import preload

        preload({built.name: built})
    return _run_text("op", sources[Path(op_file).name], Path(op_file))


def describe(error: BaseException, files: Path | None) -> dict[str, Any]:
    """An exception as the reply carries it: type, message, the innermost place in the learner's files, and
    the places there that called it.
    """
    message = str(error)
    where = ""
    places: list[str] = []
    if isinstance(error, SyntaxError) and error.filename:
        where, message = f"{Path(error.filename).name}:{error.lineno}", error.msg
    elif files is not None:
        for frame in reversed(traceback.extract_tb(error.__traceback__)):
            if Path(frame.filename).is_relative_to(files):
                places.append(f"{Path(frame.filename).relative_to(files)}:{frame.lineno}")
        where, places = next(iter(places), ""), places[1:_MOST_CALLERS]
    message = _FOLDERS.sub("", message[:_MAX_MESSAGE])
    return {"type": type(error).__name__, "message": message, "where": where, "callers": places}


def _needed(files: Path, built: Artifact | None) -> list[Path]:
    """The paths learner code may read: the program, its own folder and library; not the rest of the cache."""
    return sandbox.worker_readable([files, *([built.path.parent] if built is not None else [])])


def _artifact(table: dict[str, Any]) -> Artifact:
    from grader.compilation import Artifact

    return Artifact(
        table["name"], table["interface"], Path(table["path"]), table["backend"], table["checked"],
        seconds=0.0, cached=True, log=Path(table["log"]),
    )  # fmt: skip


def _run_text(name: str, text: str, path: Path) -> ModuleType:
    """The module that `text` defines; `path` is where errors say that it stands."""
    module = ModuleType(name)
    module.__file__ = str(path)
    # What Triton reads to compile a kernel is what was audited, whatever the file holds by then.
    linecache.cache[str(path)] = (len(text), None, text.splitlines(keepends=True), str(path))
    sys.modules[name] = module
    exec(compile(text, str(path), "exec", dont_inherit=True), vars(module))
    return module


def _kernel_files(sources: Iterable[str]) -> list[str]:
    return [name for name in sources if name != _OP_FILE]


def _lacking_compiler() -> str:
    """Imports Triton for its compiler; returns why that is impossible, or ``""``."""
    from cusimt.triton import frontend

    try:
        frontend.import_compiler()
    except Exception as error:  # of an installation that is not complete
        return f"{type(error).__name__}: {error}"
    return ""


def _frontend(sources: dict[str, str], files: Path) -> Any:
    from cusimt.triton import frontend

    return frontend.Frontend(
        [_run_text(Path(name).stem, sources[name], files / name) for name in _kernel_files(sources)]
    )


def _run_module(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _open_library(built: Artifact) -> Any:
    if built.interface == "torch_library":
        torch.ops.load_library(str(built.path))  # type: ignore[no-untyped-call]
        return getattr(torch.ops, built.name)
    loader = importlib.machinery.ExtensionFileLoader(built.name, str(built.path))
    spec = importlib.util.spec_from_file_location(built.name, built.path, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module
