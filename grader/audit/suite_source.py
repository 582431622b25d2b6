"""Audit a learner's tests by their syntax tree: they call the operation, and read neither its source nor
files.

What they may use beside what op.py may: pytest's means of writing tests, `torch.testing`, and `op`.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from grader.audit.lists import Group, group, words
from grader.audit.lists.attributes import ATTRIBUTE_NAMES
from grader.audit.lists.setup import OF_SETUP, PATTERNS
from grader.audit.lists.standard import STANDARD
from grader.audit.lists.tensors import NUMPY, TORCH
from grader.audit.objection import Objection
from grader.audit.parsing import audited
from grader.audit.python_source import SourceAudit
from grader.audit.tree import bound

# Of pytest, what tests are made of: its other names lead to modules, to the run and to the tests themselves.
PYTEST = {
    "pytest": group(
        "what tests are made of", "FixtureRequest approx fail fixture mark param raises skip warns xfail"
    ),
    "re": PATTERNS,
}
# A suite is no place for the host's clock, nor for the warnings and messages of others.
_NO_PART = ("logging", "threading", "time", "timeit", "warnings")
SUITE: Mapping[str, Group] = {
    **{name: each for name, each in STANDARD.items() if name not in _NO_PART},
    **TORCH,
    **NUMPY,
    **PYTEST,
}
ATTRIBUTES = group(
    "of pytest's marks, of what pytest.raises caught, and of a fixture's request",
    "match param parametrize skip skipif xfail",
)
_REQUEST = "request"  # of a fixture with params: `request.param` is a value of the suite's own

# What pytest hands to a test or fixture that has an argument of that name: the run, its files and options.
FIXTURES = words(
    "LineMatcher cache capfd capfdbinary caplog capsys capsysbinary capteesys class_mocker "
    "doctest_namespace linecomp monkeypatch pytestconfig pytester record_property "
    "record_testsuite_property record_xml_attribute request subtests testdir tmp_path tmp_path_factory "
    "tmpdir tmpdir_factory"
)
_RUN_RULE = "A suite must not be able to tell which implementation it runs against."
_CONDITION_RULE = "Write it as an expression: what is in quotes, the grader cannot follow by reading."
_READ_RULE = "A test checks what an implementation does, not how it is written; a suite opens no files."
_FIXTURE_RULE = (
    "A suite judges an operation by what it returns and raises; it does not work on pytest or on op."
)
_REQUEST_RULE = f"A fixture with params reads `request.param`, and nothing else of it. {_FIXTURE_RULE}"
_MARK_RULE = "The marks here are parametrize, skip, skipif and xfail; leave others out."


def audit(source: str | bytes, file: str) -> Iterator[Objection]:
    """Objections in the order of the lines; one, if the file is no UTF-8 or no Python."""
    yield from audited(source, file, _TestAudit(file, "").run)


class _TestAudit(SourceAudit):
    lists = SUITE
    attributes = ATTRIBUTE_NAMES.union(*(each.names or () for each in (ATTRIBUTES, OF_SETUP["patterns"])))

    def run(self, root: ast.Module) -> Iterator[Objection]:
        yield from super().run(root)
        for node in self.tree.nodes:
            if isinstance(node, ast.arg) and node.arg in FIXTURES - {_REQUEST}:
                yield self.object(node, f"asks for the fixture `{node.arg}`", _FIXTURE_RULE)
            elif isinstance(node, ast.Name) and self._hands_on_request(node):
                yield self.object(node, "uses the fixture `request` as a value", _REQUEST_RULE)
            elif isinstance(node, ast.Call):
                yield from self._call(node)
            for name in bound(node):
                if name.startswith("pytest_"):
                    yield self.object(node, f"gives pytest the hook `{name}`", _RUN_RULE)
                elif name in FIXTURES and not isinstance(node, ast.arg):
                    yield self.object(node, f"gives something the name `{name}`", _FIXTURE_RULE)

    def _pythons_own(self, root: ast.Module) -> Iterator[Objection]:
        for each in super()._pythons_own(root):
            yield replace(each, rule=_READ_RULE) if each.what == "uses `open`" else each

    def is_module(self, full: str) -> bool:
        return full == "op" or super().is_module(full)

    def is_member(self, module: str, name: str) -> bool:
        """Of op, functions and classes: not the modules that op itself imports."""
        if module == "op":
            return not name.startswith("_") and name not in _roots()
        return super().is_member(module, name)

    def _hands_on_request(self, node: ast.Name) -> bool:
        outer, _ = self.tree.above(node)
        reads_param = isinstance(outer, ast.Attribute) and outer.attr == "param"
        return node.id == _REQUEST and isinstance(node.ctx, ast.Load) and not reads_param

    def _attribute_name(self, node: ast.AST, name: str) -> Iterator[Objection]:
        for each in super()._attribute_name(node, name):
            of_mark = isinstance(node, ast.Attribute) and self.meaning(node.value) == "pytest.mark"
            yield replace(each, rule=_MARK_RULE) if of_mark else each

    def _call(self, node: ast.Call) -> Iterator[Objection]:
        """Where pytest takes a text for code, or for the name of something else."""
        called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if called in ("skipif", "xfail"):
            given = [*node.args, *(each.value for each in node.keywords if each.arg == "condition")]
            if any(isinstance(each, ast.JoinedStr) or _is_text(each) for each in given):
                yield self.object(node, f"gives `{called}` a condition in quotes", _CONDITION_RULE)
        if called == "parametrize" and any(each.arg == "indirect" for each in node.keywords):
            yield self.object(node, "gives `parametrize` the option `indirect`", _FIXTURE_RULE)


def _roots() -> Collection[str]:
    return sys.stdlib_module_names | {"torch", "numpy", "np", "grader"}


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
