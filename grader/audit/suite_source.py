"""A learner's tests by their syntax tree: they call the operation, and look neither at its source nor around.

What they may do beside what op.py may: import pytest and op, and use ``torch.testing``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from grader.audit.objection import Objection
from grader.audit.parsing import audited
from grader.audit.python_source import CLOSED_TORCH, IMPORTS, SourceAudit

# Of pytest, what tests are made of: its other names lead to modules, to the run and to the tests themselves.
_PYTEST = ("approx", "fail", "fixture", "mark", "param", "raises", "skip", "warns", "xfail")
_PYTEST_RULE = f"Of pytest, a suite uses {', '.join(_PYTEST)}."
_TESTING = ("assert_close", "make_tensor")
_TESTING_RULE = f"Of torch.testing, a suite uses {' and '.join(_TESTING)}."
_FIXTURES = ("monkeypatch", "pytestconfig", "pytester", "request", "testdir")
# Of what pytest.raises and pytest.fixture hand in: the way to sources, frames and the options of the run.
_INNER = frozenset(("config", "getrepr", "getoption", "pluginmanager", "tb"))
_RUN_RULE = "A suite must not be able to tell which implementation it runs against."
_READ_RULE = "A test checks what an implementation does, not how it is written; a suite opens no files."
_FIXTURE_RULE = (
    "A suite judges an operation by what it returns and raises; it does not work on pytest or on op."
)


def audit(text: str, file: str) -> Iterator[Objection]:
    """Objections in the order of the lines; a file that Python cannot parse is for pytest to report."""
    yield from audited(text, file, _TestAudit(file).run)


class _TestAudit(SourceAudit):
    imports = IMPORTS - {"time"} | {"pytest", "op"}  # a suite is no place for the host's clock
    import_rule = f"A suite may import {', '.join(sorted(imports - {'__future__'}))}."
    closed = CLOSED_TORCH - {"testing"}

    def __init__(self, file: str) -> None:
        super().__init__(file, "", registers=False, packaged=False)

    def run(self, tree: ast.Module) -> Iterator[Objection]:
        yield from super().run(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute):
                yield from self._part(node, self._dotted(node))
                if node.attr in _INNER:
                    yield self._object(node, f"reads the attribute `{node.attr}`", _RUN_RULE)
            elif isinstance(node, ast.ImportFrom) and node.module in ("pytest", "torch.testing"):
                for alias in node.names:
                    yield from self._part(node, f"{node.module}.{alias.name}")
            elif isinstance(node, ast.arg) and node.arg in _FIXTURES:
                yield self._object(node, f"asks for the fixture `{node.arg}`", _FIXTURE_RULE)
            elif isinstance(node, ast.Call):
                yield from self._condition(node)
            for name in _named(node):
                if name.startswith("pytest_"):
                    yield self._object(node, f"gives pytest the hook `{name}`", _RUN_RULE)
                elif name in _FIXTURES:
                    yield self._object(node, f"gives something the name `{name}`", _FIXTURE_RULE)

    def _name(self, node: ast.Name) -> Iterator[Objection]:
        for each in super()._name(node):
            yield replace(each, rule=_READ_RULE) if node.id == "open" else each

    def _part(self, node: ast.AST, full: str) -> Iterator[Objection]:
        """``full`` is the dotted name of something imported, or empty."""
        names = full.split(".")
        if names[0] == "pytest" and len(names) > 1 and names[1] not in _PYTEST:
            yield self._object(node, f"uses `{full}`", _PYTEST_RULE)
        if full.startswith("torch.testing.") and names[2] not in _TESTING:
            yield self._object(node, f"uses `{full}`", _TESTING_RULE)

    def _condition(self, node: ast.Call) -> Iterator[Objection]:
        """pytest evaluates a condition that is a string, and lets it ask for the options of the run."""
        if not isinstance(node.func, ast.Attribute) or node.func.attr not in ("skipif", "xfail"):
            return
        conditions = [*node.args, *(each.value for each in node.keywords if each.arg == "condition")]
        if any(isinstance(each, ast.JoinedStr) or _is_text(each) for each in conditions):
            yield self._object(node, f"gives `{node.func.attr}` a condition in quotes", _RUN_RULE)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _named(node: ast.AST) -> tuple[str, ...]:
    """The names that a node gives to something, if it is one that does."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return (node.name,)
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        return (node.id,)
    if isinstance(node, ast.Import | ast.ImportFrom):
        return tuple(alias.asname for alias in node.names if alias.asname)
    return ()
