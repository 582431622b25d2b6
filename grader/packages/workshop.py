"""The folder in which a package is built: a copy of the learner's files that keeps its compiled objects.

The folder belongs to one set of native sources: another kernel is built elsewhere. So ninja, which goes by
time stamps and command lines, compiles anew exactly what a changed setup.py asks to be compiled differently,
and a change of the metadata compiles nothing. All else that a build leaves behind is swept out before the
next one: no wheel can hold what an earlier one held.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader import cache
from grader.locks import hold

NATIVE = (".cu", ".cpp", ".cc", ".cxx", ".c", ".h", ".hpp", ".cuh")
LOG = "build.log"  # of the build, in `out`
REPORT = "report.json"  # how it ended
PROBE = "probe"  # the same of the second build
_OBJECTS = "temp.*"  # below build/, named by setuptools after the platform


@dataclass(frozen=True)
class Workshop:
    """`tree` is the copy of the folder, `scratch` for temporary files and `out` for the wheel."""

    tree: Path
    scratch: Path
    out: Path

    @property
    def build(self) -> Path:
        return self.tree / "build"


@contextlib.contextmanager
def workshop(files: Path, names: Sequence[str], parts: Sequence[object]) -> Iterator[Workshop]:
    """The workshop of the files `names` below `files`, swept; nobody else uses it meanwhile.

    `parts` are what else the objects in it depend on.
    """
    native = sorted(name for name in names if Path(name).suffix in NATIVE)
    key = [part for name in native for part in (name, cache.file_digest(files / name))]
    with cache.entry(["workshop", *parts, *key], room="workshops") as slot:
        if slot.missing:
            for name in native:
                copy = slot.folder / "tree" / name
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(files / name, copy)
    with hold(slot.path / "lock"):
        place = Workshop(slot.path / "tree", slot.path / "scratch", slot.path / "out")
        _sweep(place, native)
        for name in set(names) - set(native):
            (place.tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(files / name, place.tree / name)
        yield place


def _sweep(place: Workshop, native: Sequence[str]) -> None:
    """Leave the native sources and the objects made of them, and nothing else."""
    for folder in (place.scratch, place.out):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
    place.tree.mkdir(exist_ok=True)
    kept = {place.tree / name for name in native} | set(place.build.glob(_OBJECTS))
    for path in place.tree.iterdir():
        _sweep_out(path, kept)


def _sweep_out(path: Path, kept: set[Path]) -> None:
    if path in kept:
        return
    if not any(path in keeper.parents for keeper in kept):
        _remove(path)
        return
    for inner in path.iterdir():
        _sweep_out(inner, kept)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()
