"""op.py by its syntax tree: it wires tensors to kernels, so it needs torch and little else."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from grader.audit import modules, registrations
from grader.audit.objection import Objection
from grader.audit.parsing import audited, parse_expression

IMPORTS = frozenset((
    "torch", "numpy", "math", "cmath", "typing", "collections", "dataclasses", "functools",
    "itertools", "enum", "abc", "time", "warnings", "__future__",
))  # fmt: skip
_IMPORT_RULE = f"It may import grader, {', '.join(sorted(IMPORTS - {'__future__'}))}."
_GRADER_RULE = "Of the grader, a submission uses `grader.load` alone."
_REACH_RULE = "A submission does not reach into the program that judges it."
_PATCH_RULE = "A submission leaves what it imports as it is."

# Ways out of what a module is for: to names by strings, to other modules, to frames, files and processes.
_NAMES = frozenset((
    "eval", "exec", "compile", "open", "input", "breakpoint", "globals", "locals", "vars",
    "getattr", "setattr", "delattr", "__import__", "__builtins__", "__loader__", "__spec__",
))  # fmt: skip
_ATTRIBUTES = frozenset((
    "os", "sys", "ctypes", "builtins", "subprocess", "inspect", "gc", "importlib", "pathlib",
    "shutil", "socket", "mmap", "pickle", "threading", "tempfile", "operator", "types", "io",
    "glob", "atexit", "runpy", "pkgutil", "traceback", "logging", "get_type_hints", "ForwardRef",
    "make_dataclass", "load_library", "load_inline", "from_file", "frombuffer", "tofile",
    "fromfile", "memmap", "ctypeslib", "register_fake", "gi_frame", "cr_frame", "ag_frame",
    "tb_frame", "f_back", "f_globals", "f_locals", "f_builtins", "gi_code",
    # Modules behind modules, under the names that they have there.
    "torch", "grader", "bltns", "np", "mp", "multiprocessing", "concurrent",
    # What evaluates strings, or looks attributes up by them: annotations are evaluated to choose a function.
    "singledispatch", "singledispatchmethod", "runstring", "rundocs", "format", "format_map",
    # Classes of classes: what they are called with names attributes by strings.
    "ABCMeta", "EnumMeta", "EnumType",
    "loadtxt", "genfromtxt", "fromregex", "savetxt", "dump", "loaded_libraries", "import_module",
))  # fmt: skip
# Of numpy: what reads and writes files (`load` runs what a pickle says), and its tools for tests and builds.
_CLOSED_NUMPY = frozenset((
    "core", "distutils", "f2py", "lib", "load", "rec", "save", "savez", "savez_compressed", "test", "testing",
))  # fmt: skip
CLOSED_TORCH = frozenset((
    "classes", "compile", "distributed", "export", "fx", "hub", "jit", "library", "load", "monitor",
    "multiprocessing", "onnx", "overrides", "package", "profiler", "save", "serialization",
    "storage", "testing", "utils",
))  # fmt: skip
_METHODS = frozenset((
    "__init__", "__call__", "__repr__", "__str__", "__len__", "__iter__", "__getitem__", "__eq__",
    "__hash__", "__enter__", "__exit__", "__post_init__",
))  # fmt: skip
# Names between double underscores that say something about a file or a class, and give it no powers.
_LABELS = frozenset(("__name__", "__file__", "__doc__", "__all__", "__version__", "__author__", "__slots__"))
_OWN = ("self", "cls", "ctx")  # objects whose private attributes are the submission's own


def audit(
    text: str, file: str, name: str = "", allowed: Collection[str] = (), packaged: bool = False
) -> Iterator[Objection]:
    """Objections in the order of the lines; a file that Python cannot parse is the worker's to report.

    A ``packaged`` file may import its neighbours, which are audited too.

    ``name`` is that of the library. ``allowed`` holds what the exercise allows besides: ``torch.library``, to
    register operators of the namespace ``name``.
    """
    yield from audited(text, file, SourceAudit(file, name, registrations.ALLOWANCE in allowed, packaged).run)


class SourceAudit:
    """One file: ``imports`` are the modules it may import, ``closed`` the parts of torch it may not use."""

    imports = IMPORTS
    import_rule = _IMPORT_RULE
    closed = CLOSED_TORCH

    def __init__(self, file: str, name: str, registers: bool, packaged: bool) -> None:
        self.file = file
        self.name = name
        self.registers = registers  # whether it may register operators by torch.library
        self.packaged = packaged
        self.imported: dict[str, str] = {}  # local name -> dotted name
        self.calls: dict[int, ast.Call] = {}  # by the id of the expression that is called
        self.qualified: set[int] = set()  # ids of the expressions whose attribute is taken
        self.subscripted: set[int] = set()  # and of those before square brackets

    def run(self, tree: ast.Module) -> Iterator[Objection]:
        nodes = [inner for node in ast.walk(tree) for inner in (node, *_written_in_quotes(node))]
        self.calls = {id(node.func): node for node in nodes if isinstance(node, ast.Call)}
        for node in nodes:
            if isinstance(node, ast.Import | ast.ImportFrom):
                yield from self._import(node)
        self.qualified = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
        self.subscripted = {id(node.value) for node in nodes if isinstance(node, ast.Subscript)}
        for node in nodes:
            if isinstance(node, ast.Name):
                yield from self._name(node)
            elif isinstance(node, ast.Attribute):
                yield from self._attribute(node)
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield from self._function(node)
            elif isinstance(node, ast.ClassDef):
                yield from self._class(node)
            elif isinstance(node, ast.Call):
                yield from self._call(node)
            elif isinstance(node, ast.MatchClass):
                for name in node.kwd_attrs:
                    yield from self._attribute_name(node, name, own=False)

    def _object(self, node: ast.AST, what: str, rule: str) -> Objection:
        return Objection(self.file, getattr(node, "lineno", 0), what, rule)

    def _import(self, node: ast.Import | ast.ImportFrom) -> Iterator[Objection]:
        if isinstance(node, ast.ImportFrom) and node.level:
            if not self.packaged or node.level > 1:
                yield self._object(node, "imports relative to a package", self.import_rule)
            return
        for alias in node.names:
            full = f"{node.module}.{alias.name}" if isinstance(node, ast.ImportFrom) else alias.name
            plain = isinstance(node, ast.Import) and alias.asname is None  # binds the package itself
            bound = full.partition(".")[0] if plain else alias.asname or alias.name
            meant = bound if plain else full
            if self.imported.setdefault(bound, meant) != meant:
                yield self._object(node, f"gives the name `{bound}` another meaning", _PATCH_RULE)
            root, *rest = full.split(".")
            if root == "grader":
                if rest not in ([], ["load"]):
                    yield self._object(node, f"imports `{full}`", _GRADER_RULE)
            elif root not in self.imports:
                yield self._object(node, f"imports `{root}`", self.import_rule)
            elif self.registers and plain and full == registrations.ALLOWANCE:
                continue  # under a name of its own the module could be handed on
            elif alias.name == "*" or self._is_refused(full):
                yield self._object(node, f"imports `{full}`", _REACH_RULE)

    def _is_refused(self, full: str) -> bool:
        root, *rest = full.split(".")
        private = any(part.startswith("_") for part in rest) and root != "__future__"
        return private or bool(_ATTRIBUTES & set(rest)) or self._is_closed(full)

    def _is_module(self, full: str) -> bool:
        return full in self.imports | {"grader"} or modules.is_module(full, IMPORTS)

    def _is_closed(self, full: str) -> bool:
        root, part = (*full.split("."), "")[:2]
        return part in {"torch": self.closed, "numpy": _CLOSED_NUMPY}.get(root, ())

    def _name(self, node: ast.Name) -> Iterator[Objection]:
        dunder = node.id.startswith("__") and node.id not in _LABELS
        if node.id in _NAMES or dunder:
            yield self._object(node, f"uses `{node.id}`", _REACH_RULE)
        elif node.id == "type" and id(node) not in self.calls and id(node) not in self.subscripted:
            yield self._object(node, "hands on `type` as a value", _REACH_RULE)
        elif self._is_module(self.imported.get(node.id, "")):
            if not isinstance(node.ctx, ast.Load):
                yield self._object(node, f"gives the name `{node.id}` another meaning", _PATCH_RULE)
            elif id(node) not in self.qualified:
                yield self._object(node, f"hands on the module `{node.id}` as a value", _REACH_RULE)

    def _attribute(self, node: ast.Attribute) -> Iterator[Objection]:
        root = _root(node)
        full = self._dotted(node)
        own = isinstance(node.value, ast.Name) and node.value.id in _OWN
        if not isinstance(node.ctx, ast.Load) and not own and (root is None or root.id in self.imported):
            yield self._object(node, f"changes `{ast.unparse(node)}`", _PATCH_RULE)
        elif full.startswith("grader.") and full != "grader.load":
            yield self._object(node, f"uses `{full}`", _GRADER_RULE)
        elif self.registers and f"{full}.".startswith(f"{registrations.ALLOWANCE}."):
            yield from self._registration(node, full)
        elif self._is_closed(full):
            yield self._object(node, f"uses `{full}`", _REACH_RULE)
        elif id(node) not in self.qualified and self._is_module(full):
            yield self._object(node, f"hands on the module `{full}` as a value", _REACH_RULE)
        elif isinstance(node.value, ast.Attribute) and node.value.attr == "numpy":  # a module's, no tensor's
            yield self._object(node, f"reads the attribute `numpy.{node.attr}`", _REACH_RULE)
        else:
            yield from self._attribute_name(node, node.attr, own)

    def _registration(self, node: ast.Attribute, full: str) -> Iterator[Objection]:
        """`full` is torch.library or an attribute of it; as part of a longer chain it is judged with that."""
        function = full.removeprefix(registrations.ALLOWANCE).removeprefix(".")
        if not function and id(node) in self.qualified:
            return
        what = registrations.problem(function, self.calls.get(id(node)), self.name)
        if what:
            yield self._object(node, what, registrations.RULE)

    def _attribute_name(self, node: ast.AST, name: str, own: bool) -> Iterator[Objection]:
        dunder = name.startswith("__") and name not in _METHODS and name != "__name__"
        if self.registers and name in registrations.METHODS:
            return
        if dunder or name in _ATTRIBUTES or (name.startswith("_") and not own and name not in _METHODS):
            yield self._object(node, f"reads the attribute `{name}`", _REACH_RULE)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Objection]:
        if node.name.startswith("__") and node.name not in _METHODS:
            yield self._object(node, f"defines `{node.name}`", _REACH_RULE)

    def _call(self, node: ast.Call) -> Iterator[Objection]:
        """``type`` with three arguments makes a class whose attributes are named by strings."""
        if isinstance(node.func, ast.Name) and node.func.id == "type" and len(node.args) != 1:
            yield self._object(node, "makes a class by calling `type`", _REACH_RULE)

    def _class(self, node: ast.ClassDef) -> Iterator[Objection]:
        if node.keywords:
            yield self._object(node, f"gives the class {node.name} a metaclass or options", _REACH_RULE)
        for base in node.bases:
            full = self._dotted(base)
            if full.startswith("torch.") and full not in ("torch.autograd.Function", "torch.nn.Module"):
                rule = "A class here derives from torch.autograd.Function or torch.nn.Module."
                yield self._object(node, f"derives {node.name} from `{full}`", rule)

    def _dotted(self, node: ast.expr) -> str:
        """``torch.autograd.Function`` of a chain that begins at an imported name; else ``""``."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self.imported:
            return ""
        return ".".join([self.imported[node.id], *reversed(parts)])


def _root(node: ast.expr) -> ast.Name | None:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node if isinstance(node, ast.Name) else None


def _written_in_quotes(node: ast.AST) -> Iterator[ast.AST]:
    """What stands in quotes in an annotation is code, too: some functions evaluate it."""
    outer = node.annotation if isinstance(node, ast.arg | ast.AnnAssign) else getattr(node, "returns", None)
    for each in ast.walk(outer) if isinstance(outer, ast.expr) else ():
        if isinstance(each, ast.Constant) and isinstance(each.value, str):
            code = parse_expression(each.value, each.lineno)
            yield from (ast.copy_location(inner, node) for inner in ast.walk(code)) if code else ()
