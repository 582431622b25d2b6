"""What authors are told: a new exercise is whole, and each rule sees its own breach."""

from __future__ import annotations

import contextlib
import dataclasses
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.author import problems_of, proof, scaffold
from grader.author.lesson_rules import HEADINGS
from grader.author.proof import uncaught
from grader.author.solution_rules import spec_loads
from grader.cli import main
from grader.course.catalog import Catalog, Exercise
from grader.course.exercise import CHECKS
from grader.course.mutants import load_mutants
from grader.support.errors import UsageError
from grader.verdict import CheckResult, ReportedFinding, Status, Verdict

SLUG = "42_squares"
FIGURE = '\n--8<-- "docs/figures/squares.svg"\n'


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A course with lessons, and one exercise as `grader new` writes it, its lesson illustrated."""
    (tmp_path / "docs" / "lessons").mkdir(parents=True)
    (tmp_path / "exercises").mkdir()
    scaffold(tmp_path, SLUG, "write")
    change(tmp_path / f"docs/lessons/{SLUG}.md", "## The stub\n", f"{FIGURE}\n## The stub\n")
    (tmp_path / "mkdocs.yml").write_text(f"nav:\n  - lessons/{SLUG}.md\n")
    return tmp_path


FACTS = {
    "accepts": "TESTS", "answers": "QUESTIONS", "dispatcher": "DISPATCHER", "efficiency": "EFFICIENCY",
    "kills": "TESTS", "measurements": "WORKLOADS", "packaging": "PACKAGING", "parts": "PARTS",
}  # fmt: skip


@pytest.mark.parametrize("check", sorted(set(CHECKS) - {"correctness", "safety", "device_work"}))
def test_points_ask_for_what_the_check_goes_by(course: Path, check: str) -> None:
    """A spec that exports a gradient and a speed has what those two checks need, and nothing else."""
    exercise = dataclasses.replace(exercise_of(course), scores={check: 5})
    missing = [problem.what for problem in spec_loads(exercise)]
    said = f"exercise.toml gives points for {check}, but {FACTS.get(check)} is missing"
    assert missing == ([said] if check in FACTS else [])


def change(path: Path, find: str, replace: str) -> None:
    text = path.read_text()
    assert text.count(find) >= 1, find
    path.write_text(text.replace(find, replace, 1))


def exercise_of(course: Path, slug: str = SLUG) -> Exercise:
    return Catalog.open(course).find(slug)


def told(course: Path) -> list[str]:
    return [
        f"{problem.place.name}: {problem.what}. {problem.next}"
        for problem in problems_of(exercise_of(course))
    ]


def test_a_new_exercise_lacks_nothing_but_its_picture(course: Path) -> None:
    assert told(course) == []
    change(course / f"docs/lessons/{SLUG}.md", FIGURE, "")
    assert told(course) == [
        f"{SLUG}.md: it has no picture. Draw one in docs/_build, and include it as the others do."
    ]


EXERCISE, SOLUTION, LESSON = f"exercises/{SLUG}", f"solutions/{SLUG}", f"docs/lessons/{SLUG}.md"
BREACHES: dict[str, tuple[Callable[[Path], object], str]] = {
    "a stub edited by hand": (
        lambda course: change(course / EXERCISE / "op.py", "import grader", "import grader  # mine"),
        "op.py: it differs from what the solution gives. Edit the solution, then: make sync",
    ),
    "a stub not generated": (
        lambda course: (course / EXERCISE / "kernel.cu").unlink(),
        "kernel.cu: it does not exist yet",
    ),
    "a prompt that counts wrongly": (
        lambda course: change(course / EXERCISE / "exercise.toml", "lines = 2", "lines = 7"),
        "exercise.toml: sections.forward.lines is 7, the solution has 2. Write lines = 2",
    ),
    "a hint that is the answer": (
        lambda course: change(
            course / EXERCISE / "hints.md",
            "Two lines: one saves, one returns.",
            "Write return _ops.backward(grad_out.contiguous(), x).",
        ),
        "hints.md: it gives away a line of section backward",
    ),
    "a file that nobody lists": (
        lambda course: (course / EXERCISE / "notes.txt").write_text("mine"),
        "notes.txt: exercise.toml does not list it",
    ),
    "a requirement that is not there": (
        lambda course: change(course / EXERCISE / "exercise.toml", "requires = []", 'requires = ["07_none"]'),
        "exercise.toml: it requires 07_none, which does not exist",
    ),
    "a requirement that comes later": (
        lambda course: change(course / EXERCISE / "exercise.toml", "requires = []", f'requires = ["{SLUG}"]'),
        f"exercise.toml: it requires {SLUG}, which comes later",
    ),
    "a spec that does not load": (
        lambda course: change(course / EXERCISE / "spec.py", 'ENTRY = "squares"', "ENTRY = 3"),
        "spec.py: ENTRY must be the name of a function, not 3",
    ),
    "points for a check without facts": (
        lambda course: change(course / EXERCISE / "spec.py", "SPEED =", "UNTIMED ="),
        "spec.py: exercise.toml gives points for performance, but SPEED is missing",
    ),
    "limits that earn nothing": (
        lambda course: change(
            course / EXERCISE / "spec.py",
            "SPEED =",
            "from grader.specification import Efficiency, Limit\n"
            'EFFICIENCY = Efficiency(CASES[0], [Limit("launches", 1)])\nSPEED =',
        ),
        "spec.py: EFFICIENCY sets limits that earn nothing. Give points to `efficiency`.",
    ),
    "cases whose sizes are all known": (
        lambda course: change(
            course / EXERCISE / "spec.py",
            "sizes=drawn(lambda n: [tensor(n)], n=(65_537, 100_000))",
            "[tensor(70_000)]",
        ),
        "spec.py: CASES has no case with drawn sizes. Add one with sizes=drawn(...), see `python -m pydoc "
        "grader.specification.sizes`, or say in FIXED_SIZES why not.",
    ),
    "a mutant that no longer matches": (
        lambda course: change(course / SOLUTION / "mutants.toml", "x[i] * x[i]", "y[i] * y[i]"),
        "matches 0 times in kernel.cu",
    ),
    "too few mutants": (
        lambda course: (course / SOLUTION / "mutants.toml").write_text(""),
        "mutants.toml: it has 0 mistakes; a grader is tested with 6 at least",
    ),
    "no mutant for the gradient": (
        lambda course: (course / SOLUTION / "mutants.toml").write_text(
            (course / SOLUTION / "mutants.toml").read_text().replace('"gradient"', '"correctness"')
        ),
        "mutants.toml: no mistake is caught by gradient",
    ),
    "a mutant for a check that is not made": (
        lambda course: change(course / SOLUTION / "mutants.toml", '"device_work"', '"efficiency"'),
        "mutants.toml: caught_by is 'efficiency', which is no check here",
    ),
    "a section without hints": (
        lambda course: change(course / EXERCISE / "hints.md", "# forward_kernel\n", "# other\n"),
        "hints.md: section forward_kernel has 0 hints",
    ),
    "a rung missing": (
        lambda course: change(course / EXERCISE / "hints.md", "## The shape\n", "### The shape\n"),
        "hints.md: section forward_kernel has 2 hints",
    ),
    "a hint that quotes what the lesson does not have": (
        lambda course: change(
            course / EXERCISE / "hints.md",
            "Two lines: one saves, one returns.",
            '"How it works" and "A heading\nof before" in the lesson.',
        ),
        'hints.md: a hint names "A heading of before" in the lesson, which has no such words',
    ),
    "a launch check that a learner can lose": (
        lambda course: change(
            course / EXERCISE / "exercise.toml",
            'edit = ["kernel.cu", "op.py"]\ngiven = ["binding.cpp"]',
            'edit = ["kernel.cu", "op.py", "binding.cpp"]\ngiven = []',
        ),
        "spec.py: binding.cpp checks its launches, and no case makes one fail",
    ),
    "no lesson": (
        lambda course: (course / LESSON).unlink(),
        f"{SLUG}.md: the lesson is missing",
    ),
    "a part of the lesson missing": (
        lambda course: change(course / LESSON, "## Measurement\n", "## Timing\n"),
        f"{SLUG}.md: it lacks Measurement",
    ),
    "the parts in another order": (
        lambda course: change(course / LESSON, "## How it works\n", "## Next\n\nLater.\n\n## How it works\n"),
        f"{SLUG}.md: its parts are in another order. The order is: {', '.join(HEADINGS)}.",
    ),
    "no promise": (
        lambda course: change(course / LESSON, "**One sentence: what the reader can do afterwards.**", ""),
        f"{SLUG}.md: it has no promise",
    ),
    "pasted code": (
        lambda course: change(course / LESSON, f'--8<-- "{EXERCISE}/kernel.cu"', "int main() {}"),
        f"{SLUG}.md: it does not show {EXERCISE}/kernel.cu",
    ),
    "not in the menu": (
        lambda course: change(course / "mkdocs.yml", f"  - lessons/{SLUG}.md\n", ""),
        f"mkdocs.yml: the navigation lacks lessons/{SLUG}.md",
    ),
    "an anchor twice": (
        lambda course: change(course / LESSON, "{ #gradient }", "{ #values }"),
        f"{SLUG}.md: #values is there twice",
    ),
}


@pytest.mark.parametrize("breach", BREACHES)
def test_each_rule_sees_its_breach(course: Path, breach: str) -> None:
    break_it, sentence = BREACHES[breach]
    break_it(course)
    assert any(sentence in problem for problem in told(course)), told(course)


@pytest.mark.parametrize(
    ("slug", "kind", "sentence"),
    [
        ("squares", "write", "'squares' is not a slug."),
        ("4_squares", "write", "'4_squares' is not a slug."),
        ("43_squares", "draw", "There is no kind 'draw'."),
        ("42_cubes", "write", "42_squares is there already."),
    ],
)
def test_what_cannot_be_an_exercise_is_refused_and_nothing_written(
    course: Path, slug: str, kind: str, sentence: str
) -> None:
    before = sorted(course.rglob("*"))
    with pytest.raises(UsageError) as refused:
        scaffold(course, slug, kind)
    assert refused.value.what == sentence
    assert refused.value.next
    assert sorted(course.rglob("*")) == before


def test_a_course_without_lessons_gets_none(tmp_path: Path) -> None:
    (tmp_path / "exercises").mkdir()
    written = scaffold(tmp_path, SLUG, "write")
    assert not (tmp_path / "docs").exists()
    assert {path.name for path in written} >= {"exercise.toml", "spec.py", "kernel.cu", "mutants.toml"}
    assert list(problems_of(exercise_of(tmp_path))) == []


def test_a_proof_is_made_in_the_same_folder_each_time(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was compiled for the last one is then in the cache."""
    folders: list[Path] = []

    def grade(exercise: Exercise, files: Path, **_: object) -> Verdict:
        folders.append(files)
        return Verdict(SLUG, "", "simt", 1, (CheckResult("build", Status.FAIL, ""),))

    monkeypatch.setenv("CUSIMT_CACHE", str(course / "cache"))  # where nobody else makes a proof
    monkeypatch.setattr(proof, "grade", grade)
    monkeypatch.setattr(proof, "open_lane", lambda *_, **__: contextlib.nullcontext())
    for _ in range(2):
        assert len(list(proof.prove(exercise_of(course), "simt", lambda stage: None))) == 1
    assert len(folders) == 2
    assert folders[0] == folders[1]


