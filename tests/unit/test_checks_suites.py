"""A learner's tests are run against right and wrong implementations; the verdict says what they missed."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
import torch

from cusimt.support.processors import processors
from grader.checks.bench import Bench
from grader.checks.outcome import Outcome
from grader.checks.suites import acceptance, inside, mutation_score
from grader.checks.suites import runs as suites
from grader.checks.suites.readings import counts_memory_after_backward, measures_time
from grader.course.exercise import Exercise
from grader.course.implementations import collection
from grader.run.zygote_handle import Zygote
from grader.specification import Spec, Tests
from grader.support.errors import BrokenExercise
from grader.verdict import NOT_JUDGED, Status
from tests.unit.fake_submission import FakeSession, fake_exercise

pytestmark = pytest.mark.slow("runs suites in workers")

OP = '''"""Twice x, which must not be negative."""

def twice(x):
    if x < 0:
        raise RuntimeError(f"x must not be negative, but is {x}")
    return 2 * x
'''
HIDDEN = """
[accepted.added]
trait = "an addition"

[classes.zero]
title = "Nothing to double"
see = "Test zero."

[classes.refusal]
title = "Bad input"
see = "Look at the message."

[[mutant]]
class = "zero"
name = "one at least"
file = "op.py"
find = "return 2 * x"
replace = "return 2 * x or 1"

[[mutant]]
class = "refusal"
name = "an accident"
file = "op.py"
find = 'f"x must not be negative, but is {x}"'
replace = '"it went wrong"'

[[mutant]]
class = "refusal"
name = "nothing refused"
file = "op.py"
find = "x < 0"
replace = "False"
"""
PUBLISHED = """
[classes.zero]
title = "Nothing to double"
see = "Test zero."

[[mutant]]
class = "zero"
name = "nothing for nothing"
file = "op.py"
find = "return 2 * x"
replace = "return 2 * x if x else None"
"""
GOOD = """
import op
import pytest

@pytest.mark.parametrize("x", [0, 1, 2, 7.5])
def test_values(x):
    assert op.twice(x) == x + x

def test_refused():
    with pytest.raises(RuntimeError, match="x"):
        op.twice(-1)
"""


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    with pytest.MonkeyPatch.context() as environment:
        # What whoever grades has set for tests of their own is nothing to a learner's.
        environment.setenv("PYTEST_ADDOPTS", "-k no_such_test")
        environment.setenv("PYTEST_PLUGINS", "no_such_plugin")
        started = Zygote.start("plain", modules=["pytest"])
    with started:
        yield started


@pytest.fixture
def exercise(tmp_path: Path) -> Exercise:
    """One whose learner writes the tests of `twice`."""
    root, solution = tmp_path / "exercises" / "03_twice", tmp_path / "solutions" / "03_twice"
    added = solution / "accepted" / "added"
    for folder in (root, added):
        folder.mkdir(parents=True)
    for folder in (root, solution):
        (folder / "op.py").write_text(OP)
    (added / "op.py").write_text(OP.replace("2 * x", "x + x"))
    (solution / "hidden.toml").write_text(HIDDEN)
    (root / "mutants.toml").write_text(PUBLISHED)
    return replace(fake_exercise(root), slug="03_twice", edit=("test_op.py",), given=("op.py",), sections={})


@pytest.fixture
def bench(exercise: Exercise, zygote: Zygote, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """For the tests in the exercise's folder; there is nothing to compile in these implementations."""
    monkeypatch.setattr(suites, "built", lambda bench, implementation: None)
    spec = Spec(Path("spec.py"), "twice", torch.add, ("x",), (), tests=Tests("test_op.py", seconds=60))
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    session = FakeSession(torch.add)
    return Bench(
        exercise, spec, "plain", 1, session, exercise.root, lambda: None, zygote.spawn_worker, scratch
    )


def _hurried(bench: Bench, seconds: float) -> Bench:
    """The same for tests that have so long."""
    assert bench.spec.tests is not None
    return replace(bench, spec=replace(bench.spec, tests=replace(bench.spec.tests, seconds=seconds)))


def _silent(said: str) -> None:
    """Nobody listens to how far a check is."""


