"""Parse untrusted Python for an audit; what cannot be parsed or followed is refused."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Iterable, Iterator

from grader.audit.objection import Objection
from grader.audit.reading import Unreadable, decoded

# Code that people write has some thirty levels. Python's own functions on syntax trees, such as ast.unparse,
# take up to four frames for each, of the thousand that the interpreter allows.
DEEPEST = 100
_RULE = "The audit reads what it lets run. Give parts of it names, on lines of their own."
_PARSES = "A file has to be Python from its first line to its last before any of it runs."


class TooDeep(Exception):
    """The code at `line` (0: unknown) has more than DEEPEST levels."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


def audited(
    source: str | bytes, file: str, find: Callable[[ast.Module], Iterable[Objection]]
) -> Iterator[Objection]:
    """What `find` objects to in the code, in the order of the lines.

    Bytes that are no UTF-8 and text that is no Python are objected to as such. So is code that is nested too
    deeply, and whatever takes more memory or stack than there is: nothing runs that was not read to its end.
    """
    found: list[Objection]
    try:
        tree = parse(source if isinstance(source, str) else decoded(source, file))
        found = sorted(find(tree), key=lambda objection: objection.line)
    except Unreadable as unreadable:
        found = [unreadable.objection]
    except TooDeep as deep:
        found = [Objection(file, deep.line, f"nests code more than {DEEPEST} levels deep", _RULE)]
    except SyntaxError as error:
        what = f"is not valid Python: {type(error).__name__}: {error.msg}"
        found = [Objection(file, error.lineno or 0, what, _PARSES, topic="build")]
    except (ValueError, OverflowError) as error:  # a number of thousands of digits, for example
        found = [Objection(file, 0, f"is not valid Python: {error}", _PARSES, topic="build")]
    except (RecursionError, MemoryError) as error:
        found = [Objection(file, 0, f"cannot be read: it takes a {type(error).__name__}", _RULE)]
    yield from found


def parse(text: str) -> ast.Module:
    """The tree of a file. Raises TooDeep, SyntaxError, ValueError."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a doubtful escape: Python says it again when the file runs
            tree = ast.parse(text)
            compile(
                text, "<audit>", "exec", dont_inherit=True
            )  # sees what the parser lets pass: `return` alone
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
