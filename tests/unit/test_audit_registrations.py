"""What `[audit] allow = ["torch.library"]` allows: registering operators of one's own, and exactly that."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.audit import python_source, registrations
from grader.course.exercise import ALLOWANCES, read_exercise
from grader.support.errors import BrokenExercise

ROOT = Path(__file__).resolve().parents[2]

ALLOWED = (
    'torch.library.register_fake("own::f", fake)',
    '@torch.library.register_fake("own::f")\ndef fake(x): ...',
    'torch.library.register_autograd("own::f", backward, setup_context=setup)',
    'torch.library.register_vmap("own::f", rule)',
    'torch.library.define("own::f", "(Tensor x) -> Tensor")',
    'torch.library.impl("own::f", "CUDA")(kernel)',
    '@torch.library.custom_op("own::f", mutates_args=())\ndef f(x): ...\n@f.register_fake\ndef g(x): ...',
    'library = torch.library.Library("own", "FRAGMENT")\nlibrary.impl("f", kernel, "CUDA")',
    "import torch.library",
    'from torch.library import register_fake\n@register_fake("own::f")\ndef fake(x): ...',
    'from torch.library import Library as L\nlib = L("own", "FRAGMENT")\nlib.impl("f", kernel, "CUDA")',
)
REFUSED = {
    'torch.library.impl("aten::mm", "CUDA")(mm)': 'for "aten::mm", which is not in the namespace `own`',
    'torch.library.impl("owner::mm", "CUDA")(mm)': 'for "owner::mm", which is not in the namespace `own`',
    'torch.library.register_fake("own.f", fake)': "namespace `own`: write `own::` in front of it.",
    'torch.library.Library("aten", "IMPL")': 'for "aten", which is not',
    'torch.library.Library("_", "IMPL")': 'for "_", which is not',
    'name = "aten::mm"\ntorch.library.impl(name, "CUDA")(mm)': "not written out",
    'torch.library.impl("own" + "::f", "CUDA")(f)': "not written out",
    'torch.library.impl(qualname="aten::mm", types="CUDA")': "not written out",
    "torch.library.register_fake(torch.ops.aten.mm.default, fake)": "not written out",
    "register = torch.library.impl": "without calling it on the spot",
    "library = torch.library": "uses `torch.library`",
    "from torch import library": "imports `torch.library`",
    "from torch.library import opcheck": "imports `torch.library.opcheck`",
    'from torch.library import impl\nimpl("aten::mm", "CUDA")(mm)': 'for "aten::mm", which is not',
    'from torch.library import impl as i\ni("own" + "::f", "CUDA")(mm)': "not written out",
    "from torch.library import impl\nregister = [impl]": "without calling it on the spot",
    'class A:\n    from torch.library import impl\nA.impl("aten::mm", "")': "imports `torch.library.impl`",
    "def f():\n    from torch.library import impl\n    return impl": "imports `torch.library.impl`",
    "import torch.library as library": "imports `torch.library`",
    'torch.library.register_torch_dispatch("own::f", Mode, f)': "uses `torch.library.register_torch_",
    'torch.library.opcheck("own::f", ())': "uses `torch.library.opcheck`",
    'torch.library.Library("own", "IMPL")._register_fake("f", fake)': "reads the attribute `_register_fake`",
    "torch.library.impl = impl": "changes `torch.library.impl`",
    "torch.compile(f)": "uses `torch.compile`",
}


def objections(line: str, allowed: tuple[str, ...] = ALLOWANCES) -> list[str]:
    text = f"import torch\n{line}\n"
    return [each.sentence for each in python_source.audit(text, "op.py", "own", allowed)]


@pytest.mark.parametrize("line", ALLOWED)
def test_operators_of_the_own_namespace_may_be_registered(line: str) -> None:
    assert objections(line) == []
    assert objections(line, ()) != []


@pytest.mark.parametrize(("line", "words"), REFUSED.items())
def test_everything_else_of_it_is_refused(line: str, words: str) -> None:
    found = objections(line)
    assert words in found[0]
    assert found[0].startswith("op.py:")


@pytest.mark.parametrize("line", ["from torch import library as torch", "import torch.library as torch"])
def test_it_does_not_go_by_another_name(line: str) -> None:
    """Under the name `torch`, too: what is said of `torch` would be said of torch.library."""
    text = f"{line}\nlib = torch\nlib.impl('aten::add.Tensor', 'CUDA')(print)\n"
    imported, handed_on = [each.sentence for each in python_source.audit(text, "op.py", "own", ALLOWANCES)]
    assert imported.startswith("op.py:1 imports `torch.library`")
    assert handed_on.startswith("op.py:2 hands on the module `torch`")


def test_a_name_is_that_of_one_module() -> None:
    hidden = "import math\ndef late():\n    import torch.library as math"
    assert "op.py:4 gives the name `math` another meaning" in objections(hidden)[0]


CUSTOM = '@torch.library.custom_op("own::f", mutates_args=())\n'


@pytest.mark.parametrize(
    ("before", "signature", "refused"),
    [
        ("", "x: torch.Tensor, n: int = 3) -> torch.Tensor", ""),
        ("", "x: 'torch.Tensor', n: list[int] | None = None) -> tuple[torch.Tensor, torch.Tensor]", ""),
        ("S = \"__import__('os')\"\n", "x: S) -> torch.Tensor", "uses `S` for a type"),
        ("class C:\n    s = \"__import__('os')\"\n", "x: C.s) -> torch.Tensor", "uses `C.s` for a type"),
        ("def s(): return \"__import__('os')\"\n", "x: s()) -> torch.Tensor", "uses `s` for a type"),
        ("", "x: f'{1}') -> torch.Tensor", "computes a type"),
    ],
)
def test_a_type_that_custom_op_evaluates_is_written_out(before: str, signature: str, refused: str) -> None:
    found = objections(f"{before}{CUSTOM}def f({signature}: return x")
    assert [refused in sentence for sentence in found[:1]] == ([True] if refused else []), found


def test_an_exercise_grants_it_by_name_and_nothing_else(tmp_path: Path) -> None:
    assert registrations.ALLOWANCE in ALLOWANCES
    assert read_exercise(ROOT / "exercises" / "21_dispatcher").allowed == {"torch.library"}
    assert read_exercise(ROOT / "exercises" / "07_fused_bias_gelu").allowed == frozenset()
    text = (ROOT / "exercises" / "21_dispatcher" / "exercise.toml").read_text()
    folder = tmp_path / "21_dispatcher"
    folder.mkdir()
    (folder / "exercise.toml").write_text(text.replace('"torch.library"', '"torch.utils"'))
    with pytest.raises(BrokenExercise, match=r"audit\.allow names 'torch\.utils'"):
        read_exercise(folder)
