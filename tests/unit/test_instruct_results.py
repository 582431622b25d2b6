"""Records, keys and the log: what is found out is kept once, and under a name that says what it is about."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import stat
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path

import pytest

from grader.course.catalog import Catalog, Exercise
from grader.instruct.results import Key, Record, ResultStore, VerdictLog, key_of
from grader.instruct.results.lines import Lines
from grader.instruct.submissions import Submission
from grader.support.errors import UsageError
from grader.verdict import CheckResult, Status, Verdict

KEY = Key("ab" * 32, "00_negate", "1:0123456789ab", "0.1.0:ba9876543210", "simt")


def record(points: float = 30.0, key: Key = KEY, attempt: int = 1) -> Record:
    check = CheckResult("correctness", Status.FAIL, "“0” was expected.", points, 40.0)
    return Record.now(key, Verdict("00_negate", "Negate", "simt", 5, (check,)), attempt)


@pytest.fixture
def store(tmp_path: Path) -> ResultStore:
    return ResultStore(tmp_path / "results")


@pytest.fixture
def handed_in(solved_course: Catalog, tmp_path: Path) -> tuple[Submission, Exercise]:
    exercise = solved_course.find("00")
    folder = tmp_path / "submitted" / "anna" / exercise.slug
    shutil.copytree(exercise.root, folder)
    return Submission("anna", exercise.slug, folder), exercise


# ---- keys ----------------------------------------------------------------------------------------------


def test_every_field_of_a_key_is_in_its_name() -> None:
    names = {replace(KEY, **{each.name: "other"}).name for each in fields(Key)}
    assert len(names | {KEY.name}) == len(fields(Key)) + 1
    assert replace(KEY, digest=KEY.digest).name == KEY.name


def test_a_key_follows_what_is_graded_and_nothing_else(handed_in: tuple[Submission, Exercise]) -> None:
    submission, exercise = handed_in
    key = key_of(submission, exercise, "simt")
    for name in exercise.given:
        (submission.folder / name).write_text("what a learner did to a given file")
    (submission.folder / "notes.txt").write_text("a file of the learner's own")
    assert key_of(replace(submission, student="bert"), exercise, "simt") == key
    edited = submission.folder / exercise.edit[0]
    edited.write_text(edited.read_text() + "\n")
    assert key_of(submission, exercise, "simt").digest != key.digest
    edited.unlink()
    assert key_of(submission, exercise, "simt").digest != key.digest
    assert key_of(submission, exercise, "cuda", "H200").device == "H200"


def test_the_exercises_version_follows_its_own_files(handed_in: tuple[Submission, Exercise]) -> None:
    submission, exercise = handed_in

    def version() -> str:
        return key_of(submission, exercise, "simt").exercise_version

    first = version()
    assert first.startswith(f"{exercise.version}:")
    (exercise.root / exercise.edit[0]).write_text("what somebody wrote into the course folder")
    exercise.hints_path.write_text("another hint")
    assert version() == first
    exercise.spec_path.write_text(exercise.spec_path.read_text() + "\n")
    second = version()
    solution = exercise.solution_dir / exercise.edit[0]
    solution.write_text(f"// another first line of the stub\n{solution.read_text()}")
    assert len({first, second, version()}) == 3


# ---- the store -----------------------------------------------------------------------------------------


def test_a_record_is_kept_as_it_is(store: ResultStore) -> None:
    kept = record()
    assert store.find(KEY) is None
    assert store.keep(kept) == kept == store.find(KEY)
    assert list(store.all()) == [kept]


def test_the_first_writer_wins(store: ResultStore) -> None:
    first = store.keep(record(30.0))
    assert store.keep(record(10.0)) == first == store.find(KEY)


def test_a_regrade_replaces_the_record_and_keeps_the_old_one(store: ResultStore) -> None:
    first = store.keep(record(30.0))
    second = store.replace(record(10.0, attempt=2))
    assert store.find(KEY) == second
    (superseded,) = (store.folder / "superseded").iterdir()
    assert Record.from_json(superseded.read_text()) == first


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b'{"schema_version": 99}'])
def test_a_damaged_record_is_none_and_is_set_aside(store: ResultStore, content: bytes) -> None:
    store.keep(record())
    (path,) = (store.folder / "records").iterdir()
    path.write_bytes(content)
    assert store.find(KEY) is None
    with pytest.raises(UsageError, match=KEY.name):
        list(store.all())
    again = record(12.0)
    assert store.keep(again) == again == store.find(KEY)
    assert path.with_suffix(".damaged").read_bytes() == content


def test_a_record_under_the_name_of_another_key_is_none(store: ResultStore) -> None:
    store.keep(record())
    other = replace(KEY, digest="cd" * 32)
    (store.folder / "records" / f"{KEY.name}.json").rename(store.folder / "records" / f"{other.name}.json")
    assert store.find(other) is None


def keep_and_say(folder: str, points: int, told: multiprocessing.SimpleQueue[float]) -> None:
    told.put(ResultStore(Path(folder)).keep(record(points)).verdict.earned)


def test_of_many_writers_at_once_all_hear_of_the_same_record(store: ResultStore) -> None:
    context = multiprocessing.get_context("fork")
    told: multiprocessing.SimpleQueue[float] = context.SimpleQueue()
    writers = [context.Process(target=keep_and_say, args=(str(store.folder), n, told)) for n in range(1, 9)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    kept = store.find(KEY)
    assert kept is not None
    assert {told.get() for _ in writers} == {kept.verdict.earned}
    assert [path.name for path in (store.folder / "records").iterdir()] == [f"{KEY.name}.json"]


def test_what_is_kept_is_not_for_everybody(store: ResultStore) -> None:
    store.keep(record())
    store.log.append(record(), store.secret.pseudonym("anna"))
    files = [path for path in store.folder.rglob("*") if path.is_file()]
    assert {path.name for path in files} == {f"{KEY.name}.json", "verdicts.jsonl", "secret"}
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    folders = [store.folder, *(path for path in store.folder.rglob("*") if path.is_dir())]
    assert {stat.S_IMODE(path.stat().st_mode) for path in folders} == {0o700}


def test_a_folder_that_is_there_keeps_its_mode(store: ResultStore) -> None:
    store.folder.mkdir(mode=0o750)
    with store.claim(KEY):
        pass
    assert stat.S_IMODE(store.folder.stat().st_mode) == 0o750
    assert stat.S_IMODE((store.folder / "locks").stat().st_mode) == 0o700


# ---- the secret ----------------------------------------------------------------------------------------


def test_seeds_and_pseudonyms_follow_from_the_secret(store: ResultStore, tmp_path: Path) -> None:
    again, elsewhere = ResultStore(store.folder), ResultStore(tmp_path / "other")
    assert store.secret.seed(KEY) == again.secret.seed(KEY) != elsewhere.secret.seed(KEY)
    assert 0 <= store.secret.seed(KEY) < 2**48
    assert store.secret.seed(KEY) != store.secret.seed(replace(KEY, digest="cd" * 32))
    name = store.secret.pseudonym("anna")
    assert name == again.secret.pseudonym("anna") != elsewhere.secret.pseudonym("anna")
    assert len(name) == 12 and "anna" not in name


@pytest.mark.parametrize("content", [b"", b"00ff\n", b"no digits\n", b"\xff\xfe"])
def test_a_damaged_secret_is_told_and_not_replaced(store: ResultStore, content: bytes) -> None:
    store.folder.mkdir()
    (store.folder / "secret").write_bytes(content)
    with pytest.raises(UsageError, match="Restore it from a backup"):
        store.secret.seed(KEY)
    assert (store.folder / "secret").read_bytes() == content


@pytest.mark.parametrize("name", ["roster.csv", "released.jsonl"])
def test_a_lost_secret_is_not_drawn_anew_under_what_was_written_with_it(
    store: ResultStore, name: str
) -> None:
    store.folder.mkdir()
    (store.folder / name).write_text("")  # as it is when everybody was forgotten
    store.secret.seed(KEY)
    (store.folder / "secret").unlink()
    (store.folder / name).write_text("something\n")
    with pytest.raises(UsageError, match=f"secret is missing, and {name} was written with it"):
        ResultStore(store.folder).secret.pseudonym("anna")
    assert not (store.folder / "secret").exists()


# ---- the log -------------------------------------------------------------------------------------------


@pytest.fixture
def log(tmp_path: Path) -> Iterator[VerdictLog]:
    log = VerdictLog(tmp_path / "verdicts.jsonl")
    yield log
    assert log.path.read_bytes().endswith(b"\n")


def test_the_log_says_what_was_found_out_and_when(log: VerdictLog) -> None:
    kept = record(30.0, attempt=2)
    log.append(kept, "6d51e3859567")
    (entry,) = log.entries()
    assert (entry.record, entry.student, entry.status) == (KEY.name, "6d51e3859567", "fail")
    assert (entry.earned, entry.out_of, entry.seed, entry.attempt) == (30.0, 40.0, 5, 2)
    assert entry.graded == kept.graded and entry.graded.endswith("+00:00")


def test_a_clock_that_was_set_back_does_not_reorder_gradings(log: VerdictLog) -> None:
    """Of several records of the same files, the one that was graded last counts."""
    assert log.newest() == ""
    ahead = replace(record(), graded="2999-01-01T00:00:00.000+00:00")
    log.append(ahead, "p")
    later = Record.now(ahead.key, ahead.verdict, after=log.newest())
    assert later.graded == "2999-01-01T00:00:00.001+00:00"
    assert Record.now(ahead.key, ahead.verdict, after="1999-01-01T00:00:00.000+00:00").graded[:2] == "20"
    with log.path.open("ab") as file:
        file.write(b'{"graded": "torn')
    assert log.newest() == ahead.graded
    log.path.write_bytes(b"no document\n")
    assert log.newest() == ""


def test_a_torn_last_line_is_no_entry_and_the_next_one_mends_it(log: VerdictLog) -> None:
    log.append(record(1.0), "a" * 12)
    log.append(record(2.0), "b" * 12)
    whole = log.path.read_bytes()
    for length in range(whole.index(b"\n") + 1, len(whole)):  # wherever a kill may have cut it
        log.path.write_bytes(whole[:length])
        assert [entry.earned for entry in log.entries()] == [1.0]
    log.append(record(3.0), "c" * 12)
    assert [entry.earned for entry in log.entries()] == [1.0, 3.0]


def test_a_line_torn_inside_a_character_is_mended_like_any_other(tmp_path: Path) -> None:
    lines = Lines(tmp_path / "log.jsonl")
    lines.append({"by": "kim"})
    whole = lines.path.read_bytes()
    lines.path.write_bytes(whole + '{"by": "Zo\u00eb'.encode()[:-1])
    assert [line for _, line in lines] == [{"by": "kim"}]
    lines.path.write_bytes(whole + b'"\xff"\n')
    with pytest.raises(UsageError, match="Line 2"):
        list(lines)
    lines.path.write_bytes(whole)


def test_a_line_that_is_no_entry_is_named(log: VerdictLog) -> None:
    log.append(record(), "a" * 12)
    with log.path.open("a") as stream:
        stream.write("{}\n")
    with pytest.raises(UsageError, match="Line 2"):
        list(log.entries())


def append_many(path: str, count: int) -> None:
    log = VerdictLog(Path(path))
    for _ in range(count):
        log.append(record(), str(os.getpid()))


def test_many_may_append_at_once(log: VerdictLog) -> None:
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=append_many, args=(str(log.path), 20)) for _ in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    by_writer = [entry.student for entry in log.entries()]
    assert sorted(by_writer.count(student) for student in set(by_writer)) == [20] * 4
