"""A spec.py is validated before anything is run, and a broken one is a sentence with its file."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

import grader.specification
from grader.specification import Case, Refusal, Spec, load_spec, tensor
from grader.support.errors import BrokenSpec
from tests.unit.fake_submission import fake_exercise

MINIMAL = """
from grader.specification import Case, Gradient, Refusal, Speed, tensor
ENTRY = "scale"
def reference(x, factor, rest=None):
    return x * factor
CASES = [Case("one", [tensor(3), 2.0])]
"""


def loaded(tmp_path: Path, text: str) -> Spec:
    (tmp_path / "spec.py").write_text(text)
    return load_spec(fake_exercise(tmp_path))


def test_the_example_of_the_docstring_is_a_valid_spec(tmp_path: Path) -> None:
    text = (
        (grader.specification.__doc__ or "").partition("multiply-add::\n\n")[2].partition("Required are")[0]
    )
    spec = loaded(tmp_path, textwrap.dedent(text))
    assert spec.entry == "muladd"
    assert spec.parameters == ("a", "b", "c")
    assert len(spec.cases) == 7 and spec.cases[-1].sizes is not None
    assert spec.refusals[1].mentions == ["b", "CUDA"]
    assert spec.speed is not None and spec.speed.baseline == "a * b + c"
    assert spec.traffic is not None and spec.flops is not None and spec.accumulation is None


def test_arguments_are_named_after_the_parameters_of_the_reference(tmp_path: Path) -> None:
    spec = loaded(
        tmp_path,
        MINIMAL + 'CASES += [Case("list", [tensor(3), 1.0, [tensor(2), tensor(2, name="own")]])]',
    )
    x, factor, rest = spec.cases[1].args
    assert (x.name, factor) == ("x", 1.0)  # type: ignore[union-attr]
    assert [each.name for each in rest] == ["rest[0]", "own"]  # type: ignore[union-attr]


def test_the_file_is_imported_under_a_private_name_and_leaves_nothing_behind(tmp_path: Path) -> None:
    before = set(sys.modules)
    loaded(tmp_path, MINIMAL)
    assert set(sys.modules) <= before
    assert not (tmp_path / "__pycache__").exists()


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("ENTRY = 'x'\nCASES = []\n", "reference is missing"),
        ("def broken(:\n", "it raised SyntaxError at line 1"),
        ("x = 1\ny = x / 0\n", "it raised ZeroDivisionError at line 2"),
        (MINIMAL + "CASES = []", "CASES is empty"),
        (MINIMAL + "ENTRY = 'a b'", "ENTRY must be the name of a function, not 'a b'"),
        (MINIMAL + "reference = 3", "reference must be a function"),
        (MINIMAL + "traffic = 3", "traffic must be a function"),
        (MINIMAL + "CASE = CASES", "CASE means nothing here"),
        (MINIMAL + "CASES = ['one']", "CASES must hold grader.specification.Case, not str"),
        (MINIMAL + "CASES += CASES", "CASES has two entries named 'one'"),
        (MINIMAL + "CASES = [Case('n', [1, 2, 3, 4])]", "4 arguments, but reference takes 3"),
        (MINIMAL + "CASES = [Case('n', [{}])]", "argument x is a dict"),
        (MINIMAL + "CASES = [Case('n', [1], modifies=('y',))]", "modifies names ['y'], not a parameter"),
        (MINIMAL + "CASES = [Case('n', [1], deterministic=1)]", "'n': deterministic is 1, not True or False"),
        (MINIMAL + "CASES = [Case('n', [1], waits='device')]", "'n': waits is 'device', not True or False"),
        (
            MINIMAL + "CASES = [Case('n', [tensor(3, kind='numpy')], deterministic=True)]",
            "'n': deterministic is a mode of PyTorch, and its arguments are NumPy arrays",
        ),
        (MINIMAL + "REFUSALS = [Case('n', [1])]", "REFUSALS must hold grader.specification.Refusal"),
        (MINIMAL + "GRADIENT = 'gradcheck'", "GRADIENT must hold grader.specification.Gradient, not str"),
        (MINIMAL + "GRADIENT = Gradient()", "GRADIENT has no cases"),
        (MINIMAL + "GRADIENT = Gradient(cases=CASES, mode='exact')", "unknown mode 'exact'"),
        (MINIMAL + "GRADIENT = Gradient(cases=CASES, inputs=('y',))", "GRADIENT.inputs names ['y']"),
        (MINIMAL + "SPEED = Speed([{}], 'x')", "SPEED: argument x is a dict"),
        (MINIMAL + "SPEED = Speed([1], 'x +')", "SPEED.baseline is no expression: 'x +'"),
        (
            MINIMAL + "CASES = [Case('n', [1], autocast='float64')]",
            "autocast='float64' is none of float16, bf",
        ),
        (MINIMAL + "CASES = [Case('n', [1], cast_inputs='float32')]", "means nothing without autocast"),
        (
            MINIMAL + "CASES = [Case('n', [1], autocast='float16', cast_inputs='int8')]",
            "cast_inputs='int8' is none of float32, float16, bfloat16",
        ),
        (MINIMAL + "CONFUSED = [len]", "CONFUSED must be a dict of functions by their words"),
        (MINIMAL + "CONFUSED = {'x': 1}", "CONFUSED must have words and a function, not 'x': 1"),
        (MINIMAL + "CONFUSED = {'x': lambda q: q}", "CONFUSED, 'x': it must take x, factor, rest, as"),
        (MINIMAL + "ROUNDED_ONCE = 1", "ROUNDED_ONCE must be True or False, not 1"),
        (
            MINIMAL + "ROUNDED_ONCE = True\ndef tolerances(dtype):\n    return 0, 0\n",
            "ROUNDED_ONCE and tolerances are two answers",
        ),
    ],
)
def test_broken_specs_say_what_is_wrong_and_in_which_file(tmp_path: Path, text: str, part: str) -> None:
    with pytest.raises(BrokenSpec) as caught:
        loaded(tmp_path, text)
    assert part in str(caught.value)
    assert str(tmp_path / "spec.py") in str(caught.value)
    assert "python -m pydoc grader.specification" in str(caught.value)


def test_a_missing_file_is_a_broken_spec(tmp_path: Path) -> None:
    with pytest.raises(BrokenSpec, match="the file is missing"):
        load_spec(fake_exercise(tmp_path))


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ({"shape": -1}, "negative"),
        ({"shape": 3, "dtype": "float"}, "dtype 'float' is none of"),
        ({"shape": 3, "layout": "fortran"}, "layout 'fortran' is none of"),
        ({"shape": 3, "layout": "transposed"}, "needs at least 2 dimensions"),
        ({"shape": (3, 3), "layout": "permuted"}, "needs at least 3 dimensions"),
        ({"shape": (), "layout": "sliced"}, "needs at least 1 dimensions"),
        ({"shape": 3, "dtype": "uint8", "layout": "far"}, "needs at least 2 dimensions"),
        ({"shape": (1, 3), "dtype": "uint8", "layout": "far"}, "needs two entries along the first dim"),
        ({"shape": (2, 0), "dtype": "uint8", "layout": "far"}, "no empty one"),
        ({"shape": (2, 3), "layout": "far"}, "uint8, int8, bool, float16, bfloat16, not float32"),
        ({"shape": (2, 3), "dtype": "bool", "layout": "far", "device": "cpu"}, "on a CUDA device"),
        ({"shape": (2, 3), "dtype": "int8", "layout": "far", "kind": "numpy"}, "on a CUDA device"),
        ({"shape": 3, "device": "cuda"}, "device 'cuda' is none of"),
        ({"shape": 3, "special": "odd"}, "special 'odd' is none of"),
        ({"shape": 3, "dtype": "int32", "special": "masked"}, "needs a real floating dtype"),
        ({"shape": (), "special": "masked"}, "needs at least 1 dimension"),
        ({"shape": 3, "dtype": "int32", "special": "nan"}, "needs a floating dtype"),
        ({"shape": 3, "dtype": "bfloat16", "kind": "numpy"}, "does not go with dtype bfloat16"),
        ({"shape": 3, "low": 2, "high": 1}, "low=2 is above high=1"),
    ],
)
def test_impossible_tensors_are_refused_at_once(arguments: dict[str, Any], part: str) -> None:
    with pytest.raises(ValueError, match=part):
        tensor(**arguments)


def test_shapes_and_exceptions_are_normalised() -> None:
    assert tensor(3).shape == (3,)
    assert tensor([2, 3]).shape == (2, 3)
    assert tensor((2, 3)).numel == 6
    assert Refusal("n", []).exceptions == ("RuntimeError", "TypeError", "ValueError", "IndexError")
    assert Refusal("n", []).wanted == "RuntimeError"
    assert Refusal("n", [], exception=(TypeError, ValueError)).wanted == "TypeError or ValueError"
    assert Refusal("n", [], exception=(TypeError, ValueError)).exceptions == ("TypeError", "ValueError")
    assert Case("n", []).stream == "default"