def test_a_mistake_has_to_be_caught_as_it_says(course: Path) -> None:
    mutant = next(each for each in load_mutants(exercise_of(course)) if each.finding == "out_of_bounds")

    def verdict(status: Status, kind: str) -> Verdict:
        checks = (
            CheckResult("correctness", Status.PASS, ""),
            CheckResult("safety", status, "", findings=(ReportedFinding(kind, ""),)),
        )
        return Verdict(SLUG, "", "simt", 1, checks)

    assert uncaught(mutant, verdict(Status.FAIL, "out_of_bounds")) == ""
    assert uncaught(mutant, verdict(Status.PASS, "out_of_bounds")) == "safety did not catch it."
    assert uncaught(mutant, verdict(Status.INFRA_ERROR, "out_of_bounds")) == "The machine failed."
    assert uncaught(mutant, verdict(Status.FAIL, "race_shared")) == (
        "No finding is of the kind out_of_bounds."
    )
    named = dataclasses.replace(mutant, says="past the end|guard")
    told = CheckResult(
        "safety", Status.FAIL, "", findings=(ReportedFinding("out_of_bounds", "", rule="Guard it."),)
    )
    assert uncaught(named, verdict(Status.FAIL, "out_of_bounds")) == "No sentence says 'past the end|guard'."
    assert uncaught(named, Verdict(SLUG, "", "simt", 1, (told,))) == ""
    shown = dataclasses.replace(mutant, demo=True)
    wrong = verdict(Status.FAIL, "out_of_bounds")
    failed = (dataclasses.replace(wrong.checks[0], status=Status.FAIL), wrong.checks[1])
    assert "answers are not right" in uncaught(shown, dataclasses.replace(wrong, checks=failed))


