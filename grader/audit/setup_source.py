"""setup.py by its syntax tree: it declares what is built, in a process that can do nothing else.

The process is confined (grader.packages); this audit is about the verdict. A build that switches the access
checks off, or that compiles other sources than those that were looked at, would make a pass worthless.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Set

from grader.audit.cuda_source import is_reserved
from grader.audit.objection import Objection
from grader.audit.parsing import audited

_IMPORTS = ("os", "sys", "pathlib", "re", "glob", "platform", "setuptools", "torch", "__future__")
_IMPORT_RULE = f"setup.py may import {', '.join(_IMPORTS[:-1])}."
_DECLARES = "setup.py declares what is built, and leaves the building to setuptools and torch."
_PARTS = {  # what it may use of modules that can do more
    "glob": frozenset(("glob", "iglob")),
    "os": frozenset(("environ", "path", "getenv", "cpu_count", "sep", "pathsep", "name", "fspath")),
    "pathlib": frozenset(("Path", "PurePath", "PurePosixPath")),
    "platform": frozenset(("machine", "python_version", "release", "system")),
    "setuptools": frozenset(("Extension", "find_namespace_packages", "find_packages", "setup")),
    "sys": frozenset(("platform", "version_info", "byteorder", "maxsize", "version")),
    "torch": frozenset(("__version__", "cuda", "utils", "version")),
    "torch.cuda": frozenset(("get_arch_list", "get_device_capability", "is_available")),
    "torch.utils": frozenset(("cpp_extension",)),
    "torch.utils.cpp_extension": frozenset((
        "BuildExtension", "CUDAExtension", "CUDA_HOME", "CppExtension", "include_paths", "library_paths",
    )),
}  # fmt: skip
_NAMES = frozenset((
    "eval", "exec", "compile", "__import__", "getattr", "setattr", "delattr", "globals", "locals", "vars",
    "breakpoint", "input", "type", "__builtins__", "__loader__", "__spec__",
))  # fmt: skip
_WRITES = frozenset((
    "write_text", "write_bytes", "unlink", "rename", "replace", "symlink_to", "hardlink_to", "chmod", "touch",
    "mkdir", "rmdir", "open", "os", "sys", "subprocess", "shutil", "distutils", "format", "format_map",
))  # fmt: skip
_PATH = "pathlib.Path"
_CHECKS_RULE = "Every access of a submission is to be checked, so a build may not touch the checks."
_MACRO = re.compile(r"-[DU](\w+)(?:\([^)]*\))?(?:=(.*))?", re.DOTALL)
_PLAIN = re.compile(r"""(-?\d[\w.]*|\\?["'][\w.+ -]*\\?["']|true|false|)""")
_TOUCHES = re.compile(
    r"sanitize|instrument|fplugin|specs=|--wrap|tsan|simt|cu2grad|nvcc.*--run|objcopy|--?define-?sym|LD_PRELOAD|"
    r"^-(include|imacros|iquote|B|wrapper|Xclang|mllvm)|-Wl,.*(wrap|defsym|dynamic-list|script)|^@|__builtin_",
    re.IGNORECASE,
)


def audit(source: str | bytes, file: str) -> Iterator[Objection]:
    """Objections in the order of the lines; one, if the file is no UTF-8 or no Python."""
    yield from audited(source, file, lambda tree: _found(tree, file))


def _found(tree: ast.Module, file: str) -> Iterator[Objection]:
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    imported = {name: full for node in imports for name, full in _imported(node).items()}
    texts = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call) and _is_of_text(node)}
    for node in ast.walk(tree):
        yield from _objections(node, file, imported, texts)
    yield from _handed_on(tree, file, imported)


def _objections(
    node: ast.AST, file: str, imported: Mapping[str, str], texts: Set[int]
) -> Iterator[Objection]:
    """``texts`` are the ids of the attributes that are methods of strings."""
    line = getattr(node, "lineno", 0)
    if isinstance(node, ast.Import | ast.ImportFrom):
        for name in _imported(node).values():
            if not _may_import(name):
                yield Objection(file, line, f"imports `{name}`", _IMPORT_RULE)
    elif isinstance(node, ast.Name) and node.id in _NAMES:
        yield Objection(file, line, f"uses `{node.id}`", _DECLARES)
    elif isinstance(node, ast.Call) and _opens_to_write(node):
        yield Objection(file, line, "opens a file for more than reading", _DECLARES)
    elif isinstance(node, ast.Attribute):
        if not _may_use(node, imported, id(node) in texts):
            yield Objection(file, line, f"uses `{ast.unparse(node)}`", _DECLARES)
        elif not isinstance(node.ctx, ast.Load):
            yield Objection(file, line, f"changes `{ast.unparse(node)}`", _DECLARES)
    elif isinstance(node, ast.ClassDef):
        yield Objection(file, line, f"defines the class {node.name}", _DECLARES)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and (touches := _touched(node.value)):
        yield Objection(file, line, f"says `{touches}`", _CHECKS_RULE)


