"""A source together with the files of its own that it includes: found, and translated as a tree."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cusimt.compiler.cccl import refuse_missing
from cusimt.folders import INCLUDE
from cusimt.gpu_models import architecture
from cusimt.support import cache
from cusimt.translate import TranslationError, translate

__all__ = [
    "CUDA_SUFFIXES",
    "beside",
    "closure",
    "common_folder",
    "content_key",
    "is_cuda",
    "missing",
    "translate_tree",
]

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include(?:_next)?[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>|(\S))', re.MULTILINE)
_HEADER_SUFFIXES = (".h", ".hpp", ".hh", ".cuh", ".inl", ".inc")


CUDA_SUFFIXES = (".cu",)


def is_cuda(source: Path) -> bool:
    """Whether nvcc is to compile `source`, as opposed to the host compiler."""
    return source.suffix in CUDA_SUFFIXES


@dataclass(frozen=True)
class Tree:
    """A source and the files of its own that it includes, directly or not: `files`, in order.

    `folders` are those through which includes lead to one of them. `elsewhere` lists, for each file, its
    includes whose files do not lie where the include's text says: behind a link, or at a whole path.
    """

    files: tuple[Path, ...]
    folders: tuple[Path, ...]
    elsewhere: Mapping[Path, Mapping[str, Path]]

    @property
    def root(self) -> Path:
        """The deepest folder that holds all files and folders: below it, a copy keeps every include right."""
        return Path(os.path.commonpath([*(file.parent for file in self.files), *self.folders]))


def tree(
    source: Path,
    include_dirs: Iterable[Path],
    system_dirs: Iterable[Path] = (),
    forced: Iterable[Path] = (),
) -> Tree:
    """`source`, the `forced` headers, and every file below their folders or `include_dirs` that they include.

    Of `system_dirs`, where libraries keep their headers, only `.cuh` files count: they may launch kernels.
    Conditions are not evaluated: an include that the preprocessor would skip is listed too. An include whose
    operand is a macro counts as all headers beside the including file.
    """
    folders = [folder.resolve() for folder in include_dirs]
    libraries = [folder.resolve() for folder in system_dirs]
    files: dict[Path, None] = {}
    used: dict[Path, None] = {}
    elsewhere: dict[Path, dict[str, Path]] = {}
    pending = [file.absolute() for file in (source, *forced)]
    while pending:
        name = pending.pop(0)  # as the preprocessor knows it: it may be a link, with headers beside the link
        file = name.resolve()
        if file in files:
            continue
        files[file] = None
        for quoted, angled, computed in _INCLUDE.findall(_read(file)):
            if computed:
                pending += sorted(f for f in file.parent.iterdir() if f.suffix in _HEADER_SUFFIXES)
                continue
            operand = quoted or angled
            found = _find(operand, [name.parent]) if quoted else None
            is_beside = found is not None
            found = found or _find(operand, folders) or _find_kernels(operand, libraries)
            if found is None:
                continue
            folder, target = found
            pending.append(target)
            here = file.parent if is_beside else folder
            if not is_beside or operand.startswith(".."):
                used[_highest(here, operand)] = None
            if not _lies_at(operand, here, target.resolve()):
                elsewhere.setdefault(file, {})[operand] = target.resolve()
    return Tree(tuple(files), tuple(used), elsewhere)


def closure(source: Path, include_dirs: Iterable[Path]) -> list[Path]:
    """The files of the `tree` of a source."""
    return list(tree(source, include_dirs).files)


def missing(source: Path, include_dirs: Iterable[Path], system_dirs: Iterable[Path]) -> list[str]:
    """The includes of `source` whose files are not found, as they are written.

    `system_dirs` are the folders of all libraries but the standard ones. A name in angle brackets without a
    suffix counts as one of the standard library, and an operand that is a macro as not found.
    """
    folders = [*include_dirs, *system_dirs]
    found = []
    for quoted, angled, computed in _INCLUDE.findall(_read(source)):
        name = quoted or angled or computed
        standard = bool(angled) and "." not in name
        beside = [source.parent] if quoted else []
        if computed or not (standard or _find(name, [*beside, *folders])):
            found.append(name)
    return found


def common_folder(files: Iterable[Path]) -> Path:
    """The deepest folder that holds all `files`."""
    return Path(os.path.commonpath([file.parent for file in files]))


def translate_tree(
    source: Path,
    include_dirs: Iterable[Path],
    destination: Path,
    system_dirs: Iterable[Path] = (),
    forced: Sequence[str] = (),
    relocatable: bool = False,
    module: bool = False,
) -> tuple[Path, list[Path]]:
    """Translate `source` and its tree below `destination`, keeping how the files lie to one another.

    `forced` are the names of headers that come before its first line, those of -include. `relocatable` device
    code may be linked with that of other sources; a `module` is for the driver's API. Returns the translated
    source, and `include_dirs` with the translated folders before the original ones. The source's own folder
    is not among them: its `semaphore.h` must not hide the system's. What is included from there in a way that
    `tree` does not see is found with `beside`.
    Raises TranslationError where the source uses what the simulated backend does not have. A library's
    header that does so stays as it is: much of it is never used.
    """
    include_dirs = [folder.resolve() for folder in include_dirs]
    system_dirs = [folder.resolve() for folder in system_dirs]
    first = {name: find_forced(name, include_dirs) for name in forced}
    present = [header for header in first.values() if header]
    own = tree(source, include_dirs, forced=present).files
    everything = tree(source, include_dirs, system_dirs, present)
    root = everything.root
    texts = {file: _read(file) for file in own}
    for file in everything.files:
        target = destination / file.relative_to(root)
        target.parent.mkdir(parents=True, exist_ok=True)
        text = _translated(file, texts, relocatable, module)
        text = _with_mirrored_includes(text, everything.elsewhere.get(file, {}), root, destination)
        if file == everything.files[0]:
            text = _forced_includes(first, root, destination) + text
        target.write_text(text, encoding="utf-8", errors="surrogateescape")
    inside = [
        destination / folder.relative_to(root)
        for folder in [*include_dirs, *system_dirs]
        if folder.is_relative_to(root)
    ]
    return destination / everything.files[0].relative_to(root), [*inside, *include_dirs]


def find_forced(name: str, include_dirs: Iterable[Path]) -> Path | None:
    """The program's own header that -include names: from the current folder, else from the include path."""
    found = _find(name, [Path.cwd(), *include_dirs])
    return found[1] if found else None


