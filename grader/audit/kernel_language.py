"""Audit the functions that `triton.jit` decorates: they hold what Triton's compiler takes.

By the interpreter a kernel is a Python function, and Python would let it do more: call functions of the host,
keep what it loaded in a list, look into the interpreter. So a kernel is made of the statements and names
of Triton's language, reads the attributes that its values have there, and uses kernels and constants.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Protocol

from grader.audit.lists.triton import BUILTINS, KERNEL_ATTRIBUTES
from grader.audit.objection import Objection
from grader.audit.scopes import PYTHONS
from grader.audit.tree import Tree, bound

_JIT, _CONSTANT = "triton.jit", "triton.language.constexpr"
_AROUND = ("triton.autotune", "triton.heuristics")
_COUNTS = (_CONSTANT, "triton.cdiv", "triton.next_power_of_2", "triton.language.cdiv")
_TENSOR = "triton.language.tensor"

# What Triton's CodeGenerator has a `visit_` method for, and parts of that.
SYNTAX = (
    ast.AnnAssign, ast.Assert, ast.Assign, ast.Attribute, ast.AugAssign, ast.BinOp, ast.BoolOp, ast.Call,
    ast.Compare, ast.Constant, ast.Expr, ast.For, ast.If, ast.IfExp, ast.JoinedStr, ast.List, ast.ListComp,
    ast.Name, ast.Pass, ast.Return, ast.Slice, ast.Subscript, ast.Tuple, ast.UnaryOp, ast.While, ast.keyword,
)  # fmt: skip
_PARTS = (ast.FormattedValue, ast.Starred)  # of a text, and of a call
_NAMED = {
    ast.FunctionDef: "a function", ast.AsyncFunctionDef: "a coroutine", ast.Lambda: "a lambda",
    ast.ClassDef: "a class", ast.Dict: "a dictionary", ast.Set: "a set", ast.NamedExpr: "`:=`",
    ast.DictComp: "a dictionary", ast.SetComp: "a set", ast.GeneratorExp: "a generator",
    ast.ImportFrom: "`import`",
}  # fmt: skip
_FIXED = (ast.BinOp, ast.Compare, ast.Constant, ast.IfExp, ast.Tuple, ast.UnaryOp)

_LANGUAGE = "A kernel is what Triton's compiler takes, also where an interpreter runs it as Python"
SYNTAX_RULE = (
    f"{_LANGUAGE}: no nested functions, exceptions, dictionaries, `break` or `global`, and no assignment "
    "to a part of a value."
)
NAMES_RULE = (
    f"{_LANGUAGE}: of its file it uses functions of @triton.jit, imports, and constants written as "
    "NAME = tl.constexpr(4), each defined once."
)
ATTRIBUTES_RULE = f"{_LANGUAGE}: docs/reference/allowed_python.md lists the attributes of its values."
JIT_RULE = (
    "@triton.jit is the last line above a function at the top of the file; above it are triton.autotune "
    "and triton.heuristics alone."
)
DEFAULT_RULE = f"{_LANGUAGE}: a default value is a number, a text, a type or a kernel."


class Reader(Protocol):
    """What is asked of the file's audit."""

    tree: Tree

    def meaning(self, node: ast.AST) -> str: ...
    def is_module(self, full: str) -> bool: ...
    def object(self, node: ast.AST, what: str, rule: str = ...) -> Objection: ...