def _handed_on(tree: ast.Module, file: str, imported: Mapping[str, str]) -> Iterator[Objection]:
    """Modules under another name, which could not be followed."""
    nodes = list(ast.walk(tree))
    qualified = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    for node in nodes:
        if isinstance(node, ast.Name | ast.Attribute) and id(node) not in qualified:
            full = _dotted(node, imported)
            if full in _PARTS or full in ("re", "torch.version"):
                yield Objection(file, node.lineno, f"hands on the module `{full}` as a value", _DECLARES)
            elif full == _PATH and id(node) not in called:  # its methods take the path as an argument
                yield Objection(file, node.lineno, f"hands on `{full}` as a value", _DECLARES)


def _dotted(node: ast.expr, imported: Mapping[str, str]) -> str:
    """What an expression says, from the module on that its first name was imported from."""
    written = ast.unparse(node)
    root = written.partition(".")[0]
    return imported.get(root, root if root in _IMPORTS else "") + written.removeprefix(root)


def _imported(node: ast.Import | ast.ImportFrom) -> dict[str, str]:
    """Local names, and the dotted names of what they stand for."""
    found = {}
    for alias in node.names:
        if isinstance(node, ast.ImportFrom):
            found[alias.asname or alias.name] = f"{'.' * node.level}{node.module or ''}.{alias.name}"
        else:
            found[alias.asname or alias.name] = alias.name
    return found


def _may_import(name: str) -> bool:
    root = name.partition(".")[0]
    return root in _IMPORTS and name != f"{root}.*" and "._" not in name and _is_allowed(name)


def _is_allowed(full: str) -> bool:
    """Whether each part of a dotted name is among those that the module before it may be used for."""
    parts = full.split(".")
    modules = ((".".join(parts[:at]), parts[at]) for at in range(1, len(parts)))
    return all(part in _PARTS[module] for module, part in modules if module in _PARTS)


def _may_use(node: ast.Attribute, imported: Mapping[str, str], of_text: bool) -> bool:
    private = node.attr.startswith("_") and node.attr not in ("__version__", "__file__", "__doc__")
    full = _dotted(node, imported)
    if not _is_allowed(full):
        return False
    return not private and (node.attr not in _WRITES or (of_text and not full.startswith(f"{_PATH}.")))


def _opens_to_write(node: ast.Call) -> bool:
    """``open(path, encoding=...)`` reads; a mode, which could be another, is not needed for it."""
    if not isinstance(node.func, ast.Name) or node.func.id != "open":
        return False
    return len(node.args) != 1 or any(each.arg not in ("encoding", "errors") for each in node.keywords)


def _is_of_text(call: ast.Call) -> bool:
    """``version.replace("+", ".")``: a path, which would be renamed, takes one argument there."""
    unpacked = any(isinstance(each, ast.Starred) for each in call.args)
    return (
        isinstance(call.func, ast.Attribute)
        and call.func.attr == "replace"
        and len(call.args) > 1
        and not unpacked
    )


def why_not_compiled_with(flag: str) -> str:
    """What is wrong with one word for a compiler, after "which "; ``""`` when nothing is."""
    if _TOUCHES.search(flag) or flag.startswith("-x"):
        return "touches the access checks or what is compiled"
    macro = _MACRO.fullmatch(flag.removeprefix("-Xcompiler="))
    if macro and is_reserved(macro[1]):
        return f"gives `{macro[1]}` another meaning"
    if macro and not _PLAIN.fullmatch(macro[2] or ""):
        return "hides code in a macro: only a number or a text is allowed there"
    return ""


def _touched(text: str) -> str:
    """The flag in a string that touches the checks; sentences and addresses of pages are no flags."""
    written = "\n" in text or " " in text.strip() or re.match(r"https?://", text)
    return text if not written and _TOUCHES.search(text) else ""
