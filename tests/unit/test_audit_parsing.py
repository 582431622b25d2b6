"""What a parser of Python cannot follow is refused by every audit, and takes no grader down."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from grader.audit import Objection, python_source, setup_source, suite_source
from grader.audit.parsing import DEEPEST, audited

AUDITS = {
    "op.py": partial(python_source.audit, name="own"),
    "setup.py": setup_source.audit,
    "test_op.py": suite_source.audit,
}
DEEP = {
    "attributes": "import torch\ntorch.a" + ".b" * 900 + " = 1\n",
    "terms": "x = " + " + ".join(["1"] * 20_000),
    "signs": "x = " + "-" * 20_000 + "1",
    "calls": "x = " + "f(" * 90 + "y.z" + ")" * 90 + ".a" * 90,
    "branches": "if x:\n    pass\n" + "elif y:\n    pass\n" * DEEPEST,
}


@pytest.mark.parametrize("file", AUDITS)
@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_what_is_nested_too_deeply_is_refused(file: str, text: str) -> None:
    audit: Callable[[str, str], Iterator[Objection]] = AUDITS[file]
    (objection,) = audit(text, file)
    assert (objection.file, objection.topic) == (file, "audit")
    assert objection.what == "nests code more than 100 levels deep"


def test_the_line_is_named_where_the_parser_tells_it() -> None:
    (objection,) = python_source.audit(DEEP["attributes"], "op.py")
    assert objection.sentence.startswith("op.py:2 nests code more than 100 levels deep. ")


@pytest.mark.parametrize("inner", ["a" + ".b" * 900, "-" * 20_000 + "1", "+".join(["a"] * 20_000)])
def test_so_is_what_is_nested_in_the_quotes_of_an_annotation(inner: str) -> None:
    (objection,) = python_source.audit(f'import torch\n\ndef f(x: "{inner}"): ...\n', "op.py")
    assert objection.sentence.startswith("op.py:3 nests code")


BROKEN = {
    "def broken(": "is not valid Python: SyntaxError: '(' was never closed",
    "x = 1\nreturn x\n": "is not valid Python: SyntaxError: 'return' outside function",
    "x = " + "(" * 300: "is not valid Python: SyntaxError: too many nested parentheses",
    "x = " + "9" * 10_000: "is not valid Python: SyntaxError: Exceeds the limit",
    "x = 1\0": "is not valid Python: SyntaxError: source code string cannot contain null bytes",
}


@pytest.mark.parametrize("file", AUDITS)
@pytest.mark.parametrize(("text", "what"), BROKEN.items(), ids=range(len(BROKEN)))
def test_what_is_no_python_is_refused_before_it_runs(file: str, text: str, what: str) -> None:
    audit: Callable[[str, str], Iterator[Objection]] = AUDITS[file]
    (objection,) = audit(text, file)
    kind = "SyntaxError: "  # of a null byte; a ValueError before Python 3.11.4
    assert objection.what.replace(kind, "").startswith(what.replace(kind, ""))
    assert objection.topic == "build"
    assert objection.line == (2 if "return" in text else objection.line)


@pytest.mark.parametrize("error", [MemoryError, RecursionError])
def test_an_audit_that_runs_out_of_memory_or_stack_refuses(error: type[Exception]) -> None:
    def find(tree: ast.Module) -> Iterator[Objection]:
        raise error

    (objection,) = audited("x = 1", "op.py", find)
    assert objection.sentence.startswith(f"op.py cannot be read: it takes a {error.__name__}.")


def test_what_people_write_is_followed() -> None:
    nested = "".join(f"{'    ' * depth}if x:\n" for depth in range(15)) + "    " * 15 + "import ctypes\n"
    long = "x = " + " + ".join(["y"] * (DEEPEST - 10)) + "\nimport ctypes\n"
    for text in (nested, long):
        (objection,) = python_source.audit(text, "op.py")
        assert objection.what == "imports `ctypes`"
