from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from grader.course.catalog import BuildFacts, Catalog, Section, find_course
from grader.course.exercise import DEFAULT_SCORES
from grader.support.errors import BrokenExercise, UnknownExercise, UsageError


def test_facts_are_read_from_exercise_toml(toy_catalog: Catalog) -> None:
    exercise = toy_catalog.exercises[0]
    assert (exercise.slug, exercise.number, exercise.title) == ("00_negate", 0, "Negate")
    assert exercise.build == BuildFacts("toy_negate", "torch_library", ("kernel.cu", "binding.cpp"), ())
    assert exercise.sections["store"] == Section("store", "kernel.cu", "store minus the element", 1)
    assert exercise.scores == {"correctness": 60, "safety": 20, "device_work": 20}
    assert exercise.solution_dir == toy_catalog.course / "solutions" / "00_negate"
    assert exercise.lesson_path == toy_catalog.course / "docs" / "lessons" / "00_negate.md"


def test_an_exercise_may_be_about_memory_that_the_host_has_too(toy_course: Path) -> None:
    assert not Catalog.open(toy_course).exercises[0].mapped
    facts = toy_course / "exercises/00_negate/exercise.toml"
    facts.write_text(facts.read_text() + "\n[device_work]\nmapped = true\n")
    assert Catalog.open(toy_course).exercises[0].mapped


def test_a_byte_order_mark_is_no_part_of_the_facts(toy_course: Path) -> None:
    facts = toy_course / "exercises/00_negate/exercise.toml"
    facts.write_bytes(b"\xef\xbb\xbf" + facts.read_bytes())
    assert Catalog.open(toy_course).exercises[0].slug == "00_negate"


@pytest.mark.parametrize("wanted", ["1", "01", "001", "muladd", "01_muladd", "exercises/01_muladd"])
def test_an_exercise_is_found_by_number_name_slug_and_path(toy_catalog: Catalog, wanted: str) -> None:
    assert toy_catalog.find(wanted).slug == "01_muladd"