def test_a_course_begins_with_its_first_exercise(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    course = tmp_path / "not" / "there"
    monkeypatch.setattr(sys, "argv", ["grader", "new", "91_squares", "--course", str(course)])
    assert main() == 0
    assert exercise_of(course, "91").slug == "91_squares"
    assert f"grader check 91 --from solutions --course {course}" in capsys.readouterr().out


def test_the_commands_say_what_to_do_next(
    course: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(*arguments: str) -> int:
        monkeypatch.setattr(sys, "argv", ["grader", *arguments, "--course", str(course)])
        return main()

    assert run("new", "43_cubes", "--title", "Cubes") == 0
    printed = capsys.readouterr().out
    assert f"wrote  {course}/solutions/43_cubes/kernel.cu" in printed
    assert f"grader dev check 43 --course {course}" in printed
    assert exercise_of(course, "43").title == "Cubes"

    assert run("dev", "check", "42", "43") == 1
    printed = capsys.readouterr().out
    assert "42_squares: whole\n43_cubes: 2 problems\n" in printed
    assert "2 things are missing or wrong in 1 of 2 exercises." in printed

    change(course / "docs/lessons/43_cubes.md", "## The stub\n", f"{FIGURE}\n## The stub\n")
    change(course / "mkdocs.yml", "nav:\n", "nav:\n  - lessons/43_cubes.md\n")
    assert run("dev", "check", "43") == 0
    assert "Nothing is missing." in capsys.readouterr().out
