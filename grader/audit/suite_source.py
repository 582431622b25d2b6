"""A learner's tests by their syntax tree: they call the operation, and look neither at its source nor around.

What they may do beside what op.py may: import pytest and op, and use ``torch.testing``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.audit.objection import Objection
from grader.audit.python_source import CLOSED_TORCH, IMPORTS, SourceAudit

# Of pytest, what tests are made of: its other names lead to modules, to the run and to the tests themselves.
_PYTEST = ("approx", "fail", "fixture", "mark", "param", "raises", "skip", "warns", "xfail")
_PYTEST_RULE = f"Of pytest, a suite uses {', '.join(_PYTEST)}."
_TESTING = ("assert_close", "make_tensor")
_TESTING_RULE = f"Of torch.testing, a suite uses {' and '.join(_TESTING)}."
_FIXTURES = ("monkeypatch", "pytestconfig", "pytester", "request", "testdir")
_FIXTURE_RULE = (
    "A suite judges an operation by what it returns and raises; it does not work on pytest or on op."
)


def audit(text: str, file: str) -> Iterator[Objection]:
    """Objections in the order of the lines; a file that Python cannot parse is for pytest to report."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    yield from sorted(_TestAudit(file).run(tree), key=lambda objection: objection.line)


class _TestAudit(SourceAudit):
    imports = IMPORTS | {"pytest", "op"}
    import_rule = f"A suite may import {', '.join(sorted(imports - {'__future__'}))}."
    closed = CLOSED_TORCH - {"testing"}

    def __init__(self, file: str) -> None:
        super().__init__(file, "", registers=False, packaged=False)

    def run(self, tree: ast.Module) -> Iterator[Objection]:
        yield from super().run(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute):
                yield from self._part(node, self._dotted(node))
            elif isinstance(node, ast.ImportFrom) and node.module in ("pytest", "torch.testing"):
                for alias in node.names:
                    yield from self._part(node, f"{node.module}.{alias.name}")
            elif isinstance(node, ast.arg) and node.arg in _FIXTURES:
                yield self._object(node, f"asks for the fixture `{node.arg}`", _FIXTURE_RULE)

    def _part(self, node: ast.AST, full: str) -> Iterator[Objection]:
        """``full`` is the dotted name of something imported, or empty."""
        names = full.split(".")
        if names[0] == "pytest" and len(names) > 1 and names[1] not in _PYTEST:
            yield self._object(node, f"uses `{full}`", _PYTEST_RULE)
        if full.startswith("torch.testing.") and names[2] not in _TESTING:
            yield self._object(node, f"uses `{full}`", _TESTING_RULE)
