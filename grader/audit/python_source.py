"""Audit op.py by its syntax tree: it connects tensors to kernels, using the listed names only.

What is on no list is refused: modules and their names (`lists.standard`, `lists.tensors`), Python's own names
and the methods between double underscores (`lists.builtins`), attributes (`lists.attributes`, and those that
the file defines itself). So no value leads to a module, a frame or a class that others use, and nothing takes
the name of an attribute as a text.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping

from grader.audit import classes, package_library, registrations
from grader.audit.lists import Group, group
from grader.audit.lists.attributes import ATTRIBUTE_NAMES, REGISTRATIONS
from grader.audit.lists.builtins import FIXED, INSTEAD, LABELS, LABELS_OF_OBJECTS, METHOD_NAMES, NAMES
from grader.audit.lists.standard import STANDARD
from grader.audit.lists.tensors import NUMPY, TORCH
from grader.audit.modules import OPERATORS, Modules
from grader.audit.objection import Objection
from grader.audit.own_names import bound_by, neighbours, own_names
from grader.audit.parsing import audited
from grader.audit.reserved import reserved
from grader.audit.rules import DUNDER_RULE, LIST_RULE, OWN_RULE, PATCH_RULE, instead
from grader.audit.scopes import PYTHONS, reached
from grader.audit.tree import Tree, bound, identifiers

GRADER = {"grader": group("builds and loads the submission's own library", "load")}
OP: Mapping[str, Group] = {**STANDARD, **TORCH, **NUMPY, **GRADER}


def audit(
    source: str | bytes,
    file: str,
    name: str = "",
    allowed: Collection[str] = (),
    packaged: bool = False,
    own: Collection[str] = (),
    hidden: Collection[str] = (),
) -> Iterator[Objection]:
    """Objections in the order of the lines; one, if the file is no UTF-8 or no Python.

    `name` is that of the library. `allowed` holds what the exercise allows besides: `torch.library`, to
    register operators of the namespace `name`. A `packaged` file is in the package `name`, and may import its
    neighbours, which are audited too; `hidden` are the names that imported modules have there. `own` names
    what else the submission defines: its C++ functions.
    """
    registers = registrations.ALLOWANCE in allowed
    yield from audited(source, file, SourceAudit(file, name, registers, packaged, own, hidden).run)


class SourceAudit:
    """One file: `lists` are the modules it may import, `attributes` what it may read of any value."""

    lists: Mapping[str, Group] = OP
    attributes: frozenset[str] = ATTRIBUTE_NAMES

    def __init__(
        self, file: str, name: str, registers: bool = False, packaged: bool = False,
        own: Collection[str] = (), hidden: Collection[str] = (),
    ) -> None:  # fmt: skip
        self.file = file
        self.name = name
        self.registers = registers  # whether it may register operators by torch.library
        self.packaged = packaged
        self.package = name if packaged else ""
        self.hidden = hidden
        self.modules = Modules(self.lists, name)
        self.imported: dict[str, str] = {}  # local name -> dotted name
        self.own = frozenset(own)
        self.meanings: dict[int, str] = {}  # dotted names by the id of the expression
        self.tree: Tree
        self.loading: frozenset[int] = frozenset()  # nodes of calls that load the package's own library
        self.misloads = False  # a call loads one in another way, which is the fault to report

    def run(self, root: ast.Module) -> Iterator[Objection]:
        self.tree = Tree(root)
        if self.packaged:
            self.loading = package_library.allowed(root)
            misused = list(package_library.other_uses(root, self.loading))
            self.misloads = bool(misused)
            for other in misused:
                yield self.object(other, f"uses `{package_library.FUNCTION}`", package_library.RULE)
        for node in self.tree.nodes:
            if isinstance(node, ast.Import | ast.ImportFrom):
                yield from self._import(node)
        self.meanings = {
            id(node): self._dotted(node)
            for node in self.tree.nodes
            if isinstance(node, ast.Name | ast.Attribute)
        }
        self.own |= own_names(self.tree, self.meanings, self.modules.own, self.package)
        yield from self._pythons_own(root)
        for node in self.tree.nodes:
            if id(node) in self.loading:
                continue
            yield from self._identifiers(node)
            if isinstance(node, ast.Name | ast.Attribute):
                yield from self._value(node)
            if isinstance(node, ast.MatchClass):
                for name in node.kwd_attrs:
                    yield from self._attribute_name(node, name)
            yield from classes.objections(node, self)
        if registrations.EVALUATES & set(self.meanings.values()):
            for node, what in registrations.hidden_types(self.tree, self.meanings):
                yield self.object(node, what, registrations.TYPES_RULE)

    def object(self, node: ast.AST, what: str, rule: str = LIST_RULE) -> Objection:
        return Objection(self.file, getattr(node, "lineno", 0), what, rule)

    def meaning(self, node: ast.AST) -> str:
        """`torch.autograd.Function` of a chain that begins at an imported name; else `""`."""
        return self.meanings.get(id(node), "")

    def is_module(self, full: str) -> bool:
        """Whether `full` is a module that the file may import, or leads to one."""
        return self.modules.is_module(full) or (self.registers and full == registrations.ALLOWANCE)

    def is_member(self, module: str, name: str) -> bool:
        """Whether the file may use `module.name`."""
        return self.modules.is_member(module, name)

    def _import(self, node: ast.Import | ast.ImportFrom) -> Iterator[Objection]:
        inside = neighbours(node, self.package)
        if inside:
            yield from self._import_neighbours(node, inside)
        for alias in node.names:
            if alias in inside:
                continue
            full = f"{node.module}.{alias.name}" if isinstance(node, ast.ImportFrom) else alias.name
            plain = isinstance(node, ast.Import) and alias.asname is None  # binds the package itself
            name = bound_by(alias)
            meant = name if plain else _of_typing(full)
            if self.imported.setdefault(name, meant) != meant:
                yield self.object(node, f"gives the name `{name}` another meaning", PATCH_RULE)
            if f"{full}.".startswith(f"{registrations.ALLOWANCE}."):
                # The module could be handed on by another name; functions, by a class or by a neighbour.
                global_ = isinstance(self.tree.above(node)[0], ast.Module) and not self.packaged
                known = self.registers and (plain or (global_ and registrations.is_function(full)))
            elif isinstance(node, ast.Import):
                known = self.is_module(full)
            elif full == package_library.PATH and alias.asname is None and (self.loading or self.misloads):
                known = self.misloads or package_library.is_path_alone(self.tree.nodes, self.loading)
            else:
                known = self.is_member(node.module or "", alias.name)
            if not known:
                root = full.partition(".")[0]
                what = full if root in self.modules.roots or self.is_module(root) else root
                yield self.object(node, f"imports `{what}`", self._import_rule(full))

    def _import_neighbours(
        self, node: ast.Import | ast.ImportFrom, inside: Collection[ast.alias]
    ) -> Iterator[Objection]:
        level = node.level if isinstance(node, ast.ImportFrom) else 0
        if level > 1 or (level and not self.packaged):
            yield self.object(node, "imports relative to a package", self._import_rule(""))
        for alias in inside:
            if alias.name == "*" or any(part in self.hidden for part in alias.name.split(".")):
                yield self.object(node, f"imports `{alias.name}` from a neighbour", PATCH_RULE)

    def _import_rule(self, full: str) -> str:
        module = full.rpartition(".")[0]
        root = full.partition(".")[0]
        if module in self.lists or root in self.modules.roots:
            return instead(full)
        if self.packaged and root in package_library.MODULES:
            return package_library.RULE
        names = [name for name in (*self.modules.roots, "op") if name != "op" or self.is_module(name)]
        said = INSTEAD.get(root, "")
        return f"{said} It may import {', '.join(sorted(set(names) - {'__future__'}))}.".strip()

    def _pythons_own(self, root: ast.Module) -> Iterator[Objection]:
        """Builtins that are not on the list, where the name may mean them."""
        for name, line in reached(ast.unparse(root), self.file).items():
            if name in NAMES or name in LABELS:
                continue
            named = [node for node in self.tree.nodes if isinstance(node, ast.Name) and node.id == name]
            if named and all(id(node) in self.loading for node in named):
                continue
            first = min((node.lineno for node in named), default=line)
            yield Objection(self.file, first, f"uses `{name}`", instead(name))

    def _identifiers(self, node: ast.AST) -> Iterator[Objection]:
        for name in identifiers(node):
            if name.startswith("__") and not self._is_known_dunder(node, name):
                what = "reads the attribute" if isinstance(node, ast.Attribute) else "uses"
                said = INSTEAD.get(name, "")
                yield self.object(node, f"{what} `{name}`", f"{said} {DUNDER_RULE}".strip())
        for name in bound(node):
            full = "" if isinstance(node, ast.alias) else self.imported.get(name, "")
            if name in FIXED or self.is_module(full) or classes.gives_meaning(full):
                yield self.object(node, f"gives the name `{name}` another meaning", PATCH_RULE)

    def _is_known_dunder(self, node: ast.AST, name: str) -> bool:
        if isinstance(node, ast.Attribute):
            known = METHOD_NAMES | LABELS_OF_OBJECTS | {"__version__"}
            of_class = name == "__class__" and self._is_asked_its_name(node)
            return (name in known or of_class) and isinstance(node.ctx, ast.Load)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            return name in METHOD_NAMES
        if isinstance(node, ast.ImportFrom | ast.alias):
            return name in ("__future__", "__version__")
        return name in LABELS and isinstance(node, ast.Name)

    def _is_asked_its_name(self, node: ast.AST) -> bool:
        """`x.__class__.__name__`, which is a text as that of `type(x)` is."""
        outer, _ = self.tree.above(node)
        return isinstance(outer, ast.Attribute) and outer.attr in ("__name__", "__qualname__")

    def _value(self, node: ast.Name | ast.Attribute) -> Iterator[Objection]:
        """The meaning of a name or an attribute, and whether it may be used in this place."""
        full = self.meaning(node)
        outer, field = self.tree.above(node)
        qualifies = isinstance(outer, ast.Attribute)
        if isinstance(node, ast.Attribute):
            yield from self._attribute(node)
        elif node.id == "type" and not classes.is_asked(node, self):
            yield self.object(node, "uses `type` as a value", INSTEAD["type"])
        elif node.id in PYTHONS - NAMES and self.tree.is_in_annotation(node):
            yield self.object(node, f"uses `{node.id}`")  # annotations may be evaluated, late and as texts
        if not full or qualifies:
            return
        if isinstance(node, ast.Name) and self.registers and registrations.is_function(full):
            yield from self._registration(node, full)
        if self.is_module(full) and full != self.modules.own:
            yield self.object(node, f"hands on the module `{ast.unparse(node)}` as a value", PATCH_RULE)
        elif isinstance(node.ctx, ast.Load):
            yield from classes.handed_on(node, full, outer, field, self)

    def _attribute(self, node: ast.Attribute) -> Iterator[Objection]:
        base = self.meaning(node.value)
        full = f"{base}.{node.attr}"
        if not isinstance(node.ctx, ast.Load):
            yield from self._store(node)
        elif self.registers and base and f"{full}.".startswith(f"{registrations.ALLOWANCE}."):
            yield from self._registration(node, full)
        elif base and self.modules.own == base and not node.attr.startswith("_"):
            return  # an operator of its own
        elif base and (base == OPERATORS or self.is_module(base)):
            if not self.is_member(base, node.attr):
                yield self.object(node, f"uses `{full}`", instead(full, self.modules.meant(base, node.attr)))
        else:
            yield from self._attribute_name(node, node.attr)

    def _store(self, node: ast.Attribute) -> Iterator[Objection]:
        if self.meaning(node.value):
            yield self.object(node, f"changes `{ast.unparse(node)}`", PATCH_RULE)
        elif self._is_of_others(node, node.attr) or (
            node.attr.startswith("_") and node.attr in self.attributes
        ):
            yield self.object(node, f"gives an attribute the name `{node.attr}`", OWN_RULE)

    def _registration(self, node: ast.Name | ast.Attribute, full: str) -> Iterator[Objection]:
        """`full` is torch.library or a name of it; as part of a longer chain it is judged with that."""
        function = full.removeprefix(registrations.ALLOWANCE).removeprefix(".")
        outer, field = self.tree.above(node)
        if not function and isinstance(outer, ast.Attribute):
            return
        call = outer if isinstance(outer, ast.Call) and field == "func" else None
        what = registrations.problem(function, call, self.name)
        if what:
            yield self.object(node, what, registrations.RULE)

    def _attribute_name(self, node: ast.AST, name: str) -> Iterator[Objection]:
        """An attribute of a value that is known only at run time."""
        if name in self.hidden:
            yield self.object(node, f"reads the attribute `{name}`, a module", PATCH_RULE)
            return
        if name.startswith("__") or name in self.attributes or (self.registers and name in REGISTRATIONS):
            return  # double underscores have a rule of their own
        if name not in self.own:
            meant = () if name in self.reserved() else self.attributes | self.own
            yield self.object(node, f"reads the attribute `{name}`", instead(name, meant))
        elif self._is_of_others(node, name):
            yield self.object(node, f"reads the attribute `{name}`", OWN_RULE)

    def _is_of_others(self, node: ast.AST, name: str) -> bool:
        """Whether objects of Python or PyTorch may have it.

        Only abstract classes have `register`, and a class of others always has an imported name.
        """
        value = node.cls if isinstance(node, ast.MatchClass) else getattr(node, "value", node)
        return name in self.reserved() and (name != "register" or bool(self.meaning(value)))

    def reserved(self) -> frozenset[str]:
        """Names of attributes that objects of others have, and that are on no list."""
        return reserved()

    def _dotted(self, node: ast.expr) -> str:
        """The dotted name of a chain that begins at an imported name; else `""`."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self.imported:
            return ""
        return ".".join([self.imported[node.id], *reversed(parts)])


def _of_typing(full: str) -> str:
    """Names of typing_extensions are those of typing, for older releases of Python."""
    module, _, name = full.rpartition(".")
    return f"typing.{name}" if module == "typing_extensions" else full
