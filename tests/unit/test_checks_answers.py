"""answers.toml: what is asked, what is read from it, and what is told about a wrong answer."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader.checks import todo
from grader.checks.bench import Bench
from grader.checks.outcome import Outcome
from grader.checks.questions import predicted
from grader.checks.questions.answers import ask, check, need_counting
from grader.checks.questions.predicted import is_right
from grader.compilation import Artifact
from grader.course.answer_key import digest, shipped_key
from grader.course.exercise import Exercise, Section
from grader.course.stubs import generated_lines
from grader.run.failures import WorkerCrashed
from grader.run.values import Output, Reply
from grader.specification import Choice, Count, Program, Returned
from grader.specification.questions import checked, drawn_sizes
from grader.support.errors import BrokenExercise, BuildFailed, InfrastructureError
from grader.verdict import Status
from tests.unit.fake_submission import FakeSession, fake_bench, fake_exercise

TREES = Program("trees.cu", {"block": (64, 128, 256), "step": (2, 4)})
EDGE = Choice("edge", "What does lane 31 get?", {"a": "lane 0", "b": "its own", "c": "zero"}, "Look up.")
SUM = Choice("total", "Who has the sum?", {"a": "lane 0", "b": "every lane"}, "Values travel down.")
LANES = Count(
    "lanes", "A block of {block} threads adds.", TREES, ("tree", "block"), "(A)", "lanes", "Each adds."
)

LAST = Returned("last", "Which thread of {block} is last?", TREES, ("last", "block"), "Print it.")


@pytest.fixture
def exercise(tmp_path: Path) -> Exercise:
    """Of two choices, with a master that answers them and the key that follows from it."""
    root, solution = tmp_path / "exercises" / "03_muladd", tmp_path / "solutions" / "03_muladd"
    root.mkdir(parents=True)
    solution.mkdir(parents=True)
    (solution / "answers.toml").write_text('draw = 1\nedge = "b"\ntotal = "A"\nlanes = 63\n')
    found = fake_exercise(root, edit=("kernel.cu", "answers.toml"), scores={"answers": 100})
    for path, text in shipped_key(found).items():
        path.write_text(text)
    return found


def bench_with(exercise: Exercise, answers: str, *questions: Any) -> Bench:
    (exercise.root / "answers.toml").write_text(answers, encoding="utf-8")
    bench = fake_bench(
        FakeSession(lambda a: a), lambda a: a, [], exercise=exercise, questions=questions or (EDGE, SUM)
    )
    return replace(bench, files=exercise.root)


def judged(exercise: Exercise, answers: str) -> Outcome:
    return check(bench_with(exercise, answers))


def test_the_key_holds_digests_of_the_choices_and_of_nothing_else(exercise: Exercise) -> None:
    key = tomllib.loads((exercise.root / "answers.key").read_text())
    assert key == {"edge": digest("03_muladd", "edge", "b"), "total": digest("03_muladd", "total", "a")}
    assert digest("03_muladd", "edge", "b") != digest("03_muladd", "total", "b")
    assert shipped_key(replace(exercise, edit=("kernel.cu",))) == {}


def test_all_right_earns_everything(exercise: Exercise) -> None:
    outcome = judged(exercise, 'edge = "b"\ntotal = "a"\n')
    assert (outcome.status, outcome.share, outcome.sentence) == (
        Status.PASS, None, "All 2 answers are right.",
    )  # fmt: skip


def test_a_letter_may_be_large_and_have_blanks(exercise: Exercise) -> None:
    assert judged(exercise, 'edge = " B"\ntotal = "A "\n').status is Status.PASS


def test_open_questions_are_asked(exercise: Exercise) -> None:
    outcome = judged(exercise, 'draw = 1\nedge = ""\n')
    assert (outcome.status, outcome.share) == (Status.NOT_ATTEMPTED, 0)
    assert outcome.sentence == "2 questions are open. The answers go into answers.toml."
    assert outcome.lines == ("edge and total: a letter each, of the choices in answers.toml.",)


def test_partly_answered_earns_its_share(exercise: Exercise) -> None:
    outcome = judged(exercise, 'edge = "b"\ntotal = ""\n')
    assert (outcome.status, outcome.share) == (Status.NOT_ATTEMPTED, 0.5)
    assert outcome.sentence == "1 of 2 answers is right; 1 is still open."
    assert outcome.lines == ("total: a letter, of the choices in answers.toml.",)


def test_a_wrong_answer_tells_the_rule_and_not_the_answer(exercise: Exercise) -> None:
    outcome = judged(exercise, 'edge = "c"\ntotal = "a"\n')
    assert (outcome.status, outcome.share) == (Status.FAIL, 0.5)
    assert outcome.sentence == "1 of 2 answers is right; not right: edge."
    assert outcome.lines == ('edge = "c" is not right. Look up.',)


def test_a_wrong_answer_about_a_part_names_it(exercise: Exercise) -> None:
    bench = bench_with(exercise, 'edge = "c"\ntotal = "a"\n', replace(EDGE, part="scale"), SUM)
    assert check(bench).lines == ('edge = "c" is not right (about scale). Look up.',)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('edge = "d"', 'edge = "d" is not one of the choices. Write one letter from "a" to "c", in quotes.'),
        ("edge = 2", 'edge = 2 is not one of the choices. Write one letter from "a" to "c", in quotes.'),
        (
            'edgy = "b"',
            "`edgy` is not the name of a question, so its answer is ignored. Did you mean `edge`?",
        ),
    ],
)
def test_what_is_no_answer_is_named(exercise: Exercise, line: str, told: str) -> None:
    outcome = judged(exercise, f'{line}\ntotal = "a"\n')
    assert outcome.status in (Status.FAIL, Status.NOT_ATTEMPTED)
    assert outcome.share == 0.5
    assert told in " ".join(line.strip() for line in outcome.lines)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("edge = b", 'A letter is in quotes: edge = "b".'),
        ("edge =", 'An open answer is a pair of quotes: edge = "".'),
        ("edge = 5,4", "A number has a decimal point: edge = 5.4."),
        ('edge = "b', "An answer is one line:"),
        ('edge = "a"\nedge = "b"', "This name has an answer further up: keep one of the two."),
    ],
)
def test_a_broken_file_is_told_by_its_line_and_nothing_is_lost(
    exercise: Exercise, text: str, told: str
) -> None:
    outcome = judged(exercise, f'total = "a"\n{text}\n')
    number, broken = len(text.splitlines()) + 1, text.splitlines()[-1]
    assert outcome.status is Status.FAIL
    assert outcome.sentence.startswith(f"answers.toml, line {number}, cannot be read: `{broken}`. {told}")
    assert outcome.sentence.endswith("graded once this line is valid.")


def test_a_draw_has_to_be_a_number(exercise: Exercise) -> None:
    outcome = judged(exercise, 'draw = "x"\n')
    assert outcome.status is Status.FAIL
    assert outcome.sentence.startswith('answers.toml: `draw` is "x". It has to be a whole number')


def test_a_key_of_other_choices_is_the_authors_fault(exercise: Exercise) -> None:
    other = replace(SUM, name="other")
    with pytest.raises(
        BrokenExercise, match=r"answers.key and the choices in spec.py differ: other and total"
    ):
        check(bench_with(exercise, "", EDGE, other))


def test_sizes_follow_from_the_draw_alone() -> None:
    draws = [drawn_sizes(TREES, "14_reduction", number) for number in range(20)]
    assert draws[3] == drawn_sizes(TREES, "14_reduction", 3)
    assert {each["block"] for each in draws} == {64, 128, 256}
    assert drawn_sizes(TREES, "14_reduction", 1) == {"block": 256, "step": 4}


def test_a_count_is_asked_with_the_sizes_drawn(exercise: Exercise) -> None:
    (exercise.root / "answers.toml").write_text("draw = 4\n")
    spec = bench_with(exercise, "draw = 4\n", LANES).spec
    block = drawn_sizes(TREES, "03_muladd", 4)["block"]
    assert ask(exercise, spec, exercise.root).lines == (f"lanes: A block of {block} threads adds.",)


@pytest.mark.parametrize(("answer", "sentence"), [("true", "true"), ('"many"', '"many"')])
def test_a_count_that_is_no_number(exercise: Exercise, answer: str, sentence: str) -> None:
    bench = bench_with(exercise, f'edge = "b"\ntotal = "a"\nlanes = {answer}\n', EDGE, SUM, LANES)
    outcome = check(bench)
    assert outcome.lines == (
        f"lanes = {sentence} is not a number. Write a whole number, without quotes.",
    )  # fmt: skip


def test_a_number_may_be_exact_or_rounded_as_asked() -> None:
    assert is_right(47, 47.0, 0) and not is_right(47.4, 47.0, 0)
    assert is_right(5.4, 5.4255, 1) and is_right(5.4255, 5.4255, 1) and not is_right(5.5, 5.4255, 1)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ([], "must be a list"),
        ([EDGE, EDGE], "two questions named 'edge'"),
        ([replace(EDGE, name="draw")], "'draw' cannot be the key"),
        ([replace(EDGE, think=" ")], "prompt and think"),
        ([replace(EDGE, choices={"a": "x", "c": "y"})], "choices must be a, b, c"),
        ([replace(LANES, prompt="{rows} rows")], "'rows' is no size of trees.cu"),
        ([replace(LANES, call=("tree", "rows"))], "'rows' is no size of trees.cu"),
        ([replace(LAST, call=("last", "rows"))], "'rows' is no size of trees.cu"),
        ([replace(LAST, call=())], "call names a function of the program"),
        ([replace(LANES, metric="time")], "'time' of 'load' is not counted"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused(wrong: list[Any], told: str) -> None:
    with pytest.raises((TypeError, ValueError), match=told):
        checked(wrong)


@pytest.fixture
def counting(exercise: Exercise, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """A bench with a program that is built already; no worker can be had yet."""
    (exercise.root / "trees.cu").write_text("void tree() {\n    add();  // (A)\n}\n")
    built = Artifact("trees", "pybind", Path("trees.so"), "simt", True, 0.5, False, Path("log"))
    monkeypatch.setattr(predicted, "build", lambda request: built)
    monkeypatch.setattr(predicted, "_counted", {})
    return bench_with(exercise, "", LANES)


def test_a_program_that_does_not_build_is_not_the_learners_fault(
    counting: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(request: object) -> Artifact:
        raise BuildFailed("trees does not compile.", diagnostics="trees.cu:1: error")

    monkeypatch.setattr(predicted, "build", fails)
    with pytest.raises(InfrastructureError, match=r"(?s)trees does not compile.*is part of the exercise"):
        predicted.counts_of(counting, [LANES], 1)


def test_a_program_that_crashes_is_not_the_learners_fault(counting: Bench) -> None:
    def crashing() -> Any:
        raise WorkerCrashed("loading", signal="SIGSEGV")

    bench = replace(counting, spawn=crashing)
    with pytest.raises(InfrastructureError, match=r"trees.cu cannot be counted.*is part of the exercise"):
        predicted.counts_of(bench, [LANES], 1)


class Answering:
    """A session with a program of which every function returns its first size and `more`."""

    def __init__(self, more: Any) -> None:
        self.more = more

    def __enter__(self) -> Answering:
        return self

    def __exit__(self, *error: object) -> None:
        """Nothing to end."""

    def load(self, *built: object) -> None:
        """There is nothing to load."""

    def call(self, function: str, sizes: list[int], **more: Any) -> Reply:
        value = sizes[0] + self.more if isinstance(self.more, int) else self.more
        return Reply(outputs=(Output("other", value=value),))


@pytest.mark.parametrize("draw", [1, 3])
def test_what_a_program_returns_is_the_answer(counting: Bench, draw: int) -> None:
    bench = replace(counting, spawn=lambda: Answering(5))  # type: ignore[arg-type, return-value]
    block = drawn_sizes(TREES, "03_muladd", draw)["block"]
    assert predicted.counts_of(bench, [LAST], draw) == {"last": block + 5.0}


def test_a_program_runs_once_for_the_same_questions_and_sizes(counting: Bench) -> None:
    began: list[int] = []

    def spawn() -> Any:
        began.append(1)
        return Answering(5)

    bench = replace(counting, spawn=spawn)
    first = predicted.counts_of(bench, [LAST], 1)
    assert predicted.counts_of(bench, [LAST], 1) == first and len(began) == 1
    assert predicted.are_known(bench.exercise, [LAST], 1)
    assert not predicted.are_known(bench.exercise, [LAST], 3)  # other sizes
    (bench.exercise.root / "trees.cu").write_text("void tree() {\n    more();  // (A)\n}\n")
    assert not predicted.are_known(bench.exercise, [LAST], 1)  # another program
    predicted.counts_of(bench, [LAST], 1)
    assert len(began) == 2


def test_beside_a_real_gpu_the_simulated_one_that_was_started_ahead_counts(counting: Bench) -> None:
    class Started:
        def spawn_worker(self) -> Any:
            return Answering(7)

    bench = replace(counting, backend="cuda", simulated=Started())  # type: ignore[arg-type]
    block = drawn_sizes(TREES, "03_muladd", 1)["block"]
    assert predicted.counts_of(bench, [LAST], 1) == {"last": block + 7.0}


def test_nothing_needs_counting_while_no_number_is_answered(counting: Bench) -> None:
    sheet, spec = counting.files / "answers.toml", counting.spec
    assert not need_counting(counting.exercise, spec, counting.files)
    sheet.write_text("lanes = 5\n")
    assert need_counting(counting.exercise, spec, counting.files)
    sheet.write_text("lanes = = 5\n")
    assert not need_counting(counting.exercise, spec, counting.files)


@pytest.mark.parametrize("value", [None, "5", 2.5])
def test_a_program_that_returns_no_whole_number_is_the_authors_fault(counting: Bench, value: Any) -> None:
    bench = replace(counting, spawn=lambda: Answering(value))  # type: ignore[arg-type, return-value]
    with pytest.raises(BrokenExercise, match=rf"last returned {value!r}, but last asks for it"):
        predicted.counts_of(bench, [LAST], 1)


def test_a_question_about_no_line_is_the_authors_fault(counting: Bench) -> None:
    with pytest.raises(BrokenExercise, match="is in 0 lines, but lanes means one"):
        predicted.value_at(replace(LANES, line="(B)"), [], counting.exercise.root / "trees.cu")
    with pytest.raises(BrokenExercise, match="nothing was counted for lanes in line 2"):
        predicted.value_at(LANES, [], counting.exercise.root / "trees.cu")


def test_open_answers_are_one_line_beside_the_todos(tmp_path: Path) -> None:
    sections = {
        "index": Section("index", "kernel.cu", "compute the index", 1),
        "edge": Section("edge", "answers.toml", "a letter", 1),
        "total": Section("total", "answers.toml", "a letter", 1),
    }
    asked = fake_exercise(
        tmp_path, edit=("kernel.cu", "answers.toml"), sections=sections, scores={"answers": 100}
    )
    for section in sections.values():
        with (tmp_path / section.file).open("a", encoding="utf-8") as stub:
            stub.write("\n".join(generated_lines(section, Path(section.file).suffix)) + "\n")
    outcome = todo.check(asked, tmp_path)
    assert outcome is not None
    assert outcome.lines == (
        "kernel.cu:1: TODO(index): compute the index",
        "answers.toml:1: 2 answers, from here on",
    )
