"""A syntax tree with what `ast` lacks: parents, the names that a node binds, code in strings."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.audit.parsing import parse_expression

# Fields that hold a name which is not bound there: it is looked up, or says what a module is called.
_LOOKED_UP = {
    ast.Attribute: ("attr",),
    ast.MatchClass: ("kwd_attrs",),
    ast.keyword: ("arg",),
    ast.ImportFrom: ("module",),
    ast.alias: ("name",),
}


class Tree:
    """All nodes of a file, those in the quotes of annotations included."""

    def __init__(self, root: ast.Module) -> None:
        self.nodes: list[ast.AST] = []
        self._above: dict[int, tuple[ast.AST, str]] = {}
        self._add(root)

    def above(self, node: ast.AST) -> tuple[ast.AST | None, str]:
        """The node that holds `node`, and in which of its fields."""
        return self._above.get(id(node), (None, ""))

    def is_in_annotation(self, node: ast.AST) -> bool:
        """Whether `node` says of what type something is."""
        inner: ast.AST | None = node
        while inner is not None:
            outer, field = self.above(inner)
            if field in ("annotation", "returns"):
                return True
            inner = outer
        return False

    def _add(self, node: ast.AST) -> None:
        """The parts of a node come before it: of `torch.os.kill` the first wrong name is reported first."""
        for field, value in ast.iter_fields(node):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST) and not isinstance(child, ast.expr_context | ast.operator):
                    self._above[id(child)] = (node, field)
                    self._add(child)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and self.is_in_annotation(node):
            self._add_in_quotes(node, node.value)
        self.nodes.append(node)

    def _add_in_quotes(self, node: ast.Constant, text: str) -> None:
        """What stands in quotes in an annotation is code, too: some functions evaluate it."""
        code = parse_expression(text, node.lineno)
        if code is not None:
            for inner in ast.walk(code):
                ast.copy_location(inner, node)
            self._above[id(code)] = (node, "annotation")
            self._add(code)


def identifiers(node: ast.AST) -> Iterator[str]:
    """Every name that stands in a node itself, whatever the node does with it."""
    if isinstance(node, ast.Constant):
        return
    for field, value in ast.iter_fields(node):
        if field != "type_comment":
            yield from (
                each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str)
            )


def bound(node: ast.AST) -> Iterator[str]:
    """The names to which a node gives a meaning: those that it does not merely look up."""
    if isinstance(node, ast.Constant) or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)):
        return
    left_out = next((fields for kind, fields in _LOOKED_UP.items() if isinstance(node, kind)), ())
    for field, value in ast.iter_fields(node):
        if field not in (*left_out, "type_comment"):
            yield from (
                each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str)
            )
    if isinstance(node, ast.alias) and node.asname is None and node.name != "*":
        yield node.name.partition(".")[0]
