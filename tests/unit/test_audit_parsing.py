"""What a parser of Python cannot follow is refused by every audit, and takes no grader down."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import pytest

from grader.audit import Objection, python_source, setup_source, suite_source
from grader.audit.parsing import DEEPEST

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


@pytest.mark.parametrize("file", AUDITS)
@pytest.mark.parametrize("text", ["def broken(", "x = 1\0", "x = " + "(" * 300])
def test_what_is_no_python_is_left_to_whoever_runs_it(file: str, text: str) -> None:
    audit: Callable[[str, str], Iterator[Objection]] = AUDITS[file]
    assert list(audit(text, file)) == []


def test_what_people_write_is_followed() -> None:
    nested = "".join(f"{'    ' * depth}if x:\n" for depth in range(15)) + "    " * 15 + "import ctypes\n"
    long = "x = " + " + ".join(["y"] * (DEEPEST - 10)) + "\nimport ctypes\n"
    for text in (nested, long):
        (objection,) = python_source.audit(text, "op.py")
        assert objection.what == "imports `ctypes`"