def _accepts(bench: Bench, tests: str) -> Outcome:
    (bench.files / "test_op.py").write_text(tests)
    return acceptance.check(bench, _silent)


def test_a_good_suite_accepts_and_kills_everything(bench: Bench) -> None:
    accepted = _accepts(bench, GOOD)
    assert (accepted.status, accepted.share) == (Status.PASS, None), accepted.sentence
    assert accepted.sentence.startswith(
        "5 tests: 2 correct implementations, each written in another way, pass"
    )

    killed = mutation_score.check(bench, _silent)

    assert (killed.status, killed.share) == (Status.PASS, 1.0)
    assert killed.sentence == "Your suite finds all 3 mistakes, of 2 classes."
    assert list(bench.scratch.iterdir()) == []


def test_a_failure_that_a_test_announces_finds_no_mistake(bench: Bench) -> None:
    assert _accepts(bench, f"{GOOD}\npytestmark = pytest.mark.xfail\n").status is Status.PASS

    outcome = mutation_score.check(bench, _silent)

    assert (outcome.status, outcome.share) == (Status.FAIL, 0.0)
    assert outcome.lines[0] == (
        "With 3 of them a test fails that is marked xfail: a failure that a test announces finds nothing."
    )


def test_what_is_not_seen_is_told_by_class_and_never_by_its_text(bench: Bench) -> None:
    _accepts(bench, GOOD.replace(', match="x"', ""))

    outcome = mutation_score.check(bench, _silent)

    assert (outcome.status, outcome.share) == (Status.FAIL, 0.5)
    assert outcome.sentence == (
        "Your suite sees 1 of 2 classes of mistakes. 1 of 3 mistakes passes all your tests."
    )
    assert outcome.lines == ("Bad input (1 of 2 not seen): Look at the message.",)
    assert "accident" not in str(outcome)


def test_a_suite_that_is_too_strict_is_told_by_the_trait_and_its_own_words(bench: Bench) -> None:
    strict = GOOD + "\ndef test_factor():\n    assert 2 in op.twice.__code__.co_consts, 'no factor'\n"

    outcome = _accepts(bench, strict)

    assert outcome.status is Status.FAIL
    assert outcome.sentence.startswith(
        "test_op.py:14: Your suite refuses a correct implementation, one with an addition: test_factor says "
        '"AssertionError: no factor'
    )
    assert outcome.case == "test_factor"


def test_the_trait_explains_nothing_to_a_test_that_measures_time(bench: Bench) -> None:
    events = "def spent(begin, end):\n    return begin.elapsed_time(end)\n"
    source = f"{events}\ndef test_time():\n    assert spent(a, b) < 1\n\ndef test_value():\n    assert 1\n"
    assert measures_time(source, "test_time[3]")
    assert not measures_time(source, "test_value")
    slow = (
        f"{GOOD}\n{events.replace('begin.', '0 * len(op.twice.__code__.co_consts) or begin.')}"
        "class Event:\n    def elapsed_time(self, end):\n        return 2 in op.twice.__code__.co_consts\n"
        "\ndef test_factor():\n    assert spent(Event(), 0), 'slow'\n"
    )
    outcome = _accepts(bench, slow)
    assert "refuses a correct implementation for the time that it takes: test_factor says" in outcome.sentence
    assert "addition" not in outcome.sentence


def test_memory_that_is_counted_after_a_backward_is_the_cause(bench: Bench) -> None:
    source = (
        "class torch:\n    backward = staticmethod(lambda: None)\n"
        "    memory_allocated = staticmethod(lambda: 2)\n\n"
        "def test_memory():\n    assert torch.memory_allocated() == 2\n    torch.backward()\n"
        "    assert torch.memory_allocated() == 0, 'still held'\n"
    )
    assert counts_memory_after_backward(source, 8)
    assert not counts_memory_after_backward(source, 6)
    outcome = _accepts(bench, f"{source}\n{GOOD}")
    assert "refuses the implementation that you were given: test_memory says" in outcome.sentence
    assert "It counts memory after a backward" in outcome.sentence
    assert "demands more than the docstring" not in outcome.sentence
    assert outcome.topic == "flaky"


