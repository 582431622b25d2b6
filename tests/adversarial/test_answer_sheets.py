"""answers.toml and pyproject.toml that would bring the grader down: each is told in a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.checks.questions.answer_sheet import (
    Unclear,
    UnreadableSheet,
    answer_to,
    read_sheet,
    shown,
    strangers,
)
from grader.packages import PackageRequest, build_package
from grader.specification.questions import Count, Program
from grader.support.errors import BuildFailed

COUNT = Count(
    "lanes", "How many?", Program("p.cu", {"n": (1, 2)}), ("run", "n"), "//", "lanes", think="Count them."
)


@pytest.mark.parametrize(
    "value",
    ["9" * 400, "0x" + "f" * 40_000, "[[[1]]]", "{ a = 1 }", "nan", "1979-05-27", '"one"', "true"],
    ids=lambda value: value[:12],
)
def test_what_is_no_number_is_an_unclear_answer(tmp_path: Path, value: str) -> None:
    (tmp_path / "answers.toml").write_text(f"lanes = {value}\n")
    answer = answer_to(COUNT, read_sheet(tmp_path / "answers.toml"))
    assert isinstance(answer, Unclear)
    assert " is not a number." in answer.sentence


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("lanes = " + "9" * 5000, "holds a value that is too long to be read."),
        ("lanes = " + "[" * 100_000, "holds a value that is too long to be read."),
        ("# " + "x" * (1 << 20), "is longer than 1 MiB."),
        ("draw = 0x" + "f" * 40_000, "It has to be a whole number"),
        ("draw = " + "9" * 400, "It has to be a whole number"),
    ],
    ids=lambda text: text[:12],
)
def test_a_sheet_that_is_too_much_is_told(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "answers.toml").write_text(text)
    with pytest.raises(UnreadableSheet) as caught:
        read_sheet(tmp_path / "answers.toml")
    assert told in str(caught.value)
    assert len(str(caught.value)) < 250


def test_tables_within_tables_are_a_stranger(tmp_path: Path) -> None:
    (tmp_path / "answers.toml").write_text(".".join(["a"] * 5000) + " = 1")
    sheet = read_sheet(tmp_path / "answers.toml")
    assert strangers(sheet, [COUNT]) == ["`a` is not the name of a question, so its answer is ignored."]
    assert shown(sheet.values["a"]) == "what is too long to be shown"


@pytest.mark.parametrize("value", ["9" * 5000, "[" * 100_000], ids=["digits", "brackets"])
def test_a_project_file_that_is_too_much_is_told(tmp_path: Path, value: str) -> None:
    (tmp_path / "pyproject.toml").write_text(f"a = {value}")
    with pytest.raises(BuildFailed, match=r"pyproject\.toml cannot be read"):
        build_package(PackageRequest("p", tmp_path, ("pyproject.toml",), "simt"))
