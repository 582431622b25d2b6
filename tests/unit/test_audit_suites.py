"""A learner's tests call the operation, and reach for nothing else."""

from __future__ import annotations

import pytest

from grader.audit import suite_source

PLAIN = """
from collections.abc import Callable
import re
import op
import pytest
import torch
from op import bias_softmax
from torch.testing import assert_close

@pytest.mark.parametrize("x", [1, pytest.param(2, id="two")])
@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two devices")
def test_values(x):
    torch.testing.assert_close(op.bias_softmax(x), bias_softmax(x))
    assert torch.autograd.gradcheck(op.bias_softmax, (x,))
    with pytest.raises(RuntimeError, match="x"):
        bias_softmax(None)
    assert x == pytest.approx(x)
    with pytest.raises(RuntimeError, match=re.escape("x (a matrix)")) as caught:
        bias_softmax(None)
    found = re.search("x|bias", str(caught.value))
    assert found is not None and found.group(1) == "x"
"""


WITH_PARAMS = """
import pytest
import numpy as np

@pytest.fixture(params=[1, 2])
def width(request: pytest.FixtureRequest) -> int:
    return request.param

def test_width(width):
    np.testing.assert_allclose(width, width)
"""


def test_a_fixture_may_have_params() -> None:
    assert list(suite_source.audit(WITH_PARAMS, "test_op.py")) == []


def test_of_marks_the_message_says_which_there_are() -> None:
    found = list(suite_source.audit("import pytest\nslow = pytest.mark.slow\n", "test_op.py"))
    assert "The marks here are parametrize, skip, skipif and xfail" in found[0].sentence


def test_what_tests_are_made_of_is_allowed() -> None:
    assert list(suite_source.audit(PLAIN, "test_op.py")) == []


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("import os", "imports `os`"),
        ("import inspect", "imports `inspect`"),
        ("import time", "imports `time`"),  # op.py may, to measure: a suite asks for milliseconds
        ("from timeit import default_timer", "imports `timeit`"),  # the same clock by another name
        ("import grader.course.implementations", "imports `grader`"),
        ("text = open(op.__file__).read()", "uses `open`"),
        ("place = op.__file__", "reads the attribute `__file__`"),
        ("code = op.bias_softmax.__code__", "reads the attribute `__code__`"),
        ("ops = op._ops", "uses `op._ops`"),
        ("op.bias_softmax = lambda x: x", "changes `op.bias_softmax`"),
        ("module = op", "hands on the module `op` as a value"),
        ("sys = pytest.importorskip('sys')", "uses `pytest.importorskip`"),
        ("from pytest import MonkeyPatch", "imports `pytest.MonkeyPatch`"),
        ("def test_x(monkeypatch): pass", "asks for the fixture `monkeypatch`"),
        ("def test_x(request): return request.config", "reads the attribute `config`"),
        ("def test_x(request): return [request]", "uses the fixture `request` as a value"),
        ("def test_x(request): return request.param.session", "reads the attribute `session`"),
        ("kind = pytest.FixtureRequest", "hands on the class `pytest.FixtureRequest` as a value"),
        ("slow = pytest.mark.slow", "reads the attribute `slow`"),
        ("def pytest_generate_tests(metafunc): pass", "gives pytest the hook `pytest_generate_tests`"),
        ("pytest_plugins = ['pytester']", "gives pytest the hook `pytest_plugins`"),
        ("from op import bias_softmax as pytest_x", "gives pytest the hook `pytest_x`"),
        ("class Asks: request: object", "gives something the name `request`"),
        ("run = pytest.mark.skipif('config.option.maxfail')", "gives `skipif` a condition in quotes"),
        ("run = pytest.mark.xfail(condition='os.environ')", "gives `xfail` a condition in quotes"),
        ("code = pytest.raises(RuntimeError, len).getrepr()", "reads the attribute `getrepr`"),
        ("frame = pytest.raises(RuntimeError, len).tb", "reads the attribute `tb`"),
        ("driver = op.grader.simt", "uses `op.grader`"),
        ("path = torch.ops.loaded_libraries", "uses `torch.ops`"),
        ("import torch.testing._internal", "imports `torch.testing._internal`"),
        ("x = torch.testing.FileCheck()", "uses `torch.testing.FileCheck`"),
        ("x = torch.utils.cpp_extension", "uses `torch.utils.cpp_extension`"),
    ],
)
def test_what_reaches_further_is_told_with_its_line(line: str, what: str) -> None:
    objections = list(suite_source.audit(f"{PLAIN}{line}\n", "test_op.py"))
    assert objections, line
    assert objections[0].what == what
    assert objections[0].line == PLAIN.count("\n") + 1


def test_a_suite_that_reads_the_source_is_told_what_a_test_is_for() -> None:
    (objection, *_) = suite_source.audit(f"{PLAIN}text = open(op.__file__).read()\n", "test_op.py")
    assert objection.rule.startswith("A test checks what an implementation does, not how it is written")


def test_a_file_that_is_not_python_is_told_with_its_line() -> None:
    (objection,) = suite_source.audit("x = 1\ndef test_x(:\n", "test_op.py")
    assert objection.sentence.startswith("test_op.py:2 is not valid Python: SyntaxError: ")
    assert objection.topic == "build"