def test_a_condition_cannot_ask_pytest_which_run_this_is(bench: Bench) -> None:
    """pytest evaluates what is in quotes, beside its options; they are the same in every run, too."""
    told = "config.option.maxfail != 1"
    test = "@pytest.mark.skipif(TOLD, reason='')\ndef test_told():\n    assert 0\n"

    outcome = _accepts(bench, f"import pytest\nTOLD = {told!r}\n\n{test}\ndef test_nothing():\n    pass\n")

    assert outcome.status is Status.FAIL
    assert "the condition of `skipif` is in quotes: write it as an expression" in outcome.sentence


@pytest.mark.parametrize("check", [acceptance, mutation_score])
def test_being_late_beside_others_sees_no_mistake_and_refuses_nothing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, check: ModuleType
) -> None:
    """The first run is late, as it may be on a loaded machine; alone it would not have been."""
    monkeypatch.setattr(suites, "processors", lambda: 2)
    bench = _hurried(bench, 2)  # of processor time; what those need that are not late is a tenth of a second
    slow = f"""
import os, time
def test_slow():
    try:
        os.mkdir({str(bench.scratch / "seen")!r})
    except FileExistsError:
        return
    time.sleep(60)
"""
    (bench.files / "test_op.py").write_text(slow)

    outcome = check.check(bench, _silent)

    if check is acceptance:
        assert outcome.status is Status.PASS, outcome.sentence
    else:
        assert outcome.share == 0
        assert "3 of 3 mistakes pass all your tests" in outcome.sentence


def test_a_mistake_that_does_not_load_is_the_authors(bench: Bench, exercise: Exercise) -> None:
    path = exercise.solution_dir / "hidden.toml"
    path.write_text(path.read_text().replace('replace = "return 2 * x or 1"', 'replace = "return ("'))
    (bench.files / "test_op.py").write_text(GOOD)

    with pytest.raises(BrokenExercise, match="An implementation of 03_twice does not load"):
        mutation_score.check(bench, _silent)


def test_the_processors_are_those_of_this_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    quota = tmp_path / "cpu.max"
    monkeypatch.setattr("cusimt.support.processors._QUOTA", quota)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(6)))
    assert processors() == 6
    for text, count in (("max 100000", 6), ("250000 100000", 2), ("50000 100000", 1), ("900000 100000", 6)):
        quota.write_text(text)
        assert processors() == count, text


def test_nothing_is_killed_by_a_suite_that_accepts_nothing(bench: Bench) -> None:
    refused = _accepts(bench, GOOD.replace("x + x", "x + 1"))
    assert refused.sentence.startswith(
        'test_op.py:7: Your suite refuses the implementation that you were given: test_values[0] says "assert'
    )
    assert refused.lines[-1] == "Also: test_values[2], test_values[7.5]"
    bench.outcomes["accepts"] = refused

    outcome = mutation_score.check(bench, _silent)

    assert outcome.status is Status.FAIL and outcome.share is None
    assert outcome.sentence.startswith(NOT_JUDGED)


