"""What `grader class grade` refuses, shows and sums up; and which GPUs it locks."""

from __future__ import annotations

import errno
import multiprocessing
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from grader.cli.grade_class import GradeOptions, grade_class, local_settings, require_sandbox
from grader.cli.grading_screen import _ENDED, BatchScreen, print_summary
from grader.cli.term import MarksOptions
from grader.course.catalog import Catalog
from grader.instruct.batch import Ended, Item, ItemOutcome, items_of, summarise
from grader.instruct.batch.grading import exclusive_gpu
from grader.instruct.batch.summary import NO_ROSTER
from grader.instruct.results import Record, ResultStore
from grader.instruct.submissions import read_submissions
from grader.support.errors import InfrastructureError, UsageError
from grader.support.gpus import Gpu, parse, visible_gpus
from grader.verdict import CheckResult, Status, Verdict, overall
from tests.unit.failing_disk import fail_to_open
from tests.unit.fake_batch import hand_in

ROOT = Path(__file__).resolve().parents[2]


def named(count: int) -> list[str]:
    return [f"s{number:02}" for number in range(count)]


def items_in(catalog: Catalog, submitted: Path) -> list[Item]:
    return items_of(read_submissions(submitted, catalog), catalog, lambda exercise: "simt")


def outcome_of(items: Sequence[Item], *checks: CheckResult) -> ItemOutcome:
    """Everybody gets a verdict of these checks."""
    return ItemOutcome({
        item.key: Record.now(item.key, Verdict(item.exercise.slug, "", "simt", 1, checks)) for item in items
    })  # fmt: skip


# ---- summary -------------------------------------------------------------------------------------------


def test_points_are_averaged_as_a_share(toy_catalog: Catalog, tmp_path: Path) -> None:
    items = items_in(toy_catalog, hand_in(toy_catalog, tmp_path / "submitted", ["anna", "bert"]))
    [first, second] = [item for item in items if item.exercise.number == 0]
    outcome = outcome_of([first], CheckResult("correctness", Status.FAIL, "No.", 20.0, 80.0))
    outcome.records |= outcome_of(
        [second], CheckResult("correctness", Status.PASS, "Yes.", 80.0, 80.0)
    ).records
    [found] = summarise([first, second], outcome).exercises
    assert (found.judged, found.mean) == (2, 0.625)
    assert found.statuses == {Status.FAIL: 1, Status.PASS: 1}


def test_what_a_person_has_to_look_at(toy_catalog: Catalog, tmp_path: Path) -> None:
    submitted = hand_in(toy_catalog, tmp_path / "submitted", ["anna", "bert"])
    items = [item for item in items_in(toy_catalog, submitted) if item.exercise.number == 0]
    anna, bert = items
    link = anna.submission.folder / anna.exercise.edit[0]
    link.unlink()
    link.symlink_to("/etc/hostname")
    undecided = CheckResult("performance", Status.INCONCLUSIVE, "Too noisy.", 0.0, 20.0)
    refused = CheckResult("build", Status.FAIL, "kernel.cu includes <thread>.")
    outcome = outcome_of([bert], undecided, refused)
    outcome.failed[anna.key] = "The disk is full."
    told = {(notice.student, notice.sentence) for notice in summarise(items, outcome).notices}
    assert told == {
        ("anna", "Not judged: The disk is full."),
        ("anna", f"Not taken: {anna.exercise.edit[0]} is a link or is behind one."),
        ("bert", "`performance` could not be decided: Too noisy."),
        ("bert", "Refused by the audit: kernel.cu includes <thread>."),
        ("bert", "Nothing of it could be judged on this backend."),
    }


def test_an_id_that_no_roster_has_is_for_a_person(toy_catalog: Catalog, tmp_path: Path) -> None:
    submitted = hand_in(toy_catalog, tmp_path / "submitted", ["anna", "root"])
    items = [item for item in items_in(toy_catalog, submitted) if item.exercise.number == 0]
    outcome = outcome_of(items, CheckResult("correctness", Status.PASS, "Right.", 100.0, 100.0))
    notices = summarise(items, outcome, lambda student: student == "anna").notices
    assert [(notice.student, notice.sentence) for notice in notices] == [("root", NO_ROSTER)]


