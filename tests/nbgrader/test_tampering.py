"""What a hostile or a clumsy hand can do to a submission, and what it changes: nothing."""

from __future__ import annotations

import os
import pwd
import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from grader.instruct.submissions import Submission, timestamps
from grader.verdict import Status
from tests.nbgrader.school import FIRST, NOTEBOOK, SECOND, SLUG, Class, a_verdict

WRONG = a_verdict(correctness=Status.FAIL, safety=Status.FAIL, device_work=Status.FAIL)


def _notebook(folder: Path, change: Callable[[Any], None]) -> None:
    import nbformat

    notebook = nbformat.read(folder / NOTEBOOK, as_version=4)
    change(notebook)
    (folder / NOTEBOOK).write_text(nbformat.writes(notebook))


def extra_cell(folder: Path) -> None:
    from nbformat.v4 import new_code_cell

    cell = new_code_cell("report.points = lambda check: 60.0")
    _notebook(folder, lambda notebook: notebook.cells.insert(2, cell))


def shadowing_module(folder: Path) -> None:
    (folder / "grader.py").write_text("def grade(name): raise SystemExit\n")


def deleted_checks(folder: Path) -> None:
    def delete(notebook: Any) -> None:
        notebook.cells = [cell for cell in notebook.cells if "points" not in cell.source]

    _notebook(folder, delete)


def edited_checks(folder: Path) -> None:
    def edit(notebook: Any) -> None:
        for cell in notebook.cells:
            if "points" in cell.source:
                cell.source = "60.0"
                cell.metadata.nbgrader.update(points=1e9, locked=False)

    _notebook(folder, edit)


def renamed_cells(folder: Path) -> None:
    def rename(notebook: Any) -> None:
        for cell in notebook.cells:
            cell.metadata["nbgrader"] = {"grade_id": ["a", "list"], "schema_version": 99}

    _notebook(folder, rename)


def repeated_ids(folder: Path) -> None:
    _notebook(folder, lambda notebook: notebook.cells.extend(notebook.cells[1:]))


def no_json(folder: Path) -> None:
    (folder / NOTEBOOK).write_bytes(b"\xff\xfe not a notebook")


def json_of_another_kind(folder: Path) -> None:
    (folder / NOTEBOOK).write_text('["cells"]')


def deep_json(folder: Path) -> None:
    (folder / NOTEBOOK).write_text("[" * 100_000)


def markdown_cells(folder: Path) -> None:
    def turn(notebook: Any) -> None:
        for cell in notebook.cells:
            cell.cell_type = "markdown"
            for name in ("outputs", "execution_count"):
                cell.pop(name, None)

    _notebook(folder, turn)


TAMPERINGS = (
    extra_cell, shadowing_module, deleted_checks, edited_checks, renamed_cells, repeated_ids, no_json,
    json_of_another_kind, deep_json, markdown_cells,
)  # fmt: skip


@pytest.mark.parametrize("tamper", TAMPERINGS, ids=lambda tamper: tamper.__name__)
def test_it_changes_no_mark(toys: Class, tamper: Callable[[Path], None]) -> None:
    """Neither upwards, where all is wrong, nor downwards, where all is right."""
    submission = toys.submit("eve", "// wrong\n")
    tamper(submission.folder)
    toys.decide(submission, WRONG)
    done = toys.autograde("eve")
    assert done["success"], done["log"]
    assert toys.grades("eve") == dict.fromkeys(("correctness", "safety", "device_work"), (0.0, False))

    submission = toys.submit("eve", at=SECOND)
    tamper(submission.folder)
    toys.decide(submission, a_verdict())
    assert toys.autograde("eve")["success"]
    assert [points for points, _ in toys.grades("eve").values()] == [60.0, 20.0, 20.0]
    released = [cell.source for cell in _released(toys).cells if cell.cell_type == "markdown"]
    shown = [cell.source for cell in toys.notebook("eve").cells if cell.cell_type == "markdown"]
    assert shown == released


def _released(toys: Class) -> Any:
    import nbformat

    return nbformat.read(toys.folder / "release" / SLUG / NOTEBOOK, as_version=4)