class Kernels:
    """The kernels of a file, and what they may use of it."""

    def __init__(self, root: ast.Module, reader: Reader) -> None:
        self._reader = reader
        self._body = root.body
        self._functions = [each for each in root.body if isinstance(each, ast.FunctionDef)]
        self._kernels = [each for each in self._functions if any(map(self._is_jit, each.decorator_list))]
        binding = [(node, name) for node in _of_scope(root) for name in bound(node)]
        self._imported = {name for node, name in binding if isinstance(node, ast.alias)}
        self._bindings = Counter(name for node, name in binding if not isinstance(node, ast.alias))

    def objections(self) -> Iterator[Objection]:
        """In no order."""
        yield from self._uses_of_jit()
        for node in self._reader.tree.nodes:
            if isinstance(node, ast.Global):
                yield self._reader.object(node, "has a `global`", NAMES_RULE)
        for kernel in self._kernels:
            yield from self._parameters(kernel)
            own = _names_in((*ast.walk(kernel.args), *_statements(kernel)))
            if any(isinstance(node, ast.Raise) and _says_todo(node) for node in ast.walk(kernel)):
                own |= self._undefined(kernel)
            for statement in kernel.body:
                yield from self._walk(statement, kernel.name, own)

    def _parameters(self, kernel: ast.FunctionDef) -> Iterator[Objection]:
        if kernel.args.kwarg:
            yield self._reader.object(kernel, f"gives the kernel `{kernel.name}` keywords", SYNTAX_RULE)
        for default in (*kernel.args.defaults, *kernel.args.kw_defaults):
            if default is not None and not self._is_fixed(default, self._known):
                what = f"gives a parameter of the kernel `{kernel.name}` the default `{ast.unparse(default)}`"
                yield self._reader.object(default, what, DEFAULT_RULE)

    def _walk(self, node: ast.AST, kernel: str, own: frozenset[str]) -> Iterator[Objection]:
        """Objections to a node of a kernel and to its parts: of `seen.append` to the name first."""
        if isinstance(node, ast.Raise) and _says_todo(node):
            return
        if isinstance(node, ast.Attribute):
            yield from self._walk(node.value, kernel, own)
        what, rule = self._problem(node, own)
        if what:
            yield self._reader.object(node, f"{what} in the kernel `{kernel}`", rule)
        if isinstance(node, ast.ListComp):  # its names are its own
            own |= _names_in(inner for each in node.generators for inner in ast.walk(each.target))
        for child in ast.iter_child_nodes(node) if not isinstance(node, ast.Attribute) else ():
            yield from self._walk(child, kernel, own)

    def _problem(self, node: ast.AST, own: frozenset[str]) -> tuple[str, str]:
        """What is wrong with a node of a kernel, and the rule."""
        reads = isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        if isinstance(node, ast.stmt | ast.expr | ast.keyword) and not isinstance(node, SYNTAX + _PARTS):
            return f"has {_NAMED.get(type(node), f'`{type(node).__name__.lower()}`')}", SYNTAX_RULE
        if isinstance(node, ast.Attribute | ast.Subscript) and not reads:
            return f"assigns to `{ast.unparse(node)}`", SYNTAX_RULE
        if isinstance(node, ast.Name) and reads and node.id not in own and not self._is_known(node.id):
            return f"uses `{node.id}`", NAMES_RULE
        if isinstance(node, ast.Attribute) and not self._is_of_a_value(node):
            return f"reads the attribute `{node.attr}`", ATTRIBUTES_RULE
        if isinstance(node, ast.Call) and self._reader.meaning(node.func) == _TENSOR:
            return "makes a `tl.tensor`", ATTRIBUTES_RULE
        return "", ""

    def _is_of_a_value(self, node: ast.Attribute) -> bool:
        """Whether values of Triton's language have the attribute; those of modules, and names between double
        underscores, are judged with the rest of the file.
        """
        base = self._reader.meaning(node.value)
        elsewhere = node.attr.startswith("__") or (base and self._reader.is_module(base))
        return bool(elsewhere) or node.attr in (KERNEL_ATTRIBUTES.names or ())

    def _undefined(self, kernel: ast.FunctionDef) -> frozenset[str]:
        """Names that neither the file nor Python knows: in a kernel that is not finished, its own to come."""
        used = {node.id for node in ast.walk(kernel) if isinstance(node, ast.Name)}
        return frozenset(used - set(self._bindings) - self._imported - PYTHONS)

    def _is_known(self, name: str) -> bool:
        """Whether a name of the file means what it says, whenever a kernel runs."""
        if name in self._imported or name in self._known:
            return self._bindings[name] == (name not in self._imported)
        return name in (BUILTINS.names or ()) and name not in self._bindings

    @cached_property
    def _known(self) -> frozenset[str]:
        """Kernels and constants."""
        found = {each.name for each in self._kernels}
        for each in self._body:
            if isinstance(each, ast.Assign) and self._is_constant(each.value, frozenset(found)):
                found.update(target.id for target in each.targets if isinstance(target, ast.Name))
        return frozenset(found)

    def _is_constant(self, value: ast.expr, known: frozenset[str]) -> bool:
        """`tl.constexpr(4)`, and another name for a kernel or for something of Triton's language."""
        if isinstance(value, ast.Call):
            return self._reader.meaning(value.func) == _CONSTANT and self._is_fixed(value, known)
        return isinstance(value, ast.Name | ast.Attribute) and self._is_fixed(value, known)

    def _is_fixed(self, value: ast.expr, known: frozenset[str]) -> bool:
        """Whether it is computed of numbers, texts, constants and Triton's own names alone."""
        if isinstance(value, ast.Name) and value.id in known:
            return self._bindings[value.id] == 1
        if isinstance(value, ast.Name | ast.Attribute):
            return self._reader.meaning(value).startswith("triton.")
        if isinstance(value, ast.Call):
            counted = self._reader.meaning(value.func) in _COUNTS and not value.keywords
            return counted and all(self._is_fixed(each, known) for each in value.args)
        parts = (each for each in ast.iter_child_nodes(value) if isinstance(each, ast.expr))
        return isinstance(value, _FIXED) and all(self._is_fixed(each, known) for each in parts)

    def _uses_of_jit(self) -> Iterator[Objection]:
        last = {id(_function_of(each.decorator_list[-1])) for each in self._functions if each.decorator_list}
        for node in self._reader.tree.nodes:
            if isinstance(node, ast.expr) and self._reader.meaning(node) == _JIT and id(node) not in last:
                yield self._reader.object(node, "uses `triton.jit` in another place", JIT_RULE)
        for kernel in self._kernels:
            for each in kernel.decorator_list[:-1]:
                if self._reader.meaning(_function_of(each)) not in _AROUND:
                    what = f"decorates the kernel `{kernel.name}` with `{ast.unparse(each)}`"
                    yield self._reader.object(each, what, JIT_RULE)
        defined = Counter(each.name for each in self._functions)
        for kernel in self._kernels:
            if defined[kernel.name] > 1:  # one of them would run, and the other be compiled
                yield self._reader.object(kernel, f"defines `{kernel.name}` more than once", NAMES_RULE)
        for name in sorted(self._imported & set(self._bindings)):
            yield self._reader.object(self._body[0], f"gives the name `{name}` another meaning", NAMES_RULE)

    def _is_jit(self, decorator: ast.expr) -> bool:
        return self._reader.meaning(_function_of(decorator)) == _JIT


def _function_of(decorator: ast.expr) -> ast.expr:
    return decorator.func if isinstance(decorator, ast.Call) else decorator


def _says_todo(node: ast.Raise) -> bool:
    """`raise NotImplementedError("...")`, which stubs have where code is still to be written."""
    if not isinstance(node.exc, ast.Call) or node.exc.keywords or node.cause is not None:
        return False
    named = isinstance(node.exc.func, ast.Name) and node.exc.func.id == "NotImplementedError"
    return named and all(isinstance(each, ast.Constant) for each in node.exc.args)


def _names_in(nodes: Iterable[ast.AST]) -> frozenset[str]:
    return frozenset(name for node in nodes for name in bound(node))


def _statements(kernel: ast.FunctionDef) -> Iterator[ast.AST]:
    """The nodes that bind names of the kernel: those in list comprehensions do not."""
    todo: list[ast.AST] = list(kernel.body)
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, ast.ListComp):
            todo.extend(ast.iter_child_nodes(node))


def _of_scope(root: ast.Module) -> Iterator[ast.AST]:
    """The nodes that bind names at the top of a file."""
    todo: list[ast.AST] = list(root.body)
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.Lambda):
            todo.extend(ast.iter_child_nodes(node))
