"""Python that a stranger wrote, parsed for an audit: what is nested too deeply to be followed is refused."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator

from grader.audit.objection import Objection

# Code that people write has some thirty levels. Python's own functions on syntax trees, such as ast.unparse,
# take up to four frames for each, of the thousand that the interpreter allows.
DEEPEST = 100
_RULE = "The audit reads what it lets run. Give parts of it names, on lines of their own."


class TooDeep(Exception):
    """The code at `line` (0: unknown) has more than DEEPEST levels."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


def audited(text: str, file: str, find: Callable[[ast.Module], Iterable[Objection]]) -> Iterator[Objection]:
    """What `find` objects to in the code, in the order of the lines.

    Code that Python cannot parse has no objections: whoever runs it reports the error. Code that is nested
    too deeply has one, since Python may still be able to run it.
    """
    try:
        tree = parse(text)
        found = sorted(find(tree), key=lambda objection: objection.line) if tree else []
    except TooDeep as deep:
        found = [Objection(file, deep.line, f"nests code more than {DEEPEST} levels deep", _RULE)]
    yield from found


def parse(text: str) -> ast.Module | None:
    """The tree of a file; None where it is not Python. Raises TooDeep."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    except (RecursionError, MemoryError):  # of the parser's own limits, far above DEEPEST
        raise TooDeep(0) from None
    _require_shallow(tree, 0)
    return tree


def parse_expression(text: str, line: int) -> ast.expr | None:
    """The tree of an expression that stands in quotes at `line`; None where it is none. Raises TooDeep."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return None
    except (RecursionError, MemoryError):
        raise TooDeep(line) from None
    _require_shallow(tree, line)
    return tree


def _require_shallow(tree: ast.AST, line: int) -> None:
    level = [tree]
    for _ in range(DEEPEST):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    if level:
        raise TooDeep(line or getattr(level[0], "lineno", 0))
