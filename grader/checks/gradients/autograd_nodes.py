"""The learner's source line behind one of autograd's own errors, which names only the node."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from pathlib import Path

from grader.run.values import RemoteError

_NODE = re.compile(r"\bfunction (\w+)Backward\b")


def placed(error: RemoteError, files: Path) -> RemoteError:
    """`error`, where it has no place, with that of the last return of the backward that it names."""
    named = _NODE.search(error.message)
    if error.where or named is None:
        return error
    for path in sorted(files.rglob("*.py")):
        line = _last_return(path, named[1])
        if line:
            return replace(error, where=f"{path.relative_to(files)}:{line}")
    return error


def _last_return(path: Path, function: str) -> int:
    """The line of the last ``return`` in ``backward`` of the class; 0 when there is none."""
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, SyntaxError):
        return 0
    classes = (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and node.name == function)
    methods = (each for node in classes for each in node.body if isinstance(each, ast.FunctionDef))
    backward = next((each for each in methods if each.name == "backward"), None)
    if backward is None:
        return 0
    return max((node.lineno for node in ast.walk(backward) if isinstance(node, ast.Return)), default=0)