def test_a_disk_that_fails_costs_no_summary(
    toy_catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    submitted = hand_in(toy_catalog, tmp_path / "submitted", ["anna"])
    items = [item for item in items_in(toy_catalog, submitted) if item.exercise.number == 0]
    outcome = outcome_of([], CheckResult("build", Status.PASS, "Built."))
    outcome.failed[items[0].key] = "The disk failed."
    fail_to_open(monkeypatch, "kernel.cu", errno.EIO)
    told = [notice.sentence for notice in summarise(items, outcome).notices]
    assert told == ["Not judged: The disk failed."]


def test_results_of_others_are_listed_for_a_person(toy_catalog: Catalog, tmp_path: Path) -> None:
    items = items_in(toy_catalog, hand_in(toy_catalog, tmp_path / "submitted", ["anna"]))[:1]
    who = "aten::mm computed them"
    failed = (
        CheckResult(name, Status.FAIL, "Right, but.", 0.0, 20.0, not_own=who)
        for name in ("correctness", "safety")
    )
    passed = CheckResult("gradient", Status.PASS, "Right.", 20.0, 20.0)
    told = [notice.sentence for notice in summarise(items, outcome_of(items, *failed, passed)).notices]
    assert told == [f"Results are not its kernels' work: {who} (`correctness`, `safety`)."]


def test_what_somebody_wrote_steers_no_terminal(toy_catalog: Catalog, tmp_path: Path) -> None:
    items = items_in(toy_catalog, hand_in(toy_catalog, tmp_path / "submitted", ["anna"]))
    refused = CheckResult("build", Status.FAIL, "kernel.cu includes <x\x1b]52;c;ZXZpbA==\x07>.")
    told = [notice.sentence for notice in summarise(items, outcome_of(items, refused)).notices]
    assert "Refused by the audit: kernel.cu includes <x\ufffd]52;c;ZXZpbA==\ufffd>." in told


@pytest.mark.parametrize(("students", "suspected"), [(9, False), (10, True)])
def test_a_check_that_nobody_passes_is_suspected(
    students: int, suspected: bool, toy_catalog: Catalog, tmp_path: Path
) -> None:
    items = items_in(toy_catalog, hand_in(toy_catalog, tmp_path / "submitted", named(students)))
    check = CheckResult("gradient", Status.FAIL, "Wrong.", 0.0, 20.0)
    right = CheckResult("correctness", Status.PASS, "Right.", 40.0, 40.0)
    told = [notice.sentence for notice in summarise(items, outcome_of(items, check, right)).notices]
    sentence = f"None of {students} passed `gradient`: is the exercise itself right?"
    assert told == [sentence] * len(toy_catalog.exercises) * suspected


def test_the_summary_in_sentences(
    toy_catalog: Catalog, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    items = items_in(toy_catalog, hand_in(toy_catalog, tmp_path / "submitted", ["anna", "bert"]))
    outcome = outcome_of(items, CheckResult("correctness", Status.PASS, "Right.", 40.0, 40.0))
    print_summary(summarise(items, outcome))
    printed = capsys.readouterr().out
    assert "00_negate: 2 of 2 judged, with 100 % of the points on average: 2 passed.\n" in printed
    assert printed.endswith("\nNothing needs a person.\n")


def test_every_way_in_which_a_kept_verdict_ends_has_its_words() -> None:
    statuses = {status for status in Status if status is not Status.INFRA_ERROR}
    overall_statuses = {overall({status}) for status in statuses}
    assert overall_statuses <= _ENDED.keys() and len(set(_ENDED.values())) == len(_ENDED)


# ---- progress ------------------------------------------------------------------------------------------


def test_a_log_gets_lines_and_no_bar(
    toy_catalog: Catalog, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("grader.cli.grading_screen._SILENCE_SECONDS", 0.0)
    items = items_in(toy_catalog, hand_in(toy_catalog, tmp_path / "submitted", ["anna"]))
    records = outcome_of(items).records
    with BatchScreen() as screen:
        screen.begin(items, 3, 1)
        for item in items:
            screen.ended(Ended(item, records[item.key], 30.0))
        screen.close(ItemOutcome(records, {}, len(items), 60.0))
    begun, first, second, closed = capsys.readouterr().err.splitlines()
    assert begun == ("2 submissions to grade; 3 are there from before; 1 more has the files of one of these.")
    assert (first, second) == ("1 of 2 graded.", "2 of 2 graded.")
    assert closed == "2 of 2 graded in 1.0 min, 2 a minute."


# ---- the command ---------------------------------------------------------------------------------------


def course_file(folder: Path) -> Path:
    (folder / "course.toml").write_text(
        'title = "Kernels"\n[assignments.00_negate]\n[assignments.01_muladd]\nbackend = "cuda"\n'
    )
    return folder


def test_without_bubblewrap_nothing_is_graded(
    toy_catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in(toy_catalog, tmp_path / "submitted", ["anna"])
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match=r"no `bwrap` on PATH.*--trust-submissions"):
        grade_class(MarksOptions(course_file(tmp_path), toy_catalog.course), GradeOptions())
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: No permissions to create a new namespace' >&2\nexit 1\n")
    broken.chmod(0o755)
    with pytest.raises(UsageError, match="it does not work here: bwrap: No permissions"):
        require_sandbox()
    assert not (tmp_path / "results").exists()


def graded(catalog: Catalog, folder: Path, monkeypatch: pytest.MonkeyPatch, request: MarksOptions,
           share: str = "") -> list[str]:  # fmt: skip
    """EXERCISE/STUDENT on BACKEND, of what would be graded."""
    seen: list[str] = []

    def run(items: Sequence[Item], *_: object, **__: object) -> ItemOutcome:
        seen.extend(f"{item.exercise.slug}/{item.submission.student} {item.backend}" for item in items)
        return ItemOutcome({})

    monkeypatch.setattr("grader.cli.grade_class.run_batch", run)
    monkeypatch.setattr("grader.cli.grade_class.local_settings", lambda *_: None)
    assert grade_class(request, GradeOptions(trust=True, share=share)) == 0
    return seen


def test_exercises_students_and_backends_of_record(
    toy_catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in(toy_catalog, course_file(tmp_path) / "submitted", ["anna", "bert"])
    monkeypatch.setattr("grader.instruct.batch.driver.batch_key", lambda *_: None)
    monkeypatch.setenv("CU2GRAD_BACKEND", "cuda")

    def asked(students: Sequence[str], names: Sequence[str]) -> list[str]:
        request = MarksOptions(tmp_path / "submitted", toy_catalog.course, tuple(students), tuple(names))
        return graded(toy_catalog, tmp_path, monkeypatch, request)

    first = ["00_negate/anna simt", "00_negate/bert simt"]
    assert asked((), ()) == [*first, "01_muladd/anna cuda", "01_muladd/bert cuda"]
    assert asked((), ["0"]) == first
    assert asked(["anna"], ["0"]) == first[:1]
    assert asked(["bert"], ()) == ["00_negate/bert simt", "01_muladd/bert cuda"]


def test_shares_take_everybody_once(
    toy_catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in(toy_catalog, course_file(tmp_path) / "submitted", named(20))
    monkeypatch.setattr("grader.instruct.batch.driver.batch_key", lambda *_: None)
    request = MarksOptions(tmp_path, toy_catalog.course)
    shares = [graded(toy_catalog, tmp_path, monkeypatch, request, f"{each}/3") for each in range(3)]
    everything = graded(toy_catalog, tmp_path, monkeypatch, request)
    assert sorted(name for share in shares for name in share) == sorted(everything)
    assert len(everything) == 40 and all(shares)
    for wrong in ("3/3", "a/3", "1"):
        with pytest.raises(UsageError, match="--share"):
            graded(toy_catalog, tmp_path, monkeypatch, request, wrong)


@pytest.mark.slow("grades a class")
def test_a_class_is_graded_in_the_sandbox(toy_catalog: Catalog, tmp_path: Path) -> None:
    """The whole command, with a compiler: one right, one wrong, one that does not compile, one stub."""
    if shutil.which("bwrap") is None:
        pytest.skip("bwrap is not installed: apt install bubblewrap")
    try:
        require_sandbox()
    except UsageError as refusal:
        pytest.skip(refusal.what)
    exercise = toy_catalog.find("00")
    submitted = hand_in(toy_catalog, tmp_path / "submitted", ["right", "wrong", "broken", "stub"])
    for student in ("right", "wrong", "broken", "stub"):
        shutil.rmtree(submitted / student / "01_muladd")
    kernel = Path(exercise.slug) / exercise.edit[0]
    text = (submitted / "wrong" / kernel).read_text()
    (submitted / "wrong" / kernel).write_text(text.replace("= -", "= 2 * "))
    (submitted / "broken" / kernel).write_text(text + "int broken(\n")
    for name in exercise.edit:
        shutil.copy(exercise.root / name, submitted / "stub" / exercise.slug / name)
    course_file(tmp_path)
    command = [sys.executable, "-m", "grader", "class", "grade", "--class", str(tmp_path), "--plain"]
    command += ["--course", str(toy_catalog.course)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (
        "00_negate: 4 of 4 judged" in done.stdout
        and "1 passed" in done.stdout
        and "1 did not build" in done.stdout
        and "1 left a TODO open" in done.stdout
    )
    assert "4 of 4 graded" in done.stderr
    again = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert "0 submissions to grade; 4 are there from before." in again.stderr
    assert again.stdout == done.stdout


# ---- GPUs ----------------------------------------------------------------------------------------------

LISTING = """\
GPU 0: NVIDIA H200 (UUID: GPU-aaaa1111-0000-0000-0000-000000000000)
GPU 1: NVIDIA H200 (UUID: GPU-bbbb2222-0000-0000-0000-000000000000)
  MIG 1g.18gb     Device  0: (UUID: MIG-cccc3333-0000-0000-0000-000000000000)
  MIG 3g.71gb     Device  1: (UUID: MIG-dddd4444-0000-0000-0000-000000000000)
"""


@pytest.fixture
def nvidia_smi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bin" / "nvidia-smi"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\ncat <<'END'\n{LISTING}END\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)


def test_gpus_are_known_by_their_uuids() -> None:
    whole, small, large = parse(LISTING)
    assert whole == Gpu("GPU-aaaa1111-0000-0000-0000-000000000000", "NVIDIA H200")
    assert (small.uuid[:8], small.name) == ("MIG-cccc", "NVIDIA H200 MIG 1g.18gb")
    assert large.name == "NVIDIA H200 MIG 3g.71gb"
    assert parse("") == ()


@pytest.mark.parametrize(
    ("visible", "shown"),
    [
        ("0", ["GPU-aaaa"]),
        ("2,0", ["MIG-dddd", "GPU-aaaa"]),
        ("GPU-aaaa1111", ["GPU-aaaa"]),
        ("MIG-dddd4444-0000-0000-0000-000000000000", ["MIG-dddd"]),
        ("0,-1,1", ["GPU-aaaa"]),
        ("", []),
    ],
)
@pytest.mark.usefixtures("nvidia_smi")
def test_an_index_and_a_uuid_name_the_same_gpu(visible: str, shown: list[str]) -> None:
    assert [gpu.uuid[:8] for gpu in visible_gpus({"CUDA_VISIBLE_DEVICES": visible})] == shown


@pytest.mark.usefixtures("nvidia_smi")
def test_a_gpu_that_is_not_there_is_no_gpu_that_is_free() -> None:
    with pytest.raises(InfrastructureError, match="CUDA_VISIBLE_DEVICES names '7'"):
        visible_gpus({"CUDA_VISIBLE_DEVICES": "7"})


def hold_and_count(locks: str, visible: str, inside: str) -> None:
    os.environ["CUDA_VISIBLE_DEVICES"] = visible
    for _ in range(20):
        with exclusive_gpu(Path(locks)):
            mark = Path(inside)
            mark.touch(exist_ok=False)  # two at once: the second would fail here
            mark.unlink()


@pytest.mark.usefixtures("nvidia_smi")
def test_one_submission_per_gpu_whatever_the_gpu_is_called(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    locks, inside = str(tmp_path / "locks"), str(tmp_path / "inside")
    names = ("0", "GPU-aaaa1111", "0,2")  # all of them the first GPU
    holders = [context.Process(target=hold_and_count, args=(locks, name, inside)) for name in names]
    for holder in holders:
        holder.start()
    for holder in holders:
        holder.join()
    assert [holder.exitcode for holder in holders] == [0, 0, 0]


@pytest.mark.usefixtures("nvidia_smi")
def test_lanes_share_the_gpus_of_one_model(
    toy_catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("grader.cli.grade_class.processors", lambda: 64)
    submitted = hand_in(toy_catalog, tmp_path / "submitted", ["anna"])
    items = items_of(read_submissions(submitted, toy_catalog), toy_catalog, lambda exercise: "cuda")
    assert {item.key.device for item in items} == {"NVIDIA H200"}
    settings = local_settings(GradeOptions(), ResultStore(tmp_path / "results"), items)
    assert [uuid[:8] for uuid in settings.gpus] == ["GPU-aaaa"], "the parts of another GPU are other models"
    assert settings.jobs == 4
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "-1")
    with pytest.raises(InfrastructureError, match="No GPU was found"):
        local_settings(GradeOptions(), ResultStore(tmp_path / "results"), items)
