"""Audit .cu, .cpp and headers by their tokens: nothing may disable the access checks or name their
machinery.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path, PurePath

from cusimt.translate.lexer import Kind, Token, scan
from grader.audit.objection import Objection
from grader.course.vendor import VENDOR

TOUCH_RULE = (
    "What checks a submission is in the same process, and is left alone. "
    "C++, CUDA and PyTorch have documented names for what a kernel needs: use those."
)
CHECKS_RULE = "Every access is checked here: write it in plain CUDA C++."
PYTHON_RULE = "Python belongs into op.py; a binding converts arguments and results with pybind11."
_PRAGMA_RULE = 'Write `#pragma unroll` on a line of its own, or `_Pragma("unroll")` in a macro.'
_NAME_RULE = "Declare a function under its own name."
LIBRARY_RULE = "Your own kernels must do the work, not a library's."
OPERATORS_RULE = "A submission registers operators of its own, and leaves PyTorch's as they are."
ATTRIBUTE_RULE = (
    "Attributes that change how a function is checked or when it runs are not allowed here. Leave it out; "
    "`__restrict__`, `__launch_bounds__` and `alignas` are CUDA's and C++'s own."
)
INCLUDE_RULE = "A source includes headers of C++, CUDA and PyTorch, and those beside it. Leave it out."
_OWN_CLASS = "A class of your own needs another name."
_REGISTER_RULE = f"TORCH_LIBRARY(name, m) makes the library that `m` is. {_OWN_CLASS}"
_DIRECTIVE = re.compile(r"^#\s*(\w+)\s*(.*)$", re.DOTALL)
_ATTRIBUTES = frozenset((
    "aligned", "always_inline", "noinline", "packed", "unused", "used", "may_alias", "const", "pure",
    "deprecated", "hot", "cold", "noreturn", "nothrow", "fallthrough", "nodiscard", "maybe_unused",
    "likely", "unlikely", "no_unique_address", "vector_size", "restrict", "gnu", "gcc", "clang",
    "warn_unused_result", "carries_dependency", "assume", "visibility", "nonnull", "returns_nonnull",
))  # fmt: skip
_PRAGMAS = re.compile(
    r"(once|unroll\b.*|nounroll|nv_\w+.*|diag_\w+.*|STDC .*|(end)?region\b.*|mark\b.*|message\b.*|pack\b.*|"
    r"(GCC|clang) (unroll|ivdep|diagnostic|loop)\b.*)"
)
# Macros of CUDA and PyTorch that only say which declarations a header offers.
_CHOOSING = re.compile(
    r"__CUDA_NO_\w+__|TORCH_ASSERT_(NO|ONLY_METHOD)_OPERATORS|PYBIND11_DETAILED_ERROR_MESSAGES"
)
_RESERVED = re.compile(
    r"__(global|device|host|shared|constant|managed|grid_constant|launch_bounds|noinline|forceinline|restrict|"
    r"attribute|builtin|sync|shfl|ballot|threadfence|CUDA|GNUC|SANITIZE|tsan|wrap|real|simt)\w*|simt\w*|"
    r"cuda(Malloc|Free|Mem|Launch|Get|Set|Peek|Stream|Event|Device|Func|Host)\w*|_?((STABLE|MAKE)_)?TORCH_\w*|(C10|AT|PYBIND11)_\w*|"
    r"(thread|block)(Idx|Dim)|gridDim|warpSize|atomic[A-Z]\w*"
)
_KEYWORDS = frozenset((
    "if", "else", "for", "while", "do", "switch", "case", "return", "break", "continue", "goto",
    "void", "bool", "char", "short", "int", "long", "float", "double", "unsigned", "signed",
    "const", "volatile", "static", "extern", "inline", "template", "typename", "struct", "class",
    "namespace", "using", "operator", "new", "delete", "throw", "try", "catch", "auto", "public",
    "private", "protected", "true", "false", "nullptr", "sizeof", "this",
))  # fmt: skip
# Words, what they would do, and the rule against it.
_WORDS = (
    (re.compile(r"_*simt(_\w+)?|SIMT_\w+|(?i:cu2grad)\w*"), "belongs to the simulated GPU", TOUCH_RULE),
    (
        re.compile(r"__(tsan|sanitizer|wrap|real|asan|interceptor|x86)_\w*|__fentry__|_*mcount"),
        "belongs to the access checks",
        TOUCH_RULE,
    ),
    (re.compile(r"_Pragma|__pragma|__has_embed"), "hides a directive", _PRAGMA_RULE),
    (re.compile(r"__(REDIRECT|ASMNAME)\w*"), "gives a function another's name", _NAME_RULE),
    # Not what every extension module has by itself: `PyInit_NAME`, which only creates a module, and the
    # errors that it raises.
    (
        re.compile(
            r"_?Py(?!Init_\w+$|Object$|_ssize_t$|Exc_\w+$|Err_(SetString|Format|Occurred)$|ModuleDef(_HEAD_INIT)?$|Module_Create$)([A-Z][a-z]|_)\w*"
        ),
        "calls the Python interpreter",
        PYTHON_RULE,
    ),
    (
        re.compile(
            r"__builtin_((ia32|nontemporal|return_address|frame_address|apply|longjmp|str|stp|v?sn?printf)\w*"
            r"|(__mem|__st|mempcpy|bzero|bcopy)\w*)"
        ),
        "is not seen by the access checks",
        CHECKS_RULE,
    ),
    (
        re.compile(r"_mm\d*_\w+"),
        "is the processor's, not CUDA's, and is not seen by the access checks",
        CHECKS_RULE,
    ),
    (
        re.compile(r"no_sanitize\w*|no_instrument_function|disable_sanitizer_instrumentation"),
        "switches checks off",
        CHECKS_RULE,
    ),
    (
        re.compile(
            r"Dispatcher|RegisterOperators|TORCH_LIBRARY_THREAD_UNSAFE_LAZY_INIT|(Stable)?TorchLibraryInit|"
            r"StableLibrary|(aoti_)?torch_library_(init|impl|def)\w*|DeviceGuardImplRegistrar|device_guard_impl_registry|"
            r"C10_REGISTER_GUARD_IMPL|RecordFunctionCallback\w*|add(Global|ThreadLocal)Callback"
        ),
        "changes PyTorch's own operators",
        f"{OPERATORS_RULE} {_OWN_CLASS}",
    ),
)
_CALLS = r"(cublas|cusparse|cusolver|cudnn|cufft|nvrtc)\w+"
_ASSEMBLY = (
    re.compile(r"asm|__asm|__asm__"),
    "is assembly, which the simulated GPU does not execute and no check sees through",
    "Write the function of CUDA that compiles to the instruction, such as __pipeline_memcpy_async for "
    "cp.async. Graded on a GPU, with --backend cuda, inline PTX is allowed.",
)
_HEADERS = re.compile(
    r"(/|\.\./|.*/\.\./|dlfcn|link\.h|elf|sys/|linux/|asm/|.*mmintrin|simt|.*access_state|spawn)"
)
# What may be included, and is audited: a file of Python or TOML can hold C++, too.
SUFFIXES = ("", ".h", ".hpp", ".hh", ".hxx", ".cuh", ".inl", ".inc", ".cu", ".cpp", ".cc", ".cxx", ".c")
# Headers of algorithms that are launched from the host: kernels of other authors. The one that is left out
# only asks whether 32-bit offsets suffice for a tensor.
_LIBRARIES = re.compile(
    r"thrust/(?!complex\.h).*|cub/(cub\.cuh|device/.*|agent/.*|grid/.*)|(cute|cutlass)/.*|curand\.h|"
    r"(cublas|cusparse|cusolver|cudnn|cufft|nvrtc)\w*\.h|ATen/native/(?!CanUse32BitIndexMath\.h$).*|"
    r"ATen/cuda/(cub|CUDABlas|CUDASparse|Sleep)\S*"
)
_PARTS = "cub/block and cub/warp have parts of kernels, cuda/std has pair, tuple and functors: include those."
_PYTHONS = re.compile(r"Python\.h|pybind11/.*|torch/(extension|python)\.h")
_NO_MODULE_RULE = (
    "This library registers operators and is no module of Python: torch/library.h has TORCH_LIBRARY, and "
    "torch/torch.h or ATen/ATen.h all the rest."
)
# Those with a line below begin in PyTorch's own macros, and MAKE_ in code that says itself how long it holds.
_REGISTRATION = re.compile(r"(_|_?STABLE_|MAKE_)?TORCH_LIBRARY(_IMPL|_FRAGMENT)?")


def audit(
    text: str, file: Path, name: str, assembly: bool, python: bool = True, vendor: Collection[str] = ()
) -> Iterator[Objection]:
    """Objections to one source of the library `name`, in order; `assembly` is allowed or not.

    `python`: whether it is a module of Python, compiled with Python's headers. `vendor`: names in VENDOR
    of the libraries that the exercise is about calling.
    """
    tokens = tokens_of(text)
    yield from _Audit(text, file, name, refused_words(assembly, vendor), python, vendor).run(tokens)


def tokens_of(text: str) -> list[Token]:
    """The tokens of a source and its line ends."""
    return [token for token in scan(text) if token.kind is not Kind.BLANK]


def refused_words(
    assembly: bool, vendor: Collection[str] = ()
) -> tuple[tuple[re.Pattern[str], str, str], ...]:
    """Patterns of words, what such a word does, and the rule against it; `assembly` and the libraries in
    `vendor` are allowed or not.
    """
    granted = "|".join(VENDOR[name].words for name in sorted(vendor)) or "(?!)"
    calls = (
        re.compile(rf"(?!(?:{granted})$){_CALLS}"),
        "calls a library instead of your kernel",
        LIBRARY_RULE,
    )
    return (*_WORDS, calls) if assembly else (*_WORDS, calls, _ASSEMBLY)


def is_foreign(header: str, vendor: Collection[str] = ()) -> bool:
    """Whether a header, by the name under which it is included, is none that a submission needs."""
    return bool(_HEADERS.match(header)) or is_of_a_library(header, vendor)


def is_of_a_library(header: str, vendor: Collection[str] = ()) -> bool:
    """Whether a header has algorithms that host code launches, of a library that is not in `vendor`."""
    granted = any(re.fullmatch(VENDOR[name].headers, header) for name in vendor)
    return not granted and bool(_LIBRARIES.fullmatch(header))


def is_harmless_attribute(word: str) -> bool:
    return word.strip("_") in _ATTRIBUTES


def is_harmless_pragma(words: Sequence[str]) -> bool:
    """`words` are those after `#pragma`."""
    return bool(_PRAGMAS.fullmatch(" ".join(words)))


def is_reserved(word: str) -> bool:
    """Whether a word belongs to C++, CUDA or PyTorch, so that it may not become a macro."""
    return (bool(_RESERVED.fullmatch(word)) or word in _KEYWORDS) and not _CHOOSING.fullmatch(word)


_NOTHING = Token(Kind.BLANK, "", 0, 0)


class _Audit:
    def __init__(
        self, text: str, file: Path, name: str, words: tuple[tuple[re.Pattern[str], str, str], ...],
        python: bool, vendor: Collection[str],
    ) -> None:  # fmt: skip
        self.python = python
        self.vendor = vendor
        self.text = text
        self.file = file
        self.name = name
        self.words = words

    def run(self, tokens: list[Token]) -> Iterator[Objection]:
        line_begins, named = True, False  # at the name of a header, whose words are no code
        for index, token in enumerate(tokens):
            named = named and token.kind is not Kind.NEWLINE
            if named:
                continue
            if token.text == "#" and line_begins:
                yield from self._directive(tokens, index)
                named = [each.text for each in tokens[index + 1 : index + 2]] == ["include"]
            elif token.kind is Kind.WORD:
                yield from self._word(tokens, index)
            elif token.text == "[" and tokens[index + 1 : index + 2] and tokens[index + 1].text == "[":
                yield from self._attributes(tokens, index + 2, "]")
            line_begins = token.kind is Kind.NEWLINE

    def _object(self, token: Token, what: str, rule: str = TOUCH_RULE) -> Objection:
        return Objection(self.file.name, self.text.count("\n", 0, token.start) + 1, what, rule)

    def _word(self, tokens: list[Token], index: int) -> Iterator[Objection]:
        token = tokens[index]
        word = token.text.replace("\\\n", "").replace("\\\r\n", "")
        for pattern, why, rule in self.words:
            if pattern.fullmatch(word) and not self._is_harmless_operator(tokens, index):
                yield self._object(token, f"uses `{word}`, which {why}", rule)
        if re.fullmatch(r"__attribute(__)?|__declspec", word):
            yield from self._attributes(tokens, index + 1, ")")
        if _REGISTRATION.fullmatch(word):
            yield from self._registration(tokens, index, word)
        if word == "Library" and [each.text for each in tokens[index + 1 : index + 2]] != ["&"]:
            yield self._object(token, "makes a `Library` by hand", _REGISTER_RULE)

    def _is_harmless_operator(self, tokens: list[Token], index: int) -> bool:
        """`_Pragma("unroll 4")`, which macros need, since they cannot hold a directive."""
        bracket, text, end = (each.text for each in (*tokens[index + 1 : index + 4], *[_NOTHING] * 3)[:3])
        written = text[:1] + text[-1:] == '""' and "\\" not in text
        words = [each.text for each in tokens_of(text[1:-1]) if each.kind is not Kind.NEWLINE]
        known = tokens[index].text == "_Pragma" and (bracket, end) == ("(", ")")
        return known and written and is_harmless_pragma(words)

    def _registration(self, tokens: list[Token], index: int, word: str) -> Iterator[Objection]:
        """`word` must stand before the library's own name in brackets: a macro could give it another."""
        following = (each.text for each in tokens[index + 1 :] if each.kind is not Kind.NEWLINE)
        bracket, namespace = next(following, ""), next(following, "")
        rule = f"This library registers operators of `{self.name}` only."
        if bracket != "(":
            yield self._object(tokens[index], f"uses `{word}` without a namespace in brackets", rule)
        elif namespace not in (self.name, "TORCH_EXTENSION_NAME"):
            objection = self._object(tokens[index], f"registers operators of `{namespace}`", rule)
            # Operators of a library of its own are only misnamed; to implement others' is another matter.
            yield objection if word.endswith("_IMPL") else replace(objection, topic="load")

    def _attributes(self, tokens: list[Token], start: int, end: str) -> Iterator[Objection]:
        """The names in one `__attribute__((...))` or `[[...]]`."""
        depth = 0
        for token in tokens[start:]:
            depth += (token.text in "([") - (token.text in ")]")
            if depth < 0 or (depth == 0 and token.text == end == ")"):
                return
            inside = depth == (2 if end == ")" else 0)
            if inside and token.kind is Kind.WORD and not is_harmless_attribute(token.text):
                yield self._object(token, f"has the attribute `{token.text}`", ATTRIBUTE_RULE)

    def _directive(self, tokens: list[Token], index: int) -> Iterator[Objection]:
        rest = tokens[index:]
        end = next((at for at, token in enumerate(rest) if token.kind is Kind.NEWLINE), len(rest))
        words = [token.text for token in rest[1:end]]
        if not words:
            return
        if words[0] == "pragma" and not is_harmless_pragma(words[1:]):
            rule = "`#pragma unroll` and `#pragma once` are the ones a kernel needs."
            yield self._object(rest[0], f"has `#pragma {' '.join(words[1:3])}`", rule)
        elif words[0] in ("define", "undef") and len(words) > 1:
            if is_reserved(words[1]) or words[1] == self.name:
                rule = (
                    "The words of C++, CUDA and PyTorch, and the library's name, keep their meaning. "
                    "Give your macro another name."
                )
                yield self._object(rest[0], f"gives `{words[1]}` another meaning", rule)
        elif words[0] == "line" or words[0][0].isdecimal():
            rule = "Findings and errors must point at the lines of your own files."
            yield self._object(rest[0], f"has `#{' '.join(words[:3])}`", rule)
        elif words[0] in ("include", "include_next", "import", "embed"):
            yield from self._include(rest[0], words[0], "".join(words[1:]))

    def _include(self, token: Token, directive: str, operand: str) -> Iterator[Objection]:
        name = operand[1:-1]
        written_out = operand[:1] + operand[-1:] in ('""', "<>")
        is_source = PurePath(name).suffix in SUFFIXES
        if directive != "include" or not written_out or _HEADERS.match(name) or not is_source:
            yield self._object(token, f"has `#{directive} {operand}`", INCLUDE_RULE)
        elif is_of_a_library(name, self.vendor):
            yield self._object(token, f"includes `{name}`", f"{LIBRARY_RULE} {_PARTS}")
        elif not self.python and _PYTHONS.fullmatch(name):
            yield self._object(token, f"includes `{name}`", _NO_MODULE_RULE)
