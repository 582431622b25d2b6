"""Audit setup.py by its syntax tree: it declares a build and does nothing else.

The process is confined (grader.packages); this audit is about the verdict. A build that switches the access
checks off, or that compiles other sources than those that were looked at, would make a pass worthless. So it
uses what `lists.setup` names, as op.py uses what the other lists name; and no text in it is a flag that
touches the checks. What it puts together is looked at when the compilers are called (grader.packages.flags).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from grader.audit.cuda_source import is_reserved
from grader.audit.lists.builtins import LABELS
from grader.audit.lists.setup import SETUP, SETUP_ATTRIBUTES
from grader.audit.objection import Objection
from grader.audit.parsing import audited
from grader.audit.python_source import SourceAudit
from grader.audit.rules import LIST_RULE

_DECLARES = (
    "setup.py declares what is built, and leaves the building to setuptools and torch: "
    "docs/reference/allowed_python.md lists what it may use."
)
_COMMANDS = ("torch.utils.cpp_extension.BuildExtension",)  # classes that setup() is given
_PATH = "pathlib.Path"
_CHECKS_RULE = "Every access of a submission is to be checked, so a build may not touch the checks."
_MACRO = re.compile(r"-[DU](\w+)(?:\([^)]*\))?(?:=(.*))?", re.DOTALL)
_PLAIN = re.compile(r"""(-?\d[\w.]*|\\?["'][\w.+ -]*\\?["']|true|false|)""")
# Macros of PyTorch's that its stable headers document: they choose what is declared, and nothing else.
_STABLE = re.compile(
    r"-DTORCH_TARGET_VERSION=(0[xX][0-9a-fA-F]{1,16}|\d{1,20})([uU]?[lL]{0,2})|-DUSE_CUDA(=1)?|-DTORCH_STABLE_ONLY(=1)?|"
    r"-DPy_LIMITED_API=(0[xX][0-9a-fA-F]{1,8}|\d{1,10})"
)
_TOUCHES = re.compile(
    r"sanitize|instrument|fplugin|specs=|--wrap|tsan|simt|cu2grad|nvcc.*--run|objcopy|--?define-?sym|LD_PRELOAD|"
    r"^-(include|imacros|iquote|B|wrapper|Xclang|mllvm)|-Wl,.*(wrap|defsym|dynamic-list|script)|^@|__builtin_",
    re.IGNORECASE,
)


def audit(source: str | bytes, file: str) -> Iterator[Objection]:
    """Objections in the order of the lines; one, if the file is no UTF-8 or no Python."""
    yield from audited(source, file, _SetupAudit(file, "").run)


class _SetupAudit(SourceAudit):
    lists = SETUP
    attributes = SETUP_ATTRIBUTES

    def run(self, root: ast.Module) -> Iterator[Objection]:
        for each in ast.walk(root):
            if isinstance(each, ast.ClassDef):  # before what op.py's rules say about it
                yield self.object(each, f"defines the class {each.name}", _DECLARES)
        for objection in super().run(root):
            yield replace(objection, rule=objection.rule.replace(LIST_RULE, _DECLARES))
        for node in self.tree.nodes:
            if isinstance(node, ast.Name) and node.id == "open" and not self._reads(node):
                yield self.object(node, "opens a file for more than reading", _DECLARES)
            elif isinstance(node, ast.Constant) and (touches := _touched(node.value)):
                yield self.object(node, f"says `{touches}`", _CHECKS_RULE)

    def _pythons_own(self, root: ast.Module) -> Iterator[Objection]:
        yield from (each for each in super()._pythons_own(root) if each.what != "uses `open`")

    def _is_known_dunder(self, node: ast.AST, name: str) -> bool:
        known = isinstance(node, ast.Name) and name in LABELS | {"__file__"}
        return known or super()._is_known_dunder(node, name)

    def _value(self, node: ast.Name | ast.Attribute) -> Iterator[Objection]:
        outer, _ = self.tree.above(node)
        if self.meaning(node) in _COMMANDS and isinstance(outer, ast.Dict):
            return  # cmdclass={"build_ext": BuildExtension}
        yield from super()._value(node)

    def _store(self, node: ast.Attribute) -> Iterator[Objection]:
        yield self.object(node, f"changes `{ast.unparse(node)}`", _DECLARES)

    def _attribute_name(self, node: ast.AST, name: str) -> Iterator[Objection]:
        if name == "replace" and isinstance(node, ast.Attribute) and not self._replaces_text(node):
            yield self.object(node, f"uses `{ast.unparse(node)}`", _DECLARES)
        else:
            yield from super()._attribute_name(node, name)

    def _reads(self, node: ast.Name) -> bool:
        """`open(path, encoding=...)` reads; a mode, which could be another, is not needed for it."""
        call, field = self.tree.above(node)
        if not isinstance(call, ast.Call) or field != "func":
            return False
        plain = len(call.args) == 1 and not isinstance(call.args[0], ast.Starred)
        return plain and all(each.arg in ("encoding", "errors") for each in call.keywords)

    def _replaces_text(self, node: ast.Attribute) -> bool:
        """`version.replace("+", ".")`: a path, which would be renamed, takes one argument there."""
        call, field = self.tree.above(node)
        if not isinstance(call, ast.Call) or field != "func" or self.meaning(node.value) == _PATH:
            return False
        return len(call.args) > 1 and not any(isinstance(each, ast.Starred) for each in call.args)


def why_not_compiled_with(flag: str) -> str:
    """What is wrong with one word for a compiler, after "which "; `""` when nothing is."""
    if _TOUCHES.search(flag) or flag.startswith("-x"):
        return "touches the access checks or what is compiled"
    if _STABLE.fullmatch(flag.removeprefix("-Xcompiler=")):
        return ""
    macro = _MACRO.fullmatch(flag.removeprefix("-Xcompiler="))
    if macro and is_reserved(macro[1]):
        return f"gives `{macro[1]}` another meaning"
    if macro and not _PLAIN.fullmatch(macro[2] or ""):
        return "hides code in a macro: only a number or a text is allowed there"
    return ""


def _touched(text: object) -> str:
    """The flag in a string that touches the checks; sentences and addresses of pages are no flags."""
    if not isinstance(text, str):
        return ""
    written = "\n" in text or " " in text.strip() or re.match(r"https?://", text)
    return text if not written and _TOUCHES.search(text) else ""
