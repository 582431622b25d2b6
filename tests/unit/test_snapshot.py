"""A submission is read once: its copy stays as it is, and is in the same place each time."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path

import pytest

from cusimt.support import cache
from cusimt.support.locks import hold
from grader.course import snapshot
from grader.course.catalog import Catalog, Exercise
from grader.course.snapshot import desk, desk_of, digest_of, sources, taken, write_sources
from grader.support.errors import UsageError


@pytest.fixture(autouse=True)
def cache_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CUSIMT_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def exercise(toy_catalog: Catalog) -> Exercise:
    return toy_catalog.exercises[0]


def test_a_copy_stays_as_it_is_and_goes_afterwards(exercise: Exercise) -> None:
    kernel = exercise.root / "kernel.cu"
    before = kernel.read_text()
    with taken(exercise, exercise.root) as copy:
        kernel.write_text("// saved meanwhile")
        assert (copy / "kernel.cu").read_text() == before
        assert copy.name == exercise.slug
        assert digest_of(exercise, copy) != digest_of(exercise, exercise.root)
    assert not copy.exists()
    assert not list((cache.cache_root() / "desks").iterdir())


def test_the_same_files_are_copied_to_the_same_place(exercise: Exercise, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(exercise.root, other)
    with taken(exercise, exercise.root) as first:
        pass
    with taken(exercise, exercise.root) as again, taken(exercise, other) as elsewhere:
        assert again == first
        assert elsewhere != first


def test_a_second_check_of_the_same_files_has_a_place_of_its_own(exercise: Exercise) -> None:
    with taken(exercise, exercise.root) as first, taken(exercise, exercise.root) as second:
        assert first != second
        assert (second / "kernel.cu").read_bytes() == (first / "kernel.cu").read_bytes()
    assert not second.exists()


def test_a_desk_holds_nothing_of_a_process_that_was_killed() -> None:
    with desk_of(["a", "b"], "files") as place:
        pass
    (place / "files").mkdir(parents=True)
    (place / "files" / "left.cu").write_text("")
    with desk_of(["a", "b"], "files") as again:
        assert again == place
        assert not (again / "files").exists()


def test_a_desk_that_is_taken_has_another_beside_it() -> None:
    """A lane that sees the folder of the desks sees both."""
    with desk_of(["a"], "files") as first, desk_of(["a"], "files") as second:
        assert first != second
        assert first.parent == second.parent


def test_a_desk_that_another_process_removes_as_it_leaves_is_made_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The fault: a copy elsewhere, which a lane does not see."""

    def hold_late(path: Path, *, wait: bool) -> contextlib.AbstractContextManager[None]:
        monkeypatch.setattr(snapshot, "hold", hold)
        path.parent.rmdir()
        return hold(path, wait=wait)

    monkeypatch.setattr(snapshot, "hold", hold_late)
    with desk_of(["a"], "files") as place:
        assert place == (cache.cache_root() / "desks" / cache.digest(["a"])).resolve()


def test_without_a_writable_cache_the_copy_is_made_elsewhere(exercise: Exercise) -> None:
    cache.cache_root().write_text("in the way")
    with taken(exercise, exercise.root) as copy:
        assert (copy / "kernel.cu").is_file()


def test_nothing_of_an_earlier_copy_is_left(exercise: Exercise) -> None:
    with desk(exercise, exercise.root) as folder:
        write_sources({"kernel.cu": b"1", "own.h": b"2"}, folder / "copy")
        write_sources({"csrc/kernel.cu": b"3"}, folder / "copy")
        left = [path for path in (folder / "copy").rglob("*") if path.is_file()]
        assert left == [folder / "copy" / "csrc" / "kernel.cu"]


def test_sources_are_found_in_folders_and_behind_links_that_stay(tmp_path: Path) -> None:
    root, course, outside = tmp_path / "course/mine", tmp_path / "course", tmp_path / "outside"
    for path in (root / "csrc", root / "build", root / ".git", course / "shared", outside):
        path.mkdir(parents=True)
    for name in ("kernel.cu", "csrc/own.h", "build/kernel.cu", ".git/x.py", "notes.txt", "data.bin"):
        (root / name).write_text(name)
    for folder in (course / "shared", outside):
        (folder / "shared.cuh").write_text(folder.name)
    (root / "linked").symlink_to(course / "shared")
    (root / "csrc" / "up").symlink_to(root)  # which leads round in a circle
    (root / "op.py").symlink_to(course / "shared/shared.cuh")
    (root / "again.h").symlink_to("csrc/own.h")
    (root / "out").symlink_to(outside)
    (root / "out.h").symlink_to(outside / "shared.cuh")
    (root / "gone.py").symlink_to(outside / "nowhere")
    own = {"kernel.cu", "csrc/own.h", "again.h", "data.bin"}
    assert sources(root, ["data.bin", "missing.toml"]).keys() == own
    found = sources(root, ["data.bin"], within=course)
    assert found.keys() == own | {"linked/shared.cuh", "op.py"}
    assert found["op.py"] == b"shared"


def test_a_file_of_the_exercise_that_leads_elsewhere_is_named(exercise: Exercise, tmp_path: Path) -> None:
    """In a folder that somebody else filled, it may be what only this user can read."""
    theirs = exercise.course / "theirs"
    shutil.copytree(exercise.root, theirs)
    for file, folder in ((exercise.course / "secret.txt", theirs), (tmp_path / "far", exercise.root)):
        file.write_text("secret")
        (folder / "kernel.cu").unlink()
        (folder / "kernel.cu").symlink_to(file)
        with pytest.raises(UsageError, match=r"kernel\.cu is a link to a file outside of"), taken(
            exercise, folder
        ):  # fmt: skip
            pass
    (exercise.root / "kernel.cu").unlink()
    (exercise.root / "kernel.cu").symlink_to(exercise.course / "secret.txt")
    with taken(exercise, exercise.root) as copy:  # one's own folder, and a file of the same course
        assert (copy / "kernel.cu").read_text() == "secret"


def test_what_is_no_regular_file_is_left_out_without_waiting_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot, "MOST_BYTES", 4)
    os.mkfifo(tmp_path / "fifo.cu")
    (tmp_path / "endless.h").symlink_to("/dev/zero")
    (tmp_path / "large.py").write_text("12345")
    (tmp_path / "small.py").write_text("1234")
    assert sources(tmp_path, ["fifo.cu"]) == {"small.py": b"1234"}


def test_a_folder_that_is_no_submissions_own_is_not_read_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot, "MOST_FILES", 2)
    for name in "abcdz":
        (tmp_path / f"{name}.py").touch()
    assert sources(tmp_path, ["z.py"]).keys() == {"a.py", "b.py", "z.py"}


def test_a_digest_is_of_names_and_contents_and_of_what_is_missing(exercise: Exercise) -> None:
    contents = sources(exercise.root)
    whole = digest_of(exercise, exercise.root)
    assert whole == digest_of(exercise, contents)
    assert whole == digest_of(exercise, {**contents, "own.h": b"not listed"})
    assert whole != digest_of(exercise, {**contents, "kernel.cu": contents["kernel.cu"] + b" "})
    del contents["kernel.cu"]
    assert digest_of(exercise, contents) != whole
    (exercise.root / "kernel.cu").unlink()
    assert digest_of(exercise, exercise.root) == digest_of(exercise, contents)
