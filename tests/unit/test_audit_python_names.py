"""Attributes of a submission's own, and those that objects of others have under the same name."""

from __future__ import annotations

import pytest

from grader.audit import python_source


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("ctx.saved_tensor", "Did you mean `saved_tensors`?"),
        ("x.contigous()", "Did you mean `contiguous`?"),
        ("torch.emtpy_like(x)", "Did you mean `torch.empty_like`?"),
        ("torch.ops.onw.f(x)", "Did you mean `torch.ops.own`?"),
        ("x.quite_another", ""),  # close to nothing
        ("x.f_locals", ""),  # it exists, and is on no list: no slip
        ("torch.load(x)", ""),
    ],
)
def test_a_slip_is_answered_with_the_name_that_was_meant(line: str, meant: str) -> None:
    source = f"import torch\ndef f(ctx, x):\n    return {line}\n".encode()
    first = next(python_source.audit(source, "op.py", "own"))
    assert ("Did you mean" in first.rule) == bool(meant)
    assert first.rule.startswith(meant)


def objections(source: str) -> list[str]:
    return [each.what for each in python_source.audit(source.encode(), "op.py", "own")]


@pytest.mark.parametrize(
    "source",
    [
        "class R:\n    def __init__(self):\n        self.register = {}\nprint(R().register)",
        "class R:\n    register = 3\ndef f(x):\n    match x:\n        case R(register=3):\n            pass",
        "class R:\n    def register(self, f):\n        return f\nr = R()\n@r.register\ndef f(x):\n    pass",
        "class R:\n    pass\ndef f(r):\n    r.register = 1\n    r.register += 1\n    return r.register",
    ],
)
def test_register_is_a_name_like_any_other_on_what_is_not_imported(source: str) -> None:
    assert objections(source) == []


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("import collections.abc\nclass R:\n    register = 3\ncollections.abc.Sequence.register(R)", "reads"),
        ("import abc\nclass R:\n    register = 3\nabc.ABC.register = R", "changes"),
        ("import abc\nclass R:\n    register = 3\ndef f(x):\n    match x:\n"
         "        case abc.ABC(register=3):\n            return 1", "reads"),
        ("def f(x):\n    return x.register", "reads"),
        ("class R:\n    pass\ndef f(x):\n    x.f_globals = 1", "gives an attribute the name `f_globals`"),
    ],
)  # fmt: skip
def test_that_of_imported_classes_and_names_of_others_stay_refused(source: str, what: str) -> None:
    assert any(each.startswith(what) for each in objections(source))
