"""A program that runs in a package's folder and calls the build back end, setuptools, as pip does.

`python -m grader.packages.backend --backend simt --out FOLDER`, in the folder of a package. Everything that
the package itself brings, setup.py above all, runs in a child of this process, which may write below the
folders it was given and nowhere else. The wheel goes into `--out`, and `report.json` beside it says how it
went. With `--edited FILE` the package is then built once more, as if FILE had been edited: see `probe`.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import os
import shutil
import signal
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from cusimt.support.toolchain import cuda_toolkit, ninja
from grader.packages import flags, origins
from grader.packages.build_folder import LOG, NATIVE, ORIGINS, PROBE, REPORT
from grader.run import landlock, limits
from grader.support.backends import Backend

_BACK_END = "setuptools.build_meta"
_PROBE_LOG = "probe.log"
_ORIGINS_LOG = "origins.log"
_MISSING_HEADER = "edited_after_the_first_build.h"
_ENVIRONMENT = (
    "TORCH_CUDA_ARCH_LIST",
    "TORCH_EXTENSIONS_DIR",
    "CC",
    "CFLAGS",
    "CXXFLAGS",
    "NVCC_APPEND_FLAGS",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Build; the exit status is 0 also when the package is at fault, since the report says so."""
    options = _parser().parse_args(arguments)
    limits.adopt_orphans()
    if options.parent:
        limits.die_with_parent(options.parent)
    _prepare(options.backend)
    for module in (_BACK_END, "torch.utils.cpp_extension"):  # once, for both builds
        importlib.import_module(module)
    if options.backend == "simt":
        flags.watch(importlib.import_module("torch.utils.cpp_extension").BuildExtension)
    limits.apply(options.memory, options.file_bytes, options.processes)
    if options.writable:
        landlock.confine(options.readable, options.writable, options.listable)
    fault = _in_child(options.out / LOG, lambda: _build(options.out, options.out / REPORT))
    if fault != 0 or not any(options.out.glob("*.whl")):
        return 0
    _in_child(options.out / _ORIGINS_LOG, lambda: _write_origins(options.out / ORIGINS))
    if options.edited:
        with _build_folder_kept():
            _in_child(options.out / _PROBE_LOG, lambda: probe(options.edited, options.out / PROBE))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="grader.packages.backend")
    parser.add_argument("--backend", required=True, choices=("simt", "cuda"))
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--edited", type=Path)
    parser.add_argument("--parent", type=int, default=0)
    parser.add_argument("--memory", type=int, required=True)
    parser.add_argument("--file-bytes", type=int, required=True)
    parser.add_argument("--processes", type=int, default=0)
    for name in ("--readable", "--writable", "--listable"):
        parser.add_argument(name, type=Path, action="append", default=[])
    return parser


def _prepare(backend: Backend) -> None:
    """The environment of a machine that builds wheels: what is not in the package's files is not decided."""
    if backend == "simt":
        from cusimt.activate import activate
        from cusimt.compiler.extension import redirect

        activate()
        redirect(checked=True)
    else:
        toolkit = cuda_toolkit()
        os.environ["CUDA_HOME"] = str(toolkit.nvcc.parent.parent)
        os.environ["PATH"] = os.pathsep.join([os.environ.get("PATH", os.defpath), str(ninja().parent)])
    for name in _ENVIRONMENT:
        os.environ.pop(name, None)
    sys.dont_write_bytecode = True


def _in_child(log: Path, action: Callable[[], None]) -> int:
    """Run `action` in a child whose output goes to `log`; returns its wait status."""
    child = os.fork()
    if child:
        status = os.waitpid(child, 0)[1]
        _end_what_it_started()
        return status
    status = 1
    try:
        descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(descriptor, 1)
        os.dup2(descriptor, 2)
        action()
        status = 0
    finally:
        sys.stdout.flush()
        os._exit(status)


def _end_what_it_started() -> None:
    """Kill what a build left running, since nothing may write into its folder after it."""
    while left := limits.children_of(os.getpid()):
        for child in left:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


@contextlib.contextmanager
def _build_folder_kept() -> Iterator[None]:
    """Afterwards the objects are those of before, with their time stamps: ninja goes by these."""
    build, kept = Path("build"), Path("build.kept")
    shutil.copytree(build, kept, symlinks=True)
    try:
        yield
    finally:
        shutil.rmtree(build, ignore_errors=True)
        kept.rename(build)


def _build(out: Path, report: Path) -> None:
    fault = {"type": "", "message": "", "where": ""}
    try:
        importlib.import_module(_BACK_END).build_wheel(str(out))
    except BaseException as error:  # setup.py may raise anything, and setuptools raises SystemExit
        traceback.print_exc()
        fault = _told(error)
    report.write_text(json.dumps(fault))


def _write_origins(out: Path) -> None:
    build = Path("build")
    sources = [path for path in Path().rglob("*") if path.suffix in NATIVE and build not in path.parents]
    origins.write(sources, build, out)


def _told(error: BaseException) -> dict[str, str]:
    """The exception in words, and the last line of the package's own files that led to it."""
    places = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    message = str(error)
    if isinstance(error, SyntaxError):
        places.append((error.filename or "", error.lineno))
        message = error.msg
    where = [f"{name}:{line}" for name, line in ((_own_file(file), line) for file, line in places) if name]
    return {"type": type(error).__name__, "message": message, "where": where[-1] if where else ""}


def _own_file(file: str) -> str:
    """The name of a file of the package; setuptools runs setup.py as a string without one."""
    if file == "<string>":
        return "setup.py"
    path = Path.cwd() / file
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else ""


def probe(edited: Path, out: Path) -> None:
    """Build again after an edit of `edited` that does not compile, without sweeping anything out first.

    A build that goes well all the same has not compiled the file: it serves what was compiled before. The
    edit is in the first line, so that the compiler stops there.
    """
    text, stamp = edited.read_text(encoding="utf-8"), edited.stat()
    out.mkdir()
    edited.write_text(f'#include "{_MISSING_HEADER}"\n{text}', encoding="utf-8")
    try:
        _build(out, out / REPORT)
    finally:
        edited.write_text(text, encoding="utf-8")
        os.utime(edited, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))


if __name__ == "__main__":
    sys.exit(main())