def test_a_file_inside_an_exercise_names_it(toy_catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(toy_catalog.course / "exercises" / "00_negate")
    assert toy_catalog.find("kernel.cu").slug == "00_negate"
    assert toy_catalog.find(".").slug == "00_negate"
    assert toy_catalog.find("../01_muladd/").slug == "01_muladd"


def test_an_unknown_number_is_answered_with_the_nearest(toy_catalog: Catalog) -> None:
    with pytest.raises(UnknownExercise) as caught:
        toy_catalog.find("7")
    assert "There is no exercise '7'" in caught.value.what
    assert caught.value.rule == "The nearest are 00_negate, 01_muladd."
    assert caught.value.next == "Run: grader list"


def test_an_unknown_name_is_answered_with_the_nearest(toy_catalog: Catalog) -> None:
    with pytest.raises(UnknownExercise, match=re.escape("The nearest are 01_muladd.")):
        toy_catalog.find("mulad")
    with pytest.raises(UnknownExercise, match="No name comes near it"):
        toy_catalog.find("zzzzzz")


def test_a_solution_folder_is_answered_with_the_right_command(toy_catalog: Catalog) -> None:
    with pytest.raises(UnknownExercise, match="grader check 01 --from solutions"):
        toy_catalog.find("solutions/01_muladd")


def test_a_course_is_found_from_a_folder_inside_it(toy_course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(toy_course / "exercises" / "00_negate")
    assert find_course() == toy_course


def test_outside_of_a_course_the_environment_names_one(
    toy_course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CU2GRAD_COURSE", str(toy_course))
    monkeypatch.chdir(tmp_path)
    assert find_course() == toy_course
    monkeypatch.setenv("CU2GRAD_COURSE", str(tmp_path / "elsewhere"))
    monkeypatch.chdir(toy_course)
    assert find_course() == toy_course


def test_a_folder_without_exercises_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a course folder"):
        Catalog.open(tmp_path)


def edit_facts(course: Path, old: str, new: str) -> None:
    path = course / "exercises" / "00_negate" / "exercise.toml"
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('title = "Negate"\n', "", "title is missing. It must be a string."),
        ('title = "Negate"\n', "title = 3\n", "title is 3. It must be a string."),
        ("minutes = 5", "minutes = -5", "minutes is -5. It must be a whole number, zero or more."),
        ("minutes = 5", "minutes = true", "minutes is True. It must be a whole number"),
        ("core = true", 'core = "yes"', "core is 'yes'. It must be true or false."),
        ('kind = "write"', 'kind = "draw"', "kind is 'draw'. It must be one of write, fix, predict, test."),
        ("minutes = 5", "minuts = 5\nminutes = 5", "minuts is not a known key. Did you mean 'minutes'?"),
        ('prompt = "store', 'promt = 1\nprompt = "store', "sections.store.promt is not a known key"),
        ('edit = ["kernel.cu"]', 'edit = ["kernel.cu", 3]', "It must be a list of strings."),
        ('edit = ["kernel.cu"]', 'edit = ["kernel.cu", "op.py"]', "listed twice"),
        ('edit = ["kernel.cu"]', 'edit = ["kernel.cu", "../x"]', "'../x' is not a plain file name"),
        ('edit = ["kernel.cu"]', 'edit = ["kernel.cu", "/x"]', "'/x' is not a plain file name"),
        ('edit = ["kernel.cu"]', 'edit = ["kernel.cu", "a/b/x"]', "'a/b/x' is not a plain file name"),
        ('edit = ["kernel.cu"]', 'edit = ["other.cu"]', "sections.index.file is 'kernel.cu'"),
        ('sources = ["kernel.cu", "binding.cpp"]', 'sources = ["gone.cu"]', "build.sources names 'gone.cu'"),
        ('name = "toy_negate"', 'name = "toy-negate"', "build.name is 'toy-negate'"),
        ("safety = 20", "safety = 21", "scores sum to 101"),
        ("safety = 20", "safty = 20", "scores.safty is not a known key. Did you mean 'safety'?"),
        ("minutes = 5", "minutes = ", "cannot be read"),
        ("[scores]", '[device_work]\nvendor = ["cudnn"]\n\n[scores]', "It may name cublas, cub, cusparse."),
    ],
)
def test_a_wrong_fact_is_named_with_its_file_and_rule(
    toy_course: Path, old: str, new: str, sentence: str
) -> None:
    edit_facts(toy_course, old, new)
    with pytest.raises(BrokenExercise) as caught:
        Catalog.open(toy_course)
    assert sentence in str(caught.value)
    assert "00_negate/exercise.toml" in caught.value.what


def test_scores_default_to_the_course_wide_ones(toy_course: Path) -> None:
    path = toy_course / "exercises" / "00_negate" / "exercise.toml"
    text = path.read_text()
    path.write_text(text[: text.index("[scores]")] + text[text.index("[sections.index]") :])
    assert Catalog.open(toy_course).exercises[0].scores == DEFAULT_SCORES
    assert sum(DEFAULT_SCORES.values()) == 100


def test_two_exercises_cannot_share_a_number(toy_course: Path) -> None:
    (toy_course / "exercises" / "01_muladd").rename(toy_course / "exercises" / "00_muladd")
    with pytest.raises(UsageError, match="00_muladd and 00_negate share the number 00"):
        Catalog.open(toy_course)


def test_a_folder_whose_name_is_no_slug_is_refused(toy_course: Path) -> None:
    (toy_course / "exercises" / "01_muladd").rename(toy_course / "exercises" / "muladd")
    with pytest.raises(BrokenExercise, match="'muladd' is not a slug"):
        Catalog.open(toy_course)


def test_reading_the_catalogue_does_not_import_torch(toy_course: Path) -> None:
    program = (
        "import sys, pathlib; from grader.course.catalog import Catalog;"
        "from grader.course import workspace, progress;"
        "Catalog.open(pathlib.Path(sys.argv[1])); print('torch' in sys.modules, 'rich' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(toy_course)], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False False\n"


def test_what_is_written_are_the_files_with_a_section(toy_catalog: Catalog) -> None:
    exercise = replace(toy_catalog.exercises[0], edit=("kernel.cu", "forward.cu"))
    assert exercise.written == ("kernel.cu",)
    assert replace(exercise, sections={}).written == ("kernel.cu", "forward.cu")