@pytest.mark.parametrize(
    ("tests", "status", "sentence"),
    [
        ("import op\n", Status.FAIL, "test_op.py holds no test."),
        ("import op\nop.thrice\n", Status.FAIL, "No test was collected: test_op.py:2: AttributeError"),
        ("def test_x(:\n", Status.FAIL, "No test was collected: test_op.py:1: SyntaxError"),
        (
            GOOD + "pytestmark = pytest.mark.skip\n", Status.FAIL,
            "No test ran: all 5 are skipped or expected to fail.",
        ),
        (
            "import pytest\n@pytest.mark.xfail\ndef test_x():\n    assert False\n", Status.FAIL,
            "No test ran: the only one is skipped or expected to fail.",
        ),
        (
            "import op\ndef test_x():\n    assert op.twice(y) == 2\n", Status.FAIL,
            "test_op.py:3: test_x itself is wrong: NameError: name 'y' is not defined",
        ),
        (
            "import op\ndef test_x():\n    op.twice()\n", Status.FAIL,
            "test_op.py:3: test_x itself is wrong: TypeError: twice() missing 1 required",
        ),
        (
            "import op\ndef test_x():\n    op.twice(-1)\n", Status.FAIL,
            "test_op.py:3: Your suite refuses the implementation that you were given: test_x says",
        ),
        (
            "import op\n\ndef test_x(shape):\n    pass\n", Status.FAIL,
            "test_op.py:3: test_x itself is wrong: no fixture 'shape'; was parametrize forgotten?",
        ),
        (
            "import op\ndef check(x):\n    assert op.twice(x) == x\ndef test_x():\n    check(1)\n",
            Status.FAIL,
            "test_op.py:3 (called in line 5): Your suite refuses the implementation that you were given",
        ),
        (
            "import os, signal\ndef test_x(): pass\ndef test_y(): os.kill(os.getpid(), signal.SIGSEGV)\n",
            Status.CRASH, "Your suite refuses the implementation that you were given: The submission crashed",
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_with_the_suite_itself(bench: Bench, tests: str, status: Status, sentence: str) -> None:
    outcome = _accepts(bench, tests)

    assert outcome.status is status, outcome.sentence
    assert outcome.sentence.startswith(sentence), outcome.sentence
    if status is Status.CRASH:
        assert outcome.case == "test_y"


@pytest.mark.parametrize(
    ("tests", "place", "limit"),
    [
        ("def test_x():\n    while True: pass\n", "test_x", "1 s of processor time"),
        ("while True: pass\n", "test_op.py", "1 s of processor time"),
        ("import time\ndef test_x():\n    time.sleep(600)\n", "test_x", "5 s by the clock"),
    ],
)
def test_a_suite_without_end_is_stopped(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tests: str, place: str, limit: str
) -> None:
    if "processor" in limit:  # on a busy machine a second of it may take longer than the usual patience
        monkeypatch.setattr(suites, "PATIENCE", 300)
    outcome = _accepts(_hurried(bench, 1), tests)

    assert outcome.status is Status.TIMEOUT
    assert outcome.sentence.startswith(f"Your suite was stopped after {limit}, in {place}."), outcome.sentence
    assert outcome.lines == ()


def test_what_failed_before_the_time_was_over_is_told(bench: Bench) -> None:
    failing = "def test_a():\n    assert 0, 'as planned'\n"
    outcome = _accepts(_hurried(bench, 1), f"{failing}def test_x():\n    while True: pass\n")

    assert outcome.status is Status.TIMEOUT
    (line,) = outcome.lines
    assert line.startswith('Before that, test_op.py:2: test_a says "AssertionError: as planned')


def test_what_failed_before_a_crash_is_told(bench: Bench) -> None:
    failing = "def test_a():\n    assert 0, 'as planned'\n"
    end = "import os, signal\ndef test_y(): os.kill(os.getpid(), signal.SIGSEGV)\n"
    outcome = _accepts(bench, failing + end)

    assert outcome.status is Status.CRASH
    assert outcome.lines[0].startswith('Before that, test_op.py:2: test_a says "AssertionError: as planned')


SLOW = """
import op
import time
import pytest

def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass

@pytest.mark.parametrize("seconds", [0, 0.6, 0.3])
def test_slow(seconds):
    burn(seconds)
    assert op.twice(2) == 4
"""


def _with_total(bench: Bench, seconds: float, total: float) -> Bench:
    """The same for tests whose runs have so long each, and together."""
    return replace(bench, spec=replace(bench.spec, tests=Tests("test_op.py", seconds, total)))


def test_a_slow_suite_passes_with_advice_that_names_its_slowest_tests(bench: Bench) -> None:
    outcome = _accepts(_with_total(bench, 4, 300), SLOW)

    assert outcome.status is Status.PASS, outcome.sentence
    (line,) = outcome.lines
    told = re.fullmatch(
        r"Your suite is slow: it takes (.*) s of processor time against the given implementation, (.*) s per "
        r"test\. A check runs it 7 times\. The slowest tests: test_slow\[0\.6\], (.*) s; test_slow\[0\.3\], "
        r".* s; test_slow\[0\], 0\.0 s\. Small tensors show the same mistakes as large ones\.",
        line,
    )
    assert told, line
    whole, average, slowest = map(float, told.groups())
    assert whole >= 0.9 and average == pytest.approx(whole / 3, rel=0.2) and slowest >= 0.6


def test_a_suite_too_slow_for_all_its_runs_is_refused_after_the_first(bench: Bench) -> None:
    outcome = _accepts(_with_total(bench, 4, 5.6), SLOW)  # 0.9 s, seven times

    assert outcome.status is Status.TIMEOUT
    assert outcome.sentence.startswith("Your suite is too slow: it takes ")
    assert "all runs together have 5.6 s: 0.8 s for each. The slowest tests: test_slow[0.6], 0." in (
        outcome.sentence
    )
    assert (outcome.case, outcome.topic) == ("test_slow[0.6]", "time")
    bench.outcomes["accepts"] = outcome
    assert mutation_score.check(bench, _silent).sentence == (
        f"{NOT_JUDGED}: tests that take too long with correct code are not run against wrong code."
    )


def test_a_suite_that_is_slow_with_wrong_implementations_alone_is_stopped(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suites, "processors", lambda: 1)
    waiting = "import op\ndef test_zero():\n    while op.twice(0) != 0 or op.twice(1) != 2: pass\n"
    (bench.files / "test_op.py").write_text(waiting)

    outcome = mutation_score.check(_with_total(bench, 1, 0.5), _silent)  # the first of three takes all of it

    assert (outcome.status, outcome.topic, outcome.share) == (Status.TIMEOUT, "time", None)
    assert outcome.sentence.startswith(
        "Your tests ran against 1 of 3 wrong implementations. Then the 0.5 s of processor time"
    )


def test_a_check_tells_how_many_implementations_are_done(bench: Bench) -> None:
    (bench.files / "test_op.py").write_text(GOOD)
    said: list[str] = []

    mutation_score.check(bench, said.append)

    for what in ("compiled", "tested"):
        told = [each for each in said if each.endswith(what)]
        assert told == [f"{number} of 3 implementations {what}" for number in range(4)]


@pytest.mark.parametrize(
    ("old", "new", "seen"),
    [
        ('RuntimeError, match="must not"', 'RuntimeError, match="x"', False),
        ('RuntimeError, match="must not"', 'Exception, match="must not"', False),
        ('RuntimeError, match="must not"', 'RuntimeError, match="must not"', True),
    ],
)
def test_a_planted_refusal_judges_what_a_suite_demands_of_one(
    bench: Bench, exercise: Exercise, old: str, new: str, seen: bool
) -> None:
    """No pattern of the suite is read: implementations that refuse in the wrong way show what it accepts."""
    planted = """
[[mutant]]
class = "refusal"
name = "a letter of another word"
file = "op.py"
find = 'f"x must not be negative, but is {x}"'
replace = '"unexpected"'

[[mutant]]
class = "refusal"
name = "another class"
file = "op.py"
find = "raise RuntimeError("
replace = "raise ValueError("
"""
    path = exercise.solution_dir / "hidden.toml"
    path.write_text(path.read_text() + planted)
    suite = GOOD.replace('RuntimeError, match="x"', old)
    assert suite.count(old) == 1
    _accepts(bench, suite.replace(old, new))

    outcome = mutation_score.check(bench, _silent)

    assert outcome.lines == (() if seen else ("Bad input (1 of 4 not seen): Look at the message.",))


def test_a_suite_that_fails_now_and_then_is_told_so(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left from the first run makes the second one fail; they run one after the other here."""
    monkeypatch.setattr(suites, "processors", lambda: 1)
    once = f"""
import os
def test_once():
    os.mkdir({str(bench.scratch / "seen")!r})
"""
    outcome = _accepts(bench, once)
    assert outcome.sentence.startswith(
        "test_op.py:4: Your suite passes for the given implementation once, and fails another time: "
        'test_once says "FileExistsError'
    )


def test_without_the_solution_the_published_mistakes_judge(bench: Bench, exercise: Exercise) -> None:
    exercise.solution_dir.rename(exercise.solution_dir.with_name("elsewhere"))
    accepted = _accepts(bench, GOOD)
    assert accepted.sentence.startswith(
        "5 tests: the implementation that you were given, the only correct one"
    )

    outcome = mutation_score.check(bench, _silent)

    assert outcome.sentence.startswith("Your suite finds all 1 mistake, of 1 class. These are the published")


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('class = "zero"', 'class = "none"', "It must be one of zero, refusal."),
        ("[accepted.added]", "[accepted.missing]", "accepted.added is missing"),
        ('find = "x < 0"', 'find = "x < 1"', "matches 0 times in op.py"),
        ('name = "an accident"', 'name = "one at least"', "two mutants are called 'one at least'"),
        ('file = "op.py"\nfind = "x < 0"', 'file = "test_op.py"\nfind = "x < 0"', "It must edit a file"),
        ("[classes.zero]", '[classes.two]\ntitle = "t"\nsee = "s"\n[classes.zero]', "two has no mutant"),
    ],
)  # fmt: skip
def test_a_wrong_collection_is_named_with_its_file(
    exercise: Exercise, old: str, new: str, sentence: str
) -> None:
    path = exercise.solution_dir / "hidden.toml"
    assert path.read_text().count(old) == 1
    path.write_text(path.read_text().replace(old, new))

    with pytest.raises(BrokenExercise) as raised:
        collection(exercise)

    assert sentence in str(raised.value)


def test_an_accepted_implementation_holds_files_of_the_given_one(exercise: Exercise) -> None:
    (exercise.solution_dir / "accepted" / "added" / "more.py").write_text("")
    with pytest.raises(BrokenExercise, match=r"holds more\.py"):
        collection(exercise)


@pytest.mark.parametrize(
    ("at_random", "said"),
    [
        (
            False,
            "passes for the given implementation, and refuses it where every time is a million times as "
            'long: test_time says "too slow". No number of milliseconds is right',
        ),
        (True, "passes for the given implementation once, and fails another time: "),
    ],
)
def test_a_number_of_milliseconds_is_told_from_a_test_that_fails_at_random(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, at_random: bool, said: str
) -> None:
    passed, failed = suites.Run(passed=1), suites.Run(failures=(suites.Failure("test_time", 3, "too slow"),))

    def runs(
        bench: Bench, implementations: Sequence[object], *_: object, slowness: Sequence[float] = ()
    ) -> list[suites.Run]:
        if not slowness:
            return [failed if at_random else passed] * len(implementations)
        return [failed if each > 1 else passed for each in slowness]

    monkeypatch.setattr(acceptance, "run_all", runs)
    outcome = _accepts(bench, "def test_time():\n    spent = begin.elapsed_time(end)\n    assert spent < 1\n")
    assert outcome.sentence.startswith(f"test_op.py:3: Your suite {said}")
    assert (outcome.status, outcome.topic) == (Status.FAIL, "flaky")


def test_the_times_of_events_are_those_of_another_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    class Event:
        def elapsed_time(self, end_event: object) -> float:
            return 0.25

    monkeypatch.setattr(torch.cuda, "Event", Event)
    inside._slow_down_events(1e6)
    assert Event().elapsed_time(Event()) == 250_000


def test_random_numbers_without_a_seed_are_others_in_every_run(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two new processes draw the same ones otherwise, and this test would pass in both."""
    monkeypatch.setattr(suites, "processors", lambda: 1)  # one after the other
    drawn = str(bench.scratch / "drawn")
    outcome = _accepts(
        bench,
        f"""
import pathlib
import torch
def test_drawn():
    kept, number = pathlib.Path({drawn!r}), str(torch.rand(()).item())
    other = kept.read_text() if kept.exists() else number
    kept.write_text(number)
    assert number == other
""",
    )
    assert "passes for the given implementation once, and fails another time" in outcome.sentence


@pytest.mark.parametrize(("left", "looks"), [([100], 1), ([300, 200, 90], 3), ([300] * 50, 20)])
def test_the_next_test_begins_when_autograd_has_let_go(
    left: list[int], looks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its threads free what they hold a moment after backward; a test that counts memory must not see it."""
    recorder = inside.Recorder("test_op.py", 1.0, 1.0, first=False)
    monkeypatch.setattr(torch.cuda, "memory_allocated", lambda: 100)
    recorder.pytest_runtest_logstart("test_op.py::test_memory")
    seen = iter(left)
    asked: list[int] = []
    monkeypatch.setattr(torch.cuda, "memory_allocated", lambda: asked.append(next(seen)) or asked[-1])
    recorder.pytest_runtest_logfinish()
    assert len(asked) == looks