def test_a_link_is_neither_followed_nor_copied(toys: Class) -> None:
    secret = toys.folder / "gradebook.db"
    submission = toys.submit("eve")
    folder = submission.folder
    (folder / "kernel.cu").unlink()
    (folder / "kernel.cu").symlink_to(secret)
    (folder / "notes").mkdir()
    (folder / "notes" / "zero").symlink_to("/dev/zero")
    (folder / "home").symlink_to(Path.home())
    os.mkfifo(folder / "pipe")
    toys.decide(submission, WRONG)
    done = toys.autograde("eve")
    assert done["success"], done["log"]
    copied = {path.name for path in (toys.folder / "autograded" / "eve").rglob("*")}
    assert not copied & {"kernel.cu", "zero", "home", "pipe"}
    assert {path.name for path in folder.rglob("*")} == {NOTEBOOK, "timestamp.txt", "notes"}
    assert secret.is_file()
    assert toys.cell("eve", "file-kernel-cu").source == "# kernel.cu was not handed in."


def test_a_link_in_the_place_of_the_notebook(toys: Class) -> None:
    """nbgrader has listed it before anything of ours runs; what it leads to is not read."""
    submission = toys.submit("eve")
    other = toys.submit("ada")
    (submission.folder / NOTEBOOK).unlink()
    (submission.folder / NOTEBOOK).symlink_to(other.folder / NOTEBOOK)
    toys.decide(submission, WRONG)
    done = toys.autograde("eve")
    assert done["success"], done["log"]
    assert [points for points, _ in toys.grades("eve").values()] == [0.0, 0.0, 0.0]
    assert (other.folder / NOTEBOOK).is_file()


def _handed_in(toys: Class, student: str, at: str = FIRST) -> Path:
    """A folder in the exchange's inbound, where everybody can write."""
    folder = toys.top / "exchange" / "toys" / "inbound" / f"{student}+{SLUG}+{at}+x"
    folder.mkdir(parents=True)
    (folder / "kernel.cu").write_text(toys.solution())
    shutil.copy(toys.folder / "release" / SLUG / NOTEBOOK, folder)
    return folder


def test_the_same_files_handed_in_again_have_the_newer_time_and_secret(toys: Class) -> None:
    """The learner's nbgrader looks for the feedback of the newest by that."""
    for at, secret in ((FIRST, "5ec2e7"), (SECOND, "2ec5e7")):
        (_handed_in(toys, "ada", at) / "submission_secret.txt").write_text(secret)
        toys.command("CollectApp", SLUG, "--update")
    collected = toys.folder / "submitted" / "ada" / SLUG
    assert (collected / "submission_secret.txt").read_text() == "2ec5e7"
    assert (collected / "timestamp.txt").read_text() == SECOND


@pytest.mark.parametrize(
    "written",
    [
        b"yesterday",
        b"\xff\xfe",
        b"",
        b"99999999999 UTC",
        b"0001-01-01 00:00:00 +1400",
        b"2026-10-01 12:00:00 CEST",
    ],
)
def test_an_unreadable_timestamp_is_that_of_the_exchange(toys: Class, written: bytes) -> None:
    """Otherwise it cannot be autograded, and the grade of an earlier submission stays."""
    (_handed_in(toys, "eve") / "timestamp.txt").write_bytes(written)
    toys.command("CollectApp", SLUG)
    collected = toys.folder / "submitted" / "eve" / SLUG
    assert (collected / "timestamp.txt").read_text() == FIRST
    toys.decide(Submission("eve", SLUG, collected), WRONG)
    for _ in range(2):
        done = toys.autograde("eve")
        assert done["success"], done["log"]
    assert {points for points, _ in toys.grades("eve").values()} == {0.0}


def test_a_timestamp_of_the_learners_own_is_not_believed(toys: Class) -> None:
    (_handed_in(toys, "ada") / "timestamp.txt").write_text("2026-09-01 09:00:00 UTC")
    toys.command("CollectApp", SLUG)
    assert (toys.folder / "submitted" / "ada" / SLUG / "timestamp.txt").read_text() == FIRST


