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

from cusimt.support import cache
from cusimt.support.locks import hold

NATIVE = (".cu", ".cpp", ".cc", ".cxx", ".c", ".h", ".hpp", ".cuh")
LOG = "build.log"  # of the build, in `out`
REPORT = "report.json"  # how it ended
PROBE = "probe"  # the same of the second build
ORIGINS = "origins.json"  # where the sources use what is not stable
_OBJECTS = "temp.*"  # below build/, named by setuptools after the platform


@dataclass(frozen=True)
class BuildFolder:
    """`tree` is the copy of the folder, `scratch` for temporary files and `out` for the wheel."""

    tree: Path
    scratch: Path
    out: Path

    @property
    def build(self) -> Path:
        return self.tree / "build"


@contextlib.contextmanager
def build_folder(files: Path, names: Sequence[str], parts: Sequence[object]) -> Iterator[BuildFolder]:
    """The build folder of the files `names` below `files`, swept; nobody else uses it meanwhile.

    `parts` are what else the objects in it depend on.
    """
    native = sorted(name for name in names if Path(name).suffix in NATIVE)
    key = [part for name in native for part in (name, cache.file_digest(files / name))]
    with cache.entry(["package", *parts, *key], room="packages") as slot:
        pass  # published empty: what is in it changes with every build, which the cache would take for damage
    with hold(slot.path / "lock"):
        place = BuildFolder(slot.path / "tree", slot.path / "scratch", slot.path / "out")
        _sweep(place, native)
        for name in names:
            _bring(files / name, place.tree / name)
        yield place


def _bring(source: Path, copy: Path) -> None:
    """Copy a file, unless it is there: objects made of it are as old as it is."""
    if not copy.is_file() or cache.file_digest(copy) != cache.file_digest(source):
        _remove(copy)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, copy)


def _sweep(place: BuildFolder, native: Sequence[str]) -> None:
    """Leave the native sources and the objects made of them, and nothing else."""
    for folder in (place.scratch, place.out):
        _remove(folder)
        folder.mkdir()
    if place.tree.is_symlink():
        _remove(place.tree)
    place.tree.mkdir(exist_ok=True)
    kept = {place.tree / name for name in native} | set(place.build.glob(_OBJECTS))
    for path in place.tree.iterdir():
        _sweep_out(path, kept)


def _sweep_out(path: Path, kept: set[Path]) -> None:
    """Never through a link: a setup.py may have left one that leads to files of the user's."""
    leads_there = path.is_dir() and any(path in each.parents for each in kept)
    if path.is_symlink() or not (path in kept or leads_there):
        _remove(path)
    elif leads_there:
        for inner in path.iterdir():
            _sweep_out(inner, kept)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
