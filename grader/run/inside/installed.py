"""Importing an installed package as on a machine that has Python and torch, and no compiler.

The process has torch already, which costs a second to import and which a new Python would not have. So that a
package sees what a new Python would show it, torch is out of sight until the package imports it.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType

_TOOLKIT = ("CUDA_HOME", "CUDA_PATH", "CUDACXX", "CXX", "CC")


def open_package(name: str, folder: Path, sources: Mapping[str, str]) -> ModuleType:
    """Import the package `name`, installed in `folder`; raises what that raises.

    Python files are those of `sources`, by their names below `folder`: what lies there is not read again.
    """
    os.environ["PATH"] = ""
    for variable in _TOOLKIT:
        os.environ.pop(variable, None)
    sys.meta_path.insert(0, _Given(sources, folder, name))
    sys.meta_path.append(_Given(sources, folder))  # what else the wheel installs hides nothing of Python's
    with _torch_out_of_sight(folder), _loaders_words():
        module = importlib.import_module(name)
    if module.__file__ is None:
        raise ImportError(
            f"the wheel holds no {name}/__init__.py, so Python makes an empty namespace package of the folder"
        )
    _require_its_extensions(name, folder)
    return module


def _require_its_extensions(name: str, folder: Path) -> None:
    """An extension module that nothing has loaded has registered no operators."""
    import torch

    loaded = {Path(library).resolve() for library in torch.ops.loaded_libraries}
    for library in sorted((folder / name).glob("*.so")):
        module = f"{name}.{library.name.partition('.')[0]}"
        if module not in sys.modules and library.resolve() not in loaded:
            raise ImportError(f"no operators are registered: nothing imports {module}")


@contextmanager
def _loaders_words() -> Iterator[None]:
    """torch.ops.load_library says only which file it was; what the loader said is the exception's cause."""
    try:
        yield
    except OSError as error:
        if isinstance(error.__cause__, OSError):
            error.args = (str(error.__cause__),)
        raise


@contextmanager
def _torch_out_of_sight(folder: Path) -> Iterator[None]:
    """Within the context, importing torch or a part of it brings back what is there; until then it is not."""
    loaded = [name for name in sys.modules if name.partition(".")[0] == "torch"]
    finder = _LikeANewPython({name: sys.modules.pop(name) for name in loaded}, folder)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        sys.modules.update(finder.hidden)


class _Given(MetaPathFinder, Loader):
    """Finds the modules whose texts were given, those of one package or all, and extension modules."""

    def __init__(self, sources: Mapping[str, str], folder: Path, package: str = "") -> None:
        self.sources = sources
        self.folder = folder
        self.package = package

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if self.package and not f"{fullname}.".startswith(f"{self.package}."):
            return None
        place = fullname.replace(".", "/")
        name = f"{place}/__init__.py" if f"{place}/__init__.py" in self.sources else f"{place}.py"
        if name not in self.sources:
            return self._without_text(fullname, place)
        spec = ModuleSpec(fullname, self, origin=str(self.folder / name))
        spec.has_location = True  # so that the module has a __file__
        if name.endswith("/__init__.py"):
            spec.submodule_search_locations = [str(self.folder / place)]
        return spec

    def _without_text(self, fullname: str, place: str) -> ModuleSpec | None:
        """An extension module, or the empty package that Python makes of a folder."""
        for suffix in EXTENSION_SUFFIXES:
            if (library := self.folder / f"{place}{suffix}").is_file():
                return spec_from_file_location(fullname, library)
        if fullname != self.package or not (self.folder / place).is_dir():
            return None
        spec = ModuleSpec(fullname, None, is_package=True)
        spec.submodule_search_locations = [str(self.folder / place)]
        return spec

    def exec_module(self, module: ModuleType) -> None:
        origin = str(module.__file__)
        text = self.sources[Path(origin).relative_to(self.folder).as_posix()]
        exec(compile(text, origin, "exec", dont_inherit=True), vars(module))


class _LikeANewPython(MetaPathFinder, Loader):
    """Finds torch; and below `folder` no extension module as long as torch is out of sight."""

    def __init__(self, hidden: dict[str, ModuleType], folder: Path) -> None:
        self.hidden = hidden
        self.folder = folder
        self.torch = hidden["torch"]
        self.torch_spec = self.torch.__spec__

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not self.hidden:
            return None
        if fullname == "torch":
            return ModuleSpec("torch", self)
        place = Path(next(iter(path or ()), self.folder), fullname.rpartition(".")[2])
        if (place / "__init__.py").is_file():  # Python prefers a package to a module of its name
            return None
        if any(place.with_name(place.name + suffix).is_file() for suffix in EXTENSION_SUFFIXES):
            raise ImportError(
                "libc10.so: cannot open shared object file: No such file or directory. The extension is "
                "linked with torch's libraries, which are found once torch is imported: import it first."
            )
        return None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self.torch

    def exec_module(self, module: ModuleType) -> None:
        """It was executed long ago: all of it is in sight again, as it was."""
        module.__spec__ = self.torch_spec
        sys.modules.update(self.hidden)
        self.hidden = {}
