"""Audit how a packaged file loads the library beside it: by a path that is written out, and nothing else.

A path would open any other file, and torch.ops.load_library any other library. So both are allowed in one
call alone, whose argument names a file of the package: what a wheel installs is audited.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from grader.audit.tree import bound

FUNCTION = "torch.ops.load_library"
PATH = "pathlib.Path"
MODULES = ("glob", "importlib", "os", "pathlib")  # by which other paths are put together
RULE = (
    f'A package loads the library beside its own file: {FUNCTION}(Path(__file__).parent / "NAME.so"), with '
    "the path written out in the call."
)
_ARGUMENT = re.compile(
    r"(str\()?Path\(__file__\)(\.(resolve|absolute)\(\))?"
    r"(\.parent / '[\w-]+(\.[\w-]+)*\.so'|\.with_name\('[\w-]+(\.[\w-]+)*\.so'\))(?(1)\))"
)


def allowed(root: ast.AST) -> frozenset[int]:
    """The ids of all nodes of the calls, in the file `root`, that load a library as RULE says."""
    return frozenset(id(part) for node in ast.walk(root) if _loads(node) for part in ast.walk(node))


def is_path_alone(nodes: Sequence[ast.AST], inside: frozenset[int]) -> bool:
    """Whether the name Path has one meaning, the import's, and is used in such calls only."""
    bindings = sum("Path" in bound(node) for node in nodes)
    named = (node for node in nodes if isinstance(node, ast.Name) and node.id == "Path")
    return bindings == 1 and all(id(node) in inside for node in named)


def other_uses(root: ast.AST, inside: frozenset[int]) -> Iterator[ast.Attribute]:
    """Where torch.ops.load_library is used in another way."""
    for node in ast.walk(root):
        if isinstance(node, ast.Attribute) and ast.unparse(node) == FUNCTION and id(node) not in inside:
            yield node


def _loads(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or ast.unparse(node.func) != FUNCTION:
        return False
    plain = len(node.args) == 1 and not node.keywords
    return plain and _ARGUMENT.fullmatch(ast.unparse(node.args[0])) is not None
