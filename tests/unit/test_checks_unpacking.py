"""What has to agree where Python or autograd counted two sides: by the line that it happened in."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.checks.unpacking import advice

FEW = "not enough values to unpack (expected 4, got 3)"
MANY = "too many values to unpack (expected 3)"


@pytest.mark.parametrize(
    ("message", "line", "said"),
    [
        (FEW, "a, b, c, _ = ctx.needs_input_grad", "without those at the end that have their default value"),
        (FEW, "a, b, c, d = ctx.saved_tensors", "what save_for_backward was given, in that order."),
        (MANY, "a, b, c = inputs", "inputs has a value for each argument of the operator"),
        (MANY, "a, b = torch.ops.unit.pair(x)", "An operator returns as many values as its schema has."),
        (FEW, "a, b, c, d = kept", "save_for_backward was given, in that order. An operator returns"),
    ],
)
def test_an_unpacking_is_explained_by_what_its_line_unpacks(
    message: str, line: str, said: str, tmp_path: Path
) -> None:
    (tmp_path / "op.py").write_text(f"import torch\n{line}\n", encoding="utf-8")
    told = advice(message, "op.py:2", tmp_path)
    assert told.startswith("An unpacking needs a name for each value. ")
    assert said in told


@pytest.mark.parametrize("where", ["", "op.py:9", "other.py:1", "op.py"])
def test_a_place_that_is_unknown_leaves_both_that_it_may_be(where: str, tmp_path: Path) -> None:
    (tmp_path / "op.py").write_text("a, b, c = inputs\n", encoding="utf-8")
    told = advice(FEW, where, tmp_path)
    assert "save_for_backward" in told and "schema" in told


@pytest.mark.parametrize(
    ("expected", "got", "said"), [(5, 4, "1 gradient too few"), (2, 4, "2 gradients too many")]
)
def test_a_number_of_gradients_is_counted(expected: int, got: int, said: str, tmp_path: Path) -> None:
    message = f"function XBackward returned an incorrect number of gradients (expected {expected}, got {got})"
    assert advice(message, "", tmp_path).startswith(
        f"backward returns {said}. It returns one for each argument"
    )


def test_other_messages_have_no_such_cause(tmp_path: Path) -> None:
    assert advice("expected 4 values", "op.py:1", tmp_path) == ""


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (
            "function MixBackward returned a gradient different than None at position 2, but the "
            "corresponding forward input was not a Variable",
            "the argument of forward at position 2 is no tensor: None belongs there",
        ),
        (
            "own::f() Expected a value of type 'Tensor' for argument 'out' but instead found type 'tuple'.",
            "ctx.saved_tensors is a tuple, even of a single tensor.",
        ),
        ("own::f() Expected a value of type 'int' for argument 'n' but instead found type 'tuple'.", ""),
    ],
)
def test_what_autograd_says_of_a_gradient_is_explained(message: str, said: str, tmp_path: Path) -> None:
    told = advice(message, "", tmp_path)
    assert said in told and bool(told) == bool(said)