def _forced_includes(headers: Mapping[str, Path | None], root: Path, destination: Path) -> str:
    """Lines that include `headers`, in order; one that is not the program's own is left to the compiler."""
    lines = []
    for name, file in headers.items():
        target = f'"{destination / file.resolve().relative_to(root)}"' if file else f"<{name}>"
        lines.append(f"#include {target}\n")
    return "".join(lines)


def beside(source: Path) -> tuple[str, str]:
    """The compiler's flags that make it look in the source's own folder, behind all others."""
    return "-idirafter", str(source.resolve().parent)


def _with_mirrored_includes(text: str, elsewhere: Mapping[str, Path], root: Path, destination: Path) -> str:
    """`text` with the includes that a copy would not find naming the mirrored files."""

    def mirrored(include: re.Match[str]) -> str:
        name = include[1] or include[2] or ""
        line: str = include[0]
        if name not in elsewhere:
            return line
        return line.replace(name, str(destination / elsewhere[name].relative_to(root)))

    return _INCLUDE.sub(mirrored, text) if elsewhere else text


def _translated(file: Path, own: dict[Path, str], relocatable: bool, module: bool) -> str:
    """`own`: the sources that the program does not have from a library."""
    if file in own:
        refuse_missing(own[file], str(file))
        others = [text for path, text in own.items() if path != file]
        return translate(own[file], str(file), architecture(), others, relocatable, module)
    text = _read(file)
    try:
        return translate(text, str(file), architecture(), relocatable=relocatable, module=module)
    except TranslationError:
        return text


def _read(file: Path) -> str:
    """The text without a byte order mark; what is no UTF-8 survives, as comments and strings may hold it."""
    return file.read_text(encoding="utf-8-sig", errors="surrogateescape")


def _find_kernels(name: str, libraries: Iterable[Path]) -> tuple[Path, Path] | None:
    """The library's file `name` if kernels may be launched there and it is none of this backend's own."""
    found = _find(name, libraries) if name.endswith(".cuh") else None
    return None if found is None or found[1].resolve().is_relative_to(INCLUDE) else found


def _highest(folder: Path, operand: str) -> Path:
    """The highest folder through which `operand` leads from `folder`."""
    up = itertools.takewhile(lambda part: part == "..", Path(operand).parts)
    return Path(os.path.normpath(folder.joinpath(*up)))


def _lies_at(operand: str, folder: Path, file: Path) -> bool:
    """Whether a copy of `file` is found by `operand` from the copy of `folder`, without others in between."""
    is_plain = not operand.startswith("/") and os.path.normpath(operand) == operand
    return is_plain and os.path.normpath(folder / operand) == str(file)


def _find(name: str, folders: Iterable[Path]) -> tuple[Path, Path] | None:
    """The first of `folders` with a file `name`, and that file, whose links are not resolved."""
    return next(((folder, folder / name) for folder in folders if (folder / name).is_file()), None)


def content_key(source: Path, include_dirs: Iterable[Path]) -> list[str]:
    """Names and contents of `source` and of the files of its own that it includes."""
    files = closure(source, include_dirs)
    root = common_folder(files)
    return [part for f in files for part in (f.relative_to(root).as_posix(), cache.file_digest(f))]
