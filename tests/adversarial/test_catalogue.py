"""The catalogue itself: its size, README and sentences, and the errors of a folder that breaks the format."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from grader.support.errors import BrokenExercise
from tests.adversarial.catalogue import FACTS, FOLDER, ROOT, attacks, read
from tests.adversarial.judging import Ruling
from tests.docs.words import words

ATTACKS = attacks()
SOUND = {
    "exercise": '"03_fused_muladd"',
    "does": '"Calls the library."',
    "naive": '"Full marks for it."',
    "refused_by": '"device_work"',
    "says": '"did the work"',
    "backends": '["simt"]',
}
EDIT = '\n[[edit]]\nfile = "op.py"\nfind = "return _ops.muladd(a, b, c)"\nreplace = "return a * b + c"\n'


def written(folder: Path, edit: str = EDIT, **changes: str) -> Path:
    """An attack of one edit whose table has these keys changed; an empty text leaves a key out."""
    attack = folder / "library_work" / "expression"
    attack.mkdir(parents=True)
    facts = {key: value for key, value in (SOUND | changes).items() if value}
    (attack / FACTS).write_text("".join(f"{key} = {value}\n" for key, value in facts.items()) + edit)
    return attack


def test_there_are_many_attacks_of_many_classes_on_both_backends() -> None:
    for backend in ("simt", "cuda"):
        classes = Counter(attack.group for attack in ATTACKS if backend in attack.backends)
        assert classes.total() >= 120
        assert len(classes) >= 12


def test_the_readme_explains_each_class() -> None:
    explained = re.findall(r"^\| `(\w+)` \| ", (FOLDER / "README.md").read_text(), re.MULTILINE)
    assert {attack.group for attack in ATTACKS} <= set(explained)


def test_each_class_tests_a_promise_of_the_page_about_trust() -> None:
    page = (ROOT / "docs" / "reference" / "trust.md").read_text()
    promises = page[page.index("## What is promised") : page.index("## What the audit reads")]
    named = set(re.findall(r"`(\w+)`", promises))
    assert {attack.group for attack in ATTACKS} <= named


def test_its_sentences_are_plain() -> None:
    told = {attack.name: f"{attack.does} {attack.naive}" for attack in ATTACKS}
    found = [(name, word.avoid) for name, text in told.items() for word in words() if any(word.places(text))]
    assert found == []


def test_an_attack_is_the_solution_with_its_own_changes(tmp_path: Path) -> None:
    attack = read(written(tmp_path))
    (attack.folder / "kernel.below.cu").write_text("// below\n")
    (attack.folder / "op.above.py").write_text("# above\n")
    (attack.folder / "more.h").write_text("// more\n")
    submission = tmp_path / "submission"
    submission.mkdir()
    attack.write(submission)
    op = (submission / "op.py").read_text()
    assert op.startswith("# above\n")
    assert "return a * b + c" in op and "_ops.muladd(a, b, c)" not in op
    assert (submission / "kernel.cu").read_text().endswith("// below\n")
    assert (submission / "more.h").read_text() == "// more\n"
    solution = (attack.exercise.solution_dir / "binding.cpp").read_text()
    assert (submission / "binding.cpp").read_text() == re.sub(r" *// --8<--.*\n", "", solution)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"exercise": '"03"'}, "exercise is '03'. It must be a slug: one of "),
        ({"does": ""}, "does is missing"),
        ({"does": '"calls it"'}, "It must be one sentence, with a full stop."),
        ({"refused_by": '"luck"'}, "refused_by is 'luck'. It must be one of audit, build, "),
        ({"says": '"("'}, "It must be a regular expression: "),
        ({"says": '".*"'}, "It must not match every verdict."),
        ({"earns": "-1"}, "It must be a number, zero or more."),
        ({"backends": '["opencl"]'}, "It must list some of simt, cuda."),
        ({"edit": EDIT.replace("a, b, c", "c, b, a")}, "matches 0 times in op.py"),
        ({"edit": ""}, "expression changes nothing"),
        ({"more": "1"}, "more is not a known key"),
    ],
)
def test_a_folder_that_breaks_the_format_is_refused(
    tmp_path: Path, changes: dict[str, str], words: str
) -> None:
    with pytest.raises(BrokenExercise) as caught:
        read(written(tmp_path, **changes))
    assert words in str(caught.value)
    assert FACTS in str(caught.value)


def test_a_file_that_is_added_to_nothing_is_refused(tmp_path: Path) -> None:
    folder = written(tmp_path)
    (folder / "kernl.below.cu").write_text("")
    with pytest.raises(BrokenExercise, match=r"kernl\.below\.cu adds to kernl\.cu"):
        read(folder)


@pytest.mark.parametrize(
    ("ruling", "objection"),
    [
        (Ruling({"device_work": "aten::mul did the work"}, 0.0, 1.0), ""),
        (Ruling({"device_work": "aten::mul did the work"}, 5.0, 1.0), "it earned 5 points, where 0 are"),
        (Ruling({"safety": "did the work"}, 0.0, 1.0), "device_work did not refuse it; it was refused"),
        (Ruling({}, 0.0, 1.0), "device_work did not refuse it; nothing refused it"),
        (Ruling({"device_work": "no kernel"}, 0.0, 1.0), "device_work did not say 'did the work', but: no"),
        (Ruling({"build": "no g++"}, 0.0, 1.0, of_machine=True), "this machine could not grade it: no g++"),
    ],
)
def test_what_counts_as_held(tmp_path: Path, ruling: Ruling, objection: str) -> None:
    said = ruling.objection(read(written(tmp_path)), "simt")
    assert said.startswith(objection)
    assert bool(said) is bool(objection)
