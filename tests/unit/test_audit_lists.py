"""The lists of what Python may use: every name exists, every group has a reason, nothing leads further."""

from __future__ import annotations

import builtins
import importlib
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from grader.audit import python_source
from grader.audit.lists import Group
from grader.audit.lists.attributes import ATTRIBUTE_NAMES, ATTRIBUTES
from grader.audit.lists.builtins import BUILTINS, LABELS, METHOD_NAMES, METHODS, NAMES
from grader.audit.lists.standard import STANDARD
from grader.audit.lists.tensors import NUMPY, TORCH
from grader.audit.modules import _import_quietly, is_open_class
from grader.audit.reserved import reserved
from grader.audit.suite_source import FIXTURES, PYTEST

MODULES = {**STANDARD, **TORCH, **NUMPY, **PYTEST}
LEADING = (types.ModuleType, types.FrameType, types.CodeType, types.TracebackType)


@pytest.mark.parametrize("module", MODULES)
def test_every_name_of_a_module_exists_and_is_no_module(module: str) -> None:
    found = importlib.import_module(module)
    names = MODULES[module].names
    for name in names if names is not None else ():
        assert not isinstance(getattr(found, name), types.ModuleType), name


@pytest.mark.parametrize("table", [BUILTINS, METHODS, ATTRIBUTES, MODULES], ids=lambda table: str(len(table)))
def test_every_group_says_why(table: dict[str, Group]) -> None:
    for name, each in table.items():
        assert len(each.why) > 5, name


@pytest.mark.parametrize("kind", ["operators", "in place", "tensors"])
def test_what_is_listed_of_tensors_they_have(kind: str) -> None:
    names = ATTRIBUTES[kind].names
    assert names is not None
    assert [name for name in sorted(names) if not hasattr(torch.Tensor, name)] == []


def test_pythons_own_names_exist_and_none_takes_a_name_as_a_text() -> None:
    assert [name for name in NAMES if not hasattr(builtins, name)] == []
    by_text = {"getattr", "setattr", "delattr", "hasattr", "vars", "dir", "globals", "locals", "__import__"}
    assert (
        NAMES & (by_text | {"eval", "exec", "compile", "open", "input", "breakpoint", "memoryview"}) == set()
    )


def samples() -> Iterator[Any]:
    """Objects that a submission can get hold of."""
    yield from (_generator(), _coroutine(), _exception(), len, _generator, torch.ops.aten.add, str.join)
    yield from (torch.ops.aten.add.Tensor, torch.ops.aten, torch.zeros(2), torch.float32, torch.device("cpu"))
    yield from (torch.nn.Linear(1, 1), torch.Generator(), torch.finfo(torch.float32), np.zeros(2))
    yield from (np.float32(1), np.dtype("f4"), 1, 1.5, "x", b"x", [1], {1: 2}, {1}, (1,), slice(1), range(2))
    yield from ((torch.zeros(2, requires_grad=True) * 2).grad_fn, property(len), sys.exc_info)


def _generator() -> Iterator[int]:
    yield 1


async def _sleep() -> None: ...


def _coroutine() -> Any:
    coroutine = _sleep()
    coroutine.close()
    return coroutine


def _exception() -> BaseException:
    try:
        raise ValueError("x")
    except ValueError as error:
        return error


@pytest.mark.filterwarnings("ignore")  # of tensors, for `.T` of other dimensions and the like
def test_no_listed_attribute_leads_to_a_module_a_frame_or_a_class_that_can_be_changed() -> None:
    for sample in samples():
        for name in sorted(ATTRIBUTE_NAMES):
            try:
                found = getattr(sample, name)
            except (AttributeError, RuntimeError, NotImplementedError, TypeError, ValueError):
                continue  # it has none, or none in this state
            assert not isinstance(found, LEADING), (sample, name)
            assert found is not globals(), (sample, name)


def test_what_a_generator_draws_from_is_no_name_of_its_own() -> None:
    """A layer calls its parameters gamma and beta, as distributions are called."""
    assert not {"gamma", "beta", "f", "normal"} & reserved()
    assert "bit_generator" in reserved()


def test_what_leads_further_is_reserved() -> None:
    leading = {"gi_frame", "f_globals", "tb_frame", "cr_frame", "ctypes", "py_impl", "untyped_storage", "mro"}
    assert leading - reserved() == set()
    assert reserved().isdisjoint(ATTRIBUTE_NAMES)


