"""The attributes that are a submission's own: those of its classes, objects and operators."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Mapping

from grader.audit.parsing import TooDeep, parse
from grader.audit.reading import Unreadable, decoded
from grader.audit.tree import Tree, bound

_LOADERS = ("grader.load",)


def own_names(
    tree: Tree, meanings: Mapping[int, str], own_operators: str, package: str = ""
) -> frozenset[str]:
    """Names of attributes that the file defines, and of those read from its own library.

    `meanings` has the dotted name of each expression that has one, by the expression's id;
    `own_operators` is that of the library's operators, `package` as in `neighbours`.
    """
    libraries = set(_libraries(tree, meanings, own_operators, package))
    found: set[str] = set()
    for node in tree.nodes:
        if isinstance(node, ast.ClassDef):
            found.update(_of_class(node))
        elif isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            found.add(node.attr)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.value.id in libraries:
                found.add(node.attr)
        elif isinstance(node, ast.Call) and meanings.get(id(node.func)) == "collections.namedtuple":
            found.update(_fields(node.args[1:2]))
    return frozenset(found)


def _of_class(node: ast.ClassDef) -> Iterator[str]:
    """What stands in the body of a class, below `if` and the like, too, but in no function."""
    todo: list[ast.AST] = list(node.body)
    while todo:
        inner = todo.pop()
        yield from bound(inner)
        if isinstance(inner, ast.Assign) and any(ast.unparse(each) == "__slots__" for each in inner.targets):
            yield from _fields([inner.value])
        if not isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            todo.extend(ast.iter_child_nodes(inner))


def _fields(arguments: Collection[ast.expr]) -> Iterator[str]:
    """The names in "x y", or in a list of texts."""
    for argument in arguments:
        for node in ast.walk(argument):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield from node.value.replace(",", " ").split()


def neighbours(node: ast.AST, package: str) -> list[ast.alias]:
    """What an import takes from the package that the file is in, with a dot or by the name of `package`.

    A file outside of every package has the `package` "", and then only an import with a dot is one.
    """
    if isinstance(node, ast.ImportFrom):
        return node.names if node.level or _root(node.module or "") == package else []
    if isinstance(node, ast.Import):
        return [each for each in node.names if _root(each.name) == package]
    return []


def bound_by(alias: ast.alias) -> str:
    """The name that an import gives to what it takes; `import a.b` gives the name `a`."""
    return alias.asname or _root(alias.name)


def _root(dotted: str) -> str:
    return dotted.partition(".")[0]


def _libraries(tree: Tree, meanings: Mapping[int, str], own_operators: str, package: str) -> Iterator[str]:
    """Names that are given to the operators or to the extension module: `_ops = torch.ops.muladd`."""
    for node in tree.nodes:
        yield from map(bound_by, neighbours(node, package))  # such as `_C`
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            value = node.value.func if isinstance(node.value, ast.Call) else node.value
            meaning = meanings.get(id(value), "")
            is_library = meaning in _LOADERS if value is not node.value else meaning == own_operators != ""
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if is_library:
                yield from (each.id for each in targets if isinstance(each, ast.Name))


def modules_in(source: bytes, is_module: Callable[[str], bool], package: str = "") -> frozenset[str]:
    """The names of other packages' modules in a file of `package`: neighbours do not take them from there."""
    try:
        nodes = list(ast.walk(parse(decoded(source, ""))))
    except (Unreadable, TooDeep, SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()  # the file's own audit says so
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            own = neighbours(node, package)
            found.update(bound_by(each) for each in node.names if each not in own)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            modules = [each for each in node.names if is_module(f"{node.module}.{each.name}")]
            found.update(each.asname or each.name for each in modules)
    return frozenset(found)
