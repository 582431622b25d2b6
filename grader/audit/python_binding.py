"""Allow pybind11 by name: arguments, results, classes and errors.

The library's symbols cannot tell: pybind11's own headers import modules and read attributes for any module.
So this is about a submission's own lines. Names of pybind11 are written with `py::` or `pybind11::` in front
of them, and those that are not listed are not allowed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from cusimt.translate.lexer import Kind, Token
from grader.audit.objection import Objection

ALLOWED = frozenset((
    "arg", "args", "arithmetic", "array", "array_t", "attribute_error", "base", "bool_", "buffer",
    "buffer_error",
    "buffer_info", "buffer_protocol", "bytearray", "bytes", "call_guard", "capsule", "cast",
    "cast_error", "class_", "const_",
    "dict", "doc", "dtype", "dynamic_attr", "ellipsis", "enum_", "error_already_set", "exception", "float_",
    "format_descriptor", "gil_scoped_acquire", "gil_scoped_release", "handle", "hash",
    "implicitly_convertible",
    "index_error", "init", "int_", "is_final", "is_method", "is_operator", "isinstance", "iterable",
    "iterator", "keep_alive", "key_error", "kw_only", "kwargs", "len", "list", "literals",
    "make_iterator", "make_tuple", "memoryview", "mod_gil_not_used", "module", "module_", "module_local",
    "name", "native_enum", "none", "not_implemented_error", "object", "options", "overload_cast",
    "pos_only", "prepend", "print", "register_exception", "register_local_exception",
    "return_value_policy", "set_error", "scope", "self", "sequence", "set", "sibling",
    "slice", "smart_holder", "ssize_t", "static_", "stop_iteration", "str", "tuple", "type_error",
    "unchecked_mutable_reference", "unchecked_reference", "value_error", "vectorize",
))  # fmt: skip
# Functions that are found by their arguments, and members of Python's objects that lead to other objects.
_REFUSED = re.compile(
    r"exec|eval|eval_file|globals|locals|getattr|setattr|delattr|hasattr|import|import_|reload|get_type|"
    r"reinterpret_(borrow|steal)|cpp_function|get_module_state|dec_ref|inc_ref"
)
_RULE = (
    "A binding converts arguments and results. Take what it needs as an argument, and do the rest in op.py."
)
_NAMESPACES = ("py", "pybind11")


def audit(tokens: Sequence[Token], text: str, file: Path) -> Iterator[Objection]:
    """Objections to the tokens of one source or header of a Python module, blanks left out."""
    tokens = list(_code(tokens))
    words = [token.text for token in tokens]
    modules = _modules(words)
    for index, token in enumerate(tokens):
        if token.kind is Kind.WORD and (what := _objection(words, index, modules)):
            yield Objection(file.name, text.count("\n", 0, token.start) + 1, what, _RULE)


def _code(tokens: Sequence[Token]) -> Iterator[Token]:
    """The tokens that are no line ends and not the name of a header."""
    include = False
    for index, token in enumerate(tokens):
        include = (include and token.kind is not Kind.NEWLINE) or (
            token.text == "#" and [each.text for each in tokens[index + 1 : index + 2]] == ["include"]
        )
        if not include and token.kind is not Kind.NEWLINE:
            yield token


def reaches_out(word: str) -> bool:
    """Whether a word of a module's compiled lines leads to the interpreter.

    PYBIND11_MODULE puts one of them there itself.
    """
    return _REFUSED.fullmatch(word) is not None and word != "reinterpret_borrow"


def _modules(words: Sequence[str]) -> frozenset[str]:
    """The names that modules have in this file: `m` of PYBIND11_MODULE(name, m), and submodules of it."""
    found = {
        words[at + 4]
        for at, word in enumerate(words[:-4])
        if word == "PYBIND11_MODULE" and words[at + 3] == ","
    }
    for at in range(2, len(words) - 2):
        if words[at] == "def_submodule" and words[at - 3] == "=":
            found.add(words[at - 4])
    return frozenset(found)


def _objection(words: Sequence[str], index: int, modules: frozenset[str]) -> str:
    """What is against the word at `index`, after "binding.cpp:3 "; `""` when nothing is."""
    word = words[index]
    before, after = words[max(0, index - 2) : index], words[index + 1 : index + 3]
    if word in _NAMESPACES:
        return _namespace_objection(words, index)
    if _REFUSED.fullmatch(word):
        return f"uses `{word}`, which calls the Python interpreter"
    if word == "attr" and before[-1:] in (["."], ["->"]):
        assigned = words[index + 4 : index + 5] == ["="] and words[index + 3] == ")"
        dunder = len(after) > 1 and re.match(r'"__(?!version__|doc__|all__)', after[1])
        if (
            before[0] not in modules
            or words[index - 3 : index - 2] in (["."], [")"])
            or not assigned
            or dunder
        ):
            return 'uses `.attr`; only `m.attr("name") = value` of the module itself is allowed here'
    return ""


def _namespace_objection(words: Sequence[str], index: int) -> str:
    """`py` and `pybind11` are followed by a listed name, and `py` is the only other name of pybind11."""
    before, after = list(words[max(0, index - 3) : index]), list(words[index + 1 : index + 3])
    if before[-1:] == ["::"] and before[-2:-1] and re.match(r"\w", before[-2]):
        return ""  # the last part of another name
    if after[:1] == ["::"]:
        used = after[1] if len(after) > 1 else ""
        if before[-1:] == ["using"] or before[-2:] == ["using", "namespace"]:
            return (
                ""
                if used == "literals"
                else f"has `using {words[index]}::{used}`; write it out where it is used"
            )
        return (
            "" if used in ALLOWED else f"uses `{words[index]}::{used}`, which is not on the list for bindings"
        )
    if words[index] == "py" and before[-1:] == ["namespace"] and after == ["=", "pybind11"]:
        return ""
    if words[index] == "pybind11" and before == ["namespace", "py", "="]:
        return ""
    return f"uses `{words[index]}` in another way than `{words[index]}::name`"
