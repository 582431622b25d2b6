"""Compilers' messages without the folders of this machine: readers of a verdict have other ones."""

from __future__ import annotations

import functools
import re
import sys
import tempfile
from pathlib import Path

import cusimt.folders
from cusimt.support import cache
from cusimt.support.scratch import PREFIX
from cusimt.support.toolchain import torch_install
from grader.support.folders import PACKAGE

_SCRATCH = re.compile(PREFIX + r"\w+-\w+/")
_BUILDING = re.compile(r"\w+/[0-9a-f]{32}(?:\.\d+\.building)?/(?:translated/)?")


def without_host_paths(text: str, own: Path) -> str:
    """`text` with files below `own`, or below another known folder, by their names there."""
    for folder in dict.fromkeys((str(own), str(own.resolve()))):
        text = text.replace(f"{folder}/", "")
    for root, shown in _roots():
        text = text.replace(f"{root}/", shown)
    return _BUILDING.sub("", _SCRATCH.sub("", text))


@functools.cache
def _roots() -> tuple[tuple[str, str], ...]:
    """Folders and their placeholders, the innermost first."""
    found = {
        str(cusimt.folders.INCLUDE): "",
        str(cusimt.folders.PACKAGE): "cusimt/",
        str(PACKAGE): "grader/",
        str(torch_install().root.parent): "",
        str(cache.cache_root()): "",
        sys.prefix: "",
        sys.base_prefix: "",
        str(Path.home()): "~/",
        tempfile.gettempdir(): "",
    }
    resolved = {str(Path(root).resolve()): shown for root, shown in found.items()}
    return tuple(sorted({**found, **resolved}.items(), key=lambda each: -len(each[0])))
