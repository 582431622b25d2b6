"""Explain Python's import errors of an installed package by the contents of its wheel."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cusimt.support.demangling import demangled
from grader.compilation import Artifact
from grader.packages import wheel

_UNDEFINED = re.compile(r"undefined symbol: (\w+)")
_NO_INIT = re.compile(r"does not define module export function \((\w+)\)")
_NOT_FOUND = re.compile(r"cannot import name '(\w+)' from (?:partially initialized module )?'(\w+)'")


def why_not_importable(message: str, artifact: Artifact) -> tuple[str, tuple[str, ...]]:
    """`message` of an ImportError without paths of this machine, and what `artifact`'s wheel installs."""
    files = wheel.read(artifact.path).files
    shown = ("The wheel installs:", *(f"  {name}" for name in files))
    message = re.sub(rf"\S*/{artifact.installed.name}/", "", message).partition(" (most likely")[0]
    if undefined := _UNDEFINED.search(message):
        return (
            f"{_readable(undefined[1])} is used, and nothing in the library defines it. It was linked out of "
            "the sources that CUDAExtension lists: are they all there?",
            shown,
        )
    if missing := _NO_INIT.search(message):
        name = missing[1][7:]
        return (
            f"{message}. One of the sources has to define the module {name}: is it listed? And the last part "
            f"of the extension's name has to be {name}.",
            shown,
        )
    if missing := _NOT_FOUND.search(message):
        return (
            f"there is no {missing[2]}.{missing[1]} in the wheel{_named(files)}. The first argument of "
            "CUDAExtension is the dotted name under which the module is imported.",
            shown,
        )
    if "namespace package" in message:
        return f"{message}. List the package in [tool.setuptools] packages of pyproject.toml.", shown
    return message, shown


def _named(files: Sequence[str]) -> str:
    names = [name.partition(".")[0].replace("/", ".") for name in files if name.endswith(".so")]
    return f": the extension is named {names[0]}" if len(names) == 1 else ""


def _readable(symbol: str) -> str:
    """The C++ name of a symbol, without its parameters, where binutils are installed."""
    return demangled([symbol])[0].removeprefix("void ").partition("(")[0]
