"""setup.py by its syntax tree: it declares what is built, in a process that can do nothing else.

The process is confined (grader.packages); this audit is about the verdict. A build that switches the access
checks off, or that compiles other sources than those that were looked at, would make a pass worthless.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from grader.audit.objection import Objection

_IMPORTS = ("os", "sys", "pathlib", "re", "glob", "platform", "setuptools", "torch", "__future__")
_IMPORT_RULE = f"setup.py may import {', '.join(_IMPORTS[:-1])}."
_DECLARES = "setup.py declares what is built, and leaves the building to setuptools and torch."
_PARTS = {  # what it may use of modules that can do more
    "os": frozenset(("environ", "path", "getenv", "cpu_count", "sep", "pathsep", "name", "fspath")),
    "sys": frozenset(("platform", "version_info", "byteorder", "maxsize", "version")),
}
_NAMES = frozenset((
    "eval", "exec", "compile", "__import__", "getattr", "setattr", "delattr", "globals", "locals", "vars",
    "breakpoint", "input", "__builtins__", "__loader__", "__spec__",
))  # fmt: skip
_WRITES = frozenset((
    "write_text", "write_bytes", "unlink", "rename", "replace", "symlink_to", "hardlink_to", "chmod", "touch",
    "mkdir", "rmdir", "sandbox", "msvc", "_distutils", "modules", "meta_path",
))  # fmt: skip
_CHECKS_RULE = "Every access of a submission is to be checked, so a build may not touch the checks."
_TOUCHES = re.compile(
    r"sanitize|instrument|fplugin|specs=|--wrap|tsan|simt|cu2grad|nvcc.*--run|objcopy|--?define-?sym|LD_PRELOAD|"
    r"^-(include|imacros|iquote|B|wrapper|Xclang|mllvm)|-Wl,.*(wrap|defsym|dynamic-list|script)|^@|__builtin_",
    re.IGNORECASE,
)


def audit(text: str, file: str) -> Iterator[Objection]:
    """Objections in the order of the lines; a file that Python cannot parse is the build's to report."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    found = [each for node in ast.walk(tree) for each in _objections(node, file)]
    yield from sorted(found, key=lambda objection: objection.line)


def _objections(node: ast.AST, file: str) -> Iterator[Objection]:
    line = getattr(node, "lineno", 0)
    if isinstance(node, ast.Import | ast.ImportFrom):
        for name in _imported(node):
            if not _may_import(name):
                yield Objection(file, line, f"imports `{name}`", _IMPORT_RULE)
    elif isinstance(node, ast.Name) and node.id in _NAMES:
        yield Objection(file, line, f"uses `{node.id}`", _DECLARES)
    elif isinstance(node, ast.Attribute):
        if not _may_use(node):
            yield Objection(file, line, f"uses `{ast.unparse(node)}`", _DECLARES)
        elif not isinstance(node.ctx, ast.Load):
            yield Objection(file, line, f"changes `{ast.unparse(node)}`", _DECLARES)
    elif isinstance(node, ast.ClassDef):
        yield Objection(file, line, f"defines the class {node.name}", _DECLARES)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and (touches := _touched(node.value)):
        yield Objection(file, line, f"says `{touches}`", _CHECKS_RULE)


def _imported(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.ImportFrom):
        return [f"{'.' * node.level}{node.module or ''}.{alias.name}" for alias in node.names]
    return [alias.name for alias in node.names]


def _may_import(name: str) -> bool:
    root, _, rest = name.partition(".")
    allowed = _PARTS.get(root)
    return root in _IMPORTS and (allowed is None or not rest or rest in allowed) and "._" not in name


def _may_use(node: ast.Attribute) -> bool:
    allowed = _PARTS.get(node.value.id) if isinstance(node.value, ast.Name) else None
    if allowed is not None:
        return node.attr in allowed
    private = node.attr.startswith("_") and node.attr not in ("__version__", "__file__", "__doc__")
    return not private and (node.attr not in _WRITES or _is_text_replacement(node))


def _is_text_replacement(node: ast.Attribute) -> bool:
    """``torch.__version__.replace("+", ...)``: of a string, not of a file."""
    return node.attr == "replace" and ast.unparse(node.value).startswith(("torch.__version__", "'", '"'))


def _touched(text: str) -> str:
    """The flag in a string that touches the checks; a docstring of several lines is no flag."""
    return text if "\n" not in text and " " not in text.strip() and _TOUCHES.search(text) else ""