def test_a_time_in_a_name_is_not_believed_either(toys: Class, capfd: pytest.CaptureFixture[str]) -> None:
    """Whoever hands in late names the folder as if it had been before, and sets the times of its files."""
    _use_the_systems_clock(toys)
    folder = _handed_in(toys, "ada")
    (folder / "notes").mkdir()
    (folder / "notes" / "deep.txt").write_text("late")
    before = datetime(2026, 10, 1, tzinfo=UTC).timestamp()
    for path in (folder / "kernel.cu", folder / "notes" / "deep.txt", folder / "notes", folder):
        os.utime(path, (before, before))
    toys.command("CollectApp", SLUG)
    collected = toys.folder / "submitted" / "ada" / SLUG / "timestamp.txt"
    changed = datetime.fromtimestamp(folder.stat().st_ctime, UTC)
    assert abs((timestamps.read(collected.read_text()) - changed).total_seconds()) < 60
    assert "which counts" in capfd.readouterr().err


def test_what_copying_takes_makes_nobody_late(toys: Class) -> None:
    _use_the_systems_clock(toys)
    named = datetime.now(UTC) - timedelta(seconds=20)
    _handed_in(toys, "ada", timestamps.written(named))
    toys.command("CollectApp", SLUG)
    collected = toys.folder / "submitted" / "ada" / SLUG / "timestamp.txt"
    assert collected.read_text() == timestamps.written(named)


def _use_the_systems_clock(toys: Class) -> None:
    config = toys.folder / "nbgrader_config.py"
    config.write_text(config.read_text().replace('c.CollectExercises.clock = "name"\n', ""))


def test_one_that_cannot_be_collected_stops_nobody_else(toys: Class) -> None:
    _handed_in(toys, "ada")
    with (_handed_in(toys, "eve") / "kernel.cu").open("wb") as file:
        file.truncate(1 << 28)
    lost = _handed_in(toys, "eva")
    target = lost.rename(lost.with_name("elsewhere"))
    lost.symlink_to(target)
    _handed_in(toys, "zoe")
    for rubbish in (f"..+{SLUG}+{FIRST}+x", f"eve+{SLUG}+soon", f"{SLUG}+{SLUG}+0001-01-01 00:00:00 +1400+x"):
        (lost.parent / rubbish).mkdir()
    with pytest.raises(SystemExit):
        toys.command("CollectApp", SLUG)
    collected = {path.parents[1].name for path in (toys.folder / "submitted").glob(f"*/{SLUG}/kernel.cu")}
    assert collected == {"ada", "zoe"}


def test_nobody_hands_in_for_somebody_else(toys: Class, capfd: pytest.CaptureFixture[str]) -> None:
    """What is one's own is collected, though somebody else made a newer folder of that name."""
    config = toys.folder / "nbgrader_config.py"
    config.write_text(config.read_text().replace("check_owner = False", "check_owner = True"))
    me = pwd.getpwuid(os.getuid()).pw_name
    _handed_in(toys, "ada", SECOND)  # made by me
    _handed_in(toys, me)
    with pytest.raises(SystemExit):
        toys.command("CollectApp", SLUG)
    assert f"it belongs to {me}, and not to ada" in capfd.readouterr().err
    assert [path.name for path in (toys.folder / "submitted").iterdir()] == [me]


@pytest.mark.skipif(os.getuid() != 0, reason="only root can make a folder that is somebody else's")
def test_a_single_user_who_is_not_the_collector_hands_in_for_nobody_else(
    toys: Class, capfd: pytest.CaptureFixture[str]
) -> None:
    """The fault: while only one learner had handed in, that one could do so for everybody."""
    for student in ("daemon", "ada"):
        os.chown(_handed_in(toys, student), pwd.getpwnam("daemon").pw_uid, -1)
    with pytest.raises(SystemExit):
        toys.command("CollectApp", SLUG)
    assert "it belongs to daemon, and not to ada" in capfd.readouterr().err
    assert {path.name for path in (toys.folder / "submitted").iterdir()} == {"daemon"}


def test_where_all_are_one_user_names_are_taken_as_they_are(toys: Class) -> None:
    for student in ("ada", "zoe"):
        _handed_in(toys, student)
    toys.command("CollectApp", SLUG)
    assert {path.name for path in (toys.folder / "submitted").iterdir()} == {"ada", "zoe"}


