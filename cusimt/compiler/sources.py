"""A source together with the files of its own that it includes: found, and translated as a tree."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
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


def closure(source: Path, include_dirs: Iterable[Path], system_dirs: Iterable[Path] = ()) -> list[Path]:
    """`source` and every file below its folder or `include_dirs` that it includes, directly or not, in order.

    Of `system_dirs`, where libraries keep their headers, only `.cuh` files count: they may launch kernels.
    Conditions are not evaluated: an include that the preprocessor would skip is listed too. An include whose
    operand is a macro counts as all headers beside the including file.
    """
    folders = [folder.resolve() for folder in include_dirs]
    libraries = [folder.resolve() for folder in system_dirs]
    found: dict[Path, None] = {}
    pending = [source.resolve()]
    while pending:
        file = pending.pop(0)
        if file in found:
            continue
        found[file] = None
        for quoted, angled, computed in _INCLUDE.findall(_read(file)):
            if computed:
                pending += sorted(f for f in file.parent.iterdir() if f.suffix in _HEADER_SUFFIXES)
                continue
            beside = [file.parent] if quoted else []
            target = _resolve(quoted or angled, [*beside, *folders])
            target = target or _resolve_kernels(quoted or angled, libraries)
            pending += [target] if target else []
    return list(found)


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
        if computed or not (standard or _resolve(name, [*beside, *folders])):
            found.append(name)
    return found


def common_folder(files: Iterable[Path]) -> Path:
    """The deepest folder that holds all `files`."""
    return Path(os.path.commonpath([file.parent for file in files]))


def translate_tree(
    source: Path, include_dirs: Iterable[Path], destination: Path, system_dirs: Iterable[Path] = ()
) -> tuple[Path, list[Path]]:
    """Translate `source` and its closure below `destination`, keeping how the files lie to one another.

    Returns the translated source, and `include_dirs` with the translated folders before the original ones.
    The source's own folder is not among them: its `semaphore.h` must not hide the system's. What is included
    from there in a way that `closure` does not see is found with `beside`.
    Raises TranslationError where the source uses what the simulated backend does not have. A library's
    header that does so stays as it is: much of it is never used.
    """
    include_dirs = [folder.resolve() for folder in include_dirs]
    system_dirs = [folder.resolve() for folder in system_dirs]
    own = closure(source, include_dirs)
    files = [*own, *(file for file in closure(source, include_dirs, system_dirs) if file not in own)]
    root = common_folder(files)
    texts = {file: _read(file) for file in own}
    for file in files:
        target = destination / file.relative_to(root)
        target.parent.mkdir(parents=True, exist_ok=True)
        text = _translated(file, texts)
        text = _with_mirrored_includes(text, set(files), root, destination)
        target.write_text(text, encoding="utf-8", errors="surrogateescape")
    inside = [
        destination / folder.relative_to(root)
        for folder in [*include_dirs, *system_dirs]
        if folder.is_relative_to(root)
    ]
    return destination / files[0].relative_to(root), [*inside, *include_dirs]


def beside(source: Path) -> tuple[str, str]:
    """The compiler's flags that make it look in the source's own folder, behind all others."""
    return "-idirafter", str(source.resolve().parent)


def _with_mirrored_includes(text: str, files: set[Path], root: Path, destination: Path) -> str:
    """`text` with includes of whole paths naming the mirrored files."""

    def mirrored(include: re.Match[str]) -> str:
        name = include[1] or include[2] or ""
        file = Path(name).resolve() if name.startswith("/") else None
        line: str = include[0]
        if file is None or file not in files:
            return line
        return line.replace(name, str(destination / file.relative_to(root)))

    return _INCLUDE.sub(mirrored, text)


def _translated(file: Path, own: dict[Path, str]) -> str:
    """`own`: the sources that the program does not have from a library."""
    if file in own:
        refuse_missing(own[file], str(file))
        others = [text for path, text in own.items() if path != file]
        return translate(own[file], str(file), architecture(), others)
    text = _read(file)
    try:
        return translate(text, str(file), architecture())
    except TranslationError:
        return text


def _read(file: Path) -> str:
    """The text without a byte order mark; what is no UTF-8 survives, as comments and strings may hold it."""
    return file.read_text(encoding="utf-8-sig", errors="surrogateescape")


def _resolve_kernels(name: str, libraries: Iterable[Path]) -> Path | None:
    """The library's file `name` if kernels may be launched there and it is none of this backend's own."""
    file = _resolve(name, libraries) if name.endswith(".cuh") else None
    return None if file is None or file.is_relative_to(INCLUDE) else file


def _resolve(name: str, folders: Iterable[Path]) -> Path | None:
    for folder in folders:
        if (folder / name).is_file():
            return (folder / name).resolve()
    return None


def content_key(source: Path, include_dirs: Iterable[Path]) -> list[str]:
    """Names and contents of `source` and of the files of its own that it includes."""
    files = closure(source, include_dirs)
    root = common_folder(files)
    return [part for f in files for part in (f.relative_to(root).as_posix(), cache.file_digest(f))]
