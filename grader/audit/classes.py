"""Refuse to hand out classes that others use: in Python, a holder of a class can change it for all.

So `torch.Tensor` may be asked for, called, derived from and annotated with, and is never handed on.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Protocol

from grader.audit.lists.builtins import GENERICS
from grader.audit.modules import is_layer, is_open_class
from grader.audit.objection import Objection
from grader.audit.tree import Tree, bound

_BASES = (
    "torch.autograd.Function", "torch.autograd.function.Function", "torch.nn.Module", "abc.ABC",
    "contextlib.AbstractContextManager", "contextlib.ContextDecorator", "enum.Enum", "enum.Flag",
    "enum.IntEnum", "enum.IntFlag", "enum.StrEnum", "typing.Generic", "typing.NamedTuple", "typing.Protocol",
    "typing.TypedDict", "typing_extensions.Protocol",
)  # fmt: skip
_NEVER_CALLED = ("numpy.ndarray", *_BASES)
_TYPING = ("typing.", "typing_extensions.")
_MEANING = (*_TYPING, "collections.", "numpy.typing.", "enum.")
_TYPES_OF_TYPES = ("typing.cast", "typing.TypeVar", "typing.NewType", "typing.ParamSpec")
_CONSTANT = (ast.Constant, ast.Tuple, ast.UnaryOp, ast.expr_context, ast.unaryop)
_HANDED_ON = (
    "A class of a library can be changed for everybody: call it, derive from it or ask isinstance for it."
)
_BASE_RULE = (
    "A class here derives from torch.autograd.Function, from torch.nn.Module or a layer of torch.nn, or from "
    "classes of one's own."
)
_ENUM_RULE = "Give the class its constants: an Enum without any makes classes out of texts."
_LITERAL_RULE = "Give it a Literal of texts or numbers, or a name that the file gives to one: get_args(Kind)."
_WRAPS_RULE = "Write it as a decorator, @functools.wraps(function), with nothing else in the brackets."


class Auditor(Protocol):
    """What of an audit the rules for classes need."""

    tree: Tree

    def object(self, node: ast.AST, what: str, rule: str = ...) -> Objection: ...
    def meaning(self, node: ast.AST) -> str: ...


def objections(node: ast.AST, audit: Auditor) -> Iterator[Objection]:
    """What is wrong with the definition of a class, or with a call that makes or changes one."""
    if isinstance(node, ast.ClassDef):
        yield from _definition(node, audit)
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if any(isinstance(each, ast.Name) and each.id == "__slots__" for each in targets):
            yield from _slots(node, audit)


def gives_meaning(full: str) -> bool:
    """Whether an imported name decides what its neighbours mean, and so keeps its meaning in a file."""
    return full.startswith(_MEANING) or (bool(full) and is_open_class(full))


def is_asked(node: ast.Name, audit: Auditor) -> bool:
    """Whether `type` only asks: `type(x) is int`, `type(x).__name__`, and `type[int]` in annotations."""
    outer, field = audit.tree.above(node)
    if isinstance(outer, ast.Subscript):
        return field == "value"
    if not isinstance(outer, ast.Call) or field != "func" or len(outer.args) != 1 or outer.keywords:
        return audit.tree.is_in_annotation(node)
    beyond, _ = audit.tree.above(outer)
    names = isinstance(beyond, ast.Attribute) and beyond.attr in ("__name__", "__qualname__")
    return not isinstance(outer.args[0], ast.Starred) and (names or _compares_identity(beyond))


def handed_on(
    node: ast.Name | ast.Attribute, full: str, outer: ast.AST | None, field: str, audit: Auditor
) -> Iterator[Objection]:
    """A class of a library in a place where its value would be free to go anywhere."""
    if full == "functools.wraps":
        if not _is_decorator_of_one(outer, field, audit):
            yield audit.object(node, "uses `functools.wraps` in another form", _WRAPS_RULE)
        return
    if full == "typing.get_args" and not _asks_a_literal(outer, field, audit):
        yield audit.object(node, "takes the parts of a type, which may be classes", _LITERAL_RULE)
    if full not in _NEVER_CALLED and not is_open_class(full):
        return
    if isinstance(outer, ast.Call) and field == "func":
        if full in _NEVER_CALLED:
            yield audit.object(node, f"calls `{full}`", _HANDED_ON)
    elif not _stays(node, audit):
        yield audit.object(node, f"hands on the class `{full}` as a value", _HANDED_ON)


def _stays(node: ast.AST, audit: Auditor) -> bool:
    """Whether a class stays where it is written: asked for, derived from, or part of a type."""
    inner = node
    while True:
        outer, field = audit.tree.above(inner)
        if outer is None or field in ("annotation", "returns", "bases", "cls", "decorator_list", "type"):
            return outer is not None
        if isinstance(outer, ast.Call):
            return _is_type_argument(outer, inner, audit)
        if isinstance(outer, ast.Subscript) and field == "value":
            inner = outer  # Callable[...] is a type like any other
            if audit.meaning(node).startswith((*_TYPING, "collections.abc.", "numpy.typing.")):
                return True
        elif isinstance(outer, ast.Subscript) and field == "slice":
            return _is_generic(outer.value, audit)
        elif isinstance(outer, ast.Tuple | ast.List):
            inner = outer
        elif isinstance(outer, ast.BinOp) and isinstance(outer.op, ast.BitOr):
            return True  # X | None is a type of its own
        elif isinstance(outer, ast.keyword):
            call, _ = audit.tree.above(outer)
            return isinstance(call, ast.Call) and audit.meaning(call.func) == "typing.TypeVar"
        else:
            return _compares_identity(outer) or type(outer).__name__ == "TypeAlias"


def _is_type_argument(call: ast.Call, inner: ast.AST, audit: Auditor) -> bool:
    """The second argument of isinstance, and the first of typing.cast, which gives back the second."""
    asks = isinstance(call.func, ast.Name) and call.func.id in ("isinstance", "issubclass")
    if asks:
        return inner in call.args[1:2]
    full = audit.meaning(call.func)
    return (full == "typing.cast" and inner in call.args[:1]) or full in _TYPES_OF_TYPES[1:]


def _is_generic(node: ast.expr, audit: Auditor) -> bool:
    if isinstance(node, ast.Name) and (node.id in GENERICS or _is_own_generic(node.id, audit)):
        return True
    return audit.meaning(node).startswith((*_TYPING, "collections.abc.", "collections.", "numpy.typing."))


def _is_own_generic(name: str, audit: Auditor) -> bool:
    """Whether the name is a class that the file derives from Generic[...], and nothing else in the file."""
    definitions = [node for node in audit.tree.nodes if name in bound(node)]
    return len(definitions) == 1 and any(
        isinstance(base, ast.Subscript) and audit.meaning(base.value) in ("typing.Generic", "typing.Protocol")
        for base in getattr(definitions[0], "bases", ())
    )


def _asks_a_literal(call: ast.AST | None, field: str, audit: Auditor) -> bool:
    """Whether the parts are constants: `get_args(Kind)`, where all the file says is `Kind = Literal["a"]`."""
    if not isinstance(call, ast.Call) or field != "func" or len(call.args) != 1 or call.keywords:
        return False
    asked: ast.AST | None = call.args[0]
    if isinstance(asked, ast.Name):
        definitions = [node for node in audit.tree.nodes if asked.id in bound(node)]
        outer = audit.tree.above(definitions[0])[0] if len(definitions) == 1 else None
        asked = outer.value if isinstance(outer, ast.Assign | ast.AnnAssign) else None
    return (
        isinstance(asked, ast.Subscript)
        and audit.meaning(asked.value) in ("typing.Literal", "typing_extensions.Literal")
        and all(isinstance(node, _CONSTANT) for node in ast.walk(asked.slice))
    )


def _compares_identity(node: ast.AST | None) -> bool:
    """`is` alone: `==` hands what it compares to a method of the other side."""
    return isinstance(node, ast.Compare) and all(isinstance(op, ast.Is | ast.IsNot) for op in node.ops)


def _is_decorator_of_one(call: ast.AST | None, field: str, audit: Auditor) -> bool:
    if not isinstance(call, ast.Call) or field != "func" or len(call.args) != 1 or call.keywords:
        return False
    outer, where = audit.tree.above(call)
    function = isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef) and where == "decorator_list"
    return function and not isinstance(call.args[0], ast.Starred)


def _definition(node: ast.ClassDef, audit: Auditor) -> Iterator[Objection]:
    if node.keywords and not _is_total(node, audit):
        yield audit.object(node, f"gives the class {node.name} a metaclass or options", _BASE_RULE)
    for base in node.bases:
        inner = base.value if isinstance(base, ast.Subscript) else base
        full = audit.meaning(inner)
        if full and full not in _BASES and is_open_class(full) and not is_layer(full):
            yield audit.object(node, f"derives {node.name} from `{full}`", _BASE_RULE)
        if full.startswith("enum."):
            yield from _enum(node, audit)


def _is_total(node: ast.ClassDef, audit: Auditor) -> bool:
    """`class Options(TypedDict, total=False)`: an option of TypedDict's own."""
    typed = any(audit.meaning(base) == "typing.TypedDict" for base in node.bases)
    return typed and all(each.arg == "total" for each in node.keywords)