@pytest.mark.skipif(os.getuid() != 0, reason="only root can make a folder that is somebody else's")
def test_a_forged_folder_does_not_hide_the_real_one(toys: Class) -> None:
    config = toys.folder / "nbgrader_config.py"
    config.write_text(config.read_text().replace("check_owner = False", "check_owner = True"))
    real, forged = _handed_in(toys, "daemon"), _handed_in(toys, "daemon", SECOND)
    (forged / "kernel.cu").write_text("// forged\n")
    os.chown(real, pwd.getpwnam("daemon").pw_uid, -1)
    for options in ((), ("--update",), ("--before-duedate",)):
        with pytest.raises(SystemExit):
            toys.command("CollectApp", SLUG, *options)
        kept = toys.folder / "submitted" / "daemon" / SLUG / "kernel.cu"
        assert kept.read_text() == toys.solution()


def test_many_files_are_too_much_together(toys: Class, capfd: pytest.CaptureFixture[str]) -> None:
    folder = _handed_in(toys, "eve")
    for number in range(12):
        with (folder / f"{number}.bin").open("wb") as file:
            file.truncate(9_000_000)
    with pytest.raises(SystemExit):
        toys.command("CollectApp", SLUG)
    assert "is longer than" in capfd.readouterr().err
    assert not list((toys.folder / "submitted").glob("eve/*"))


@pytest.mark.parametrize("link", ["kernel.cu", "timestamp.txt", NOTEBOOK])
def test_a_link_in_the_exchange_is_not_followed(toys: Class, link: str) -> None:
    """Else a learner hands in what only the instructor can read."""
    hidden = toys.top / "hidden"
    hidden.write_text("only for the instructor")
    folder = _handed_in(toys, "eve")
    (folder / link).unlink(missing_ok=True)
    (folder / link).symlink_to(hidden)
    _handed_in(toys, "zoe")
    with pytest.raises(SystemExit):
        toys.command("CollectApp", SLUG)
    kept = [path for path in (toys.folder / "submitted").rglob("*") if path.is_file()]
    assert {path.parents[1].name for path in kept} == {"zoe"}
    assert not any("only for the instructor" in path.read_text() for path in kept)


def test_a_link_that_comes_after_the_check_is_not_followed_either(
    toys: Class, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its owner can exchange a file for one at any moment."""
    from grader.instruct.nbgrader.exchange import CollectExercises

    hidden = toys.top / "hidden"
    hidden.write_text("only for the instructor")
    folder = _handed_in(toys, "eve")
    copy = CollectExercises.do_copy

    def exchanged(self: Any, *paths: Any) -> None:
        (folder / "kernel.cu").unlink()
        (folder / "kernel.cu").symlink_to(hidden)
        copy(self, *paths)

    monkeypatch.setattr(CollectExercises, "do_copy", exchanged)
    with pytest.raises(SystemExit):
        toys.command("CollectApp", SLUG)
    assert not list((toys.folder / "submitted").rglob("*.cu"))


@pytest.mark.parametrize(
    "broken", [lambda folder: (folder / "timestamp.txt").mkdir(), lambda folder: folder.chmod(0o500)]
)
def test_odd_folders_are_collected_as_well(toys: Class, broken: Callable[[Path], None]) -> None:
    broken(_handed_in(toys, "eve"))
    toys.command("CollectApp", SLUG)
    collected = toys.folder / "submitted" / "eve" / SLUG
    assert (collected / "timestamp.txt").read_text() == FIRST
    assert collected.stat().st_mode & 0o700 == 0o700


def test_the_earlier_hand_in_stays_until_the_next_can_be_taken(toys: Class) -> None:
    _handed_in(toys, "ada")
    toys.command("CollectApp", SLUG)
    with (_handed_in(toys, "ada", SECOND) / "kernel.cu").open("wb") as file:
        file.truncate(1 << 28)
    with pytest.raises(SystemExit):
        toys.command("CollectApp", SLUG, "--update")
    collected = toys.folder / "submitted" / "ada" / SLUG
    assert (collected / "timestamp.txt").read_text() == FIRST
    later = toys.top / "exchange" / "toys" / "inbound" / f"ada+{SLUG}+{SECOND}+x" / "kernel.cu"
    later.write_text("// later\n")
    toys.command("CollectApp", SLUG)
    assert (collected / "timestamp.txt").read_text() == FIRST
    toys.command("CollectApp", SLUG, "--update")
    assert (collected / "timestamp.txt").read_text() == SECOND
    assert [path.name for path in collected.parent.iterdir()] == [SLUG]
