"""The translator's promises hold for what no person would write: see benchmarks/fuzz_translator.py.

There a million inputs were run (benchmarks/results/fuzz_translator_cpu.md); here are a few thousand others.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import fuzz_translator as fuzzing
from cusimt.compiler.sources import translate_tree
from cusimt.translate import TranslationError, translate


def test_a_few_thousand_inputs() -> None:
    counts, failures = fuzzing.fuzz(seed=1, numbers=range(3000))
    assert failures == {}, "benchmarks/fuzz_translator.py --seed 1 --only N shows input N"
    assert counts["translated"] > 1500
    assert counts["refused"] > 300


def test_the_promises_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzzing, "translate", lambda source, name: translate(source.lower(), name))
    _, failures = fuzzing.fuzz(seed=1, numbers=range(200))
    assert list(failures) == ["Broken: a line was changed that no rule rewrites"]
    monkeypatch.setattr(fuzzing, "translate", lambda source, name: translate(source, name) + "\n")
    _, failures = fuzzing.fuzz(seed=1, numbers=range(200))
    assert list(failures) == ["Broken: lines were added or lost"]
    monkeypatch.setattr(fuzzing, "translate", lambda source, name: 1 // 0)
    _, failures = fuzzing.fuzz(seed=1, numbers=range(200))
    assert [failure.partition(" at ")[0] for failure in failures] == [
        "ZeroDivisionError: integer division or modulo by zero"
    ]


def test_long_declarations() -> None:
    """Two inputs with a thousand device variables in one declaration, each between other brackets."""
    _, failures = fuzzing.fuzz(seed=3, numbers=[244_999, 614_999])
    assert failures == {}


@pytest.mark.parametrize(
    "fragment",
    [
        "__device__ ",
        "__shared__ ",
        'R"x(',
        "/*",
        "k<<<1, 2>>>(x) ",
        "a < b ",
        "__device__ int f(int a);\n",
        "#if X\n",
        "([",
    ],
)
def test_long_files(fragment: str) -> None:
    """None takes longer than fuzz() has patience for: time grows with the length, not with its square."""
    try:
        translate(fragment * (60_000 // len(fragment)), "long.cu")
    except TranslationError as refused:
        assert refused.line == 1


def test_template_arguments_of_any_length() -> None:
    translated = translate(f"void f() {{ k<{'1, ' * 2000}1><<<1, 2>>>(x); }}", "long.cu")
    assert "::simt::launch_named" in translated


def test_a_declaration_within_another_one() -> None:
    with pytest.raises(TranslationError, match="begins within another one") as refused:
        translate("// two of them:\nextern __shared__ float\nextern __shared__ float s[];\n", "a.cu")
    assert refused.value.line == 2


def test_an_alignment_at_the_very_end() -> None:
    assert translate("__shared__ alignas", "a.cu") == '#line 1 "a.cu"\nalignas __shared__ '


def test_any_encoding_is_kept_byte_by_byte(tmp_path: Path) -> None:
    latin = 'const char* s = "Gr\xfc\xdfe";  // \xa9\n'.encode("latin-1")
    (tmp_path / "a.cu").write_bytes(b"\xef\xbb\xbf" + latin)
    translated, _ = translate_tree(tmp_path / "a.cu", [], tmp_path / "out")
    assert translated.read_bytes() == f'#line 1 "{tmp_path}/a.cu"\n'.encode() + latin