def _enum(node: ast.ClassDef, audit: Auditor) -> Iterator[Objection]:
    """A class that has constants refuses to be called for a new one; one without does not."""
    assigned = [each for each in node.body if isinstance(each, ast.Assign)]
    names = [ast.unparse(target) for each in assigned for target in each.targets]
    plain = [each for each in assigned if _is_constant(each.value, audit)]
    if not plain or any(name.startswith("_") for name in names):
        yield audit.object(node, f"derives {node.name} from Enum without a plain constant", _ENUM_RULE)


def _is_constant(value: ast.expr, audit: Auditor) -> bool:
    if isinstance(value, ast.Call):
        return audit.meaning(value.func) == "enum.auto"
    return isinstance(value, ast.Constant) and value.value is not None


def _slots(node: ast.Assign | ast.AnnAssign, audit: Auditor) -> Iterator[Objection]:
    """Slots are attributes named by texts, so the texts are to be seen, and held to the rules for names."""
    items = node.value.elts if isinstance(node.value, ast.Tuple | ast.List) else None
    texts = [each.value for each in items or () if isinstance(each, ast.Constant)]
    written = items is not None and len(texts) == len(items)
    if not written or any(not isinstance(text, str) or text.startswith("__") for text in texts):
        rule = 'Write the names out, without double underscores: __slots__ = ("scale", "shape").'
        yield audit.object(node, "computes `__slots__`", rule)