def test_methods_and_labels_are_apart() -> None:
    assert METHOD_NAMES.isdisjoint(LABELS)
    assert METHOD_NAMES.isdisjoint(("__getattr__", "__getattribute__", "__setattr__", "__del__", "__new__"))
    for name in METHOD_NAMES | LABELS:
        assert name.startswith("__") and name.endswith("__")


@pytest.mark.parametrize(
    ("name", "open_class"),
    [("torch.Tensor", True), ("torch.nn.Module", True), ("torch.float32", False), ("torch.exp", False),
     ("enum.Enum", True), ("numpy.float32", False), ("collections.deque", False), ("op.bias_softmax", False)],
)  # fmt: skip
def test_classes_that_python_lets_change_are_known(name: str, open_class: bool) -> None:
    assert is_open_class(name) is open_class


@pytest.mark.parametrize(
    ("code", "refused"),
    [
        ("kinds: list[type[torch.Tensor]] = []", False),
        ("Maybe = torch.Tensor | None", False),
        ("def f(x, kind=torch.Tensor): ...", True),
        ("kinds = {'a': torch.Tensor}", True),
        ("def f(x): return isinstance(x, (torch.Tensor, torch.nn.Parameter))", False),
        ("def f(x): return isinstance(torch.Tensor, x)", True),
        ("def f(x): return type(x) is torch.Tensor", False),
        ("def f(x):\n    match x:\n        case torch.Tensor(): return 1", False),
        ("def f(x): return [torch.Tensor]", True),
        ("def f(x): return torch.Tensor.sum(x)", False),
        ("event = torch.cuda.Event(enable_timing=True)", False),
        ("make = torch.cuda.Event", True),
        ("class Layer(torch.nn.Module): ...", False),
        ("layer = torch.nn.Module()", True),
        ("class Layer(torch.nn.Linear): ...", False),
        ("class Layer(torch.nn.Parameter): ...", True),
        ("layers = [torch.nn.Linear]", True),
        ("import typing\nKind = typing.Literal['a', 'b']\nkinds = typing.get_args(Kind)", False),
        ("import typing\nkinds = typing.get_args(list[torch.Tensor])", True),
        ("import typing\nKind = typing.Literal['a']\nKind = list[int]\nk = typing.get_args(Kind)", True),
        ("import typing\ndef f(K=list[int]): return typing.get_args(K)\nK = typing.Literal[1]", True),
        ("import typing\nask = typing.get_args", True),
        ("def f(x): return x.__class__.__qualname__", False),
        ("def f(x): return x.__class__", True),
        ("class A:\n    bit_generator = 1\ndef f(x): return x.bit_generator", True),
    ],
)
def test_a_class_of_a_library_stays_where_it_is_written(code: str, refused: bool) -> None:
    found = list(python_source.audit(f"import torch\n{code}\n", "op.py"))
    assert bool(found) is refused, [each.sentence for each in found]


@pytest.mark.parametrize("name", ["input", "vars", "dir", "help", "open", "license"])
def test_a_parameter_may_have_a_name_of_pythons(name: str) -> None:
    assert list(python_source.audit(f"def f({name}):\n    return {name} + 1\n", "op.py")) == []
    (objection,) = python_source.audit(f"def f(x):\n    return x\n\ny = {name}\n", "op.py")
    assert objection.sentence.startswith(f"op.py:4 uses `{name}`.")


def test_names_of_fixtures_are_pytests() -> None:
    """What pytest offers without plugins, and a suite has no use for, is on the list."""
    modules = [module for name, module in sys.modules.items() if name.startswith("_pytest.")]
    found = {
        getattr(value, "name", None) or name
        for module in modules
        for name, value in vars(module).items()
        if type(value).__name__ == "FixtureFunctionDefinition"
    }
    assert {"monkeypatch", "capsys"} <= found
    assert {name for name in found - FIXTURES if not name.startswith("_")} == {"recwarn"}


def test_what_an_import_warns_of_is_shown_unless_it_is_the_lack_of_a_gpu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "warns_at_import.py").write_text(
        "import logging\n"
        'logger = logging.getLogger("torch.utils.cpp_extension")\n'
        "logger.warning(\"No CUDA runtime is found, using CUDA_HOME='%s'\", '/usr/local/cuda')\n"
        'logger.warning("No ninja is found")\n'
    )
    monkeypatch.syspath_prepend(tmp_path)
    _import_quietly("warns_at_import")
    assert caplog.messages == ["No ninja is found"]
