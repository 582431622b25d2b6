"""Files that are there completely or not at all."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from grader.support.durable import PUBLIC, publish, write_atomically


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_a_file_takes_the_place_of_another(tmp_path: Path) -> None:
    path = tmp_path / "marks.csv"
    write_atomically(path, "first\r\n")
    write_atomically(path, b"second\xff")
    assert path.read_bytes() == b"second\xff"
    assert list(tmp_path.iterdir()) == [path]


def test_what_is_private_lies_in_private_folders(tmp_path: Path) -> None:
    write_atomically(tmp_path / "a" / "b" / "private", "x")
    write_atomically(tmp_path / "c" / "public", "x", PUBLIC)
    assert [mode(tmp_path / name) for name in ("a", "a/b", "a/b/private")] == [0o700, 0o700, 0o600]
    assert mode(tmp_path / "c") & 0o500 == 0o500
    assert mode(tmp_path / "c" / "public") == 0o644


def test_a_link_is_replaced_and_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("somebody else's")
    (tmp_path / "mine").symlink_to(tmp_path / "other")
    write_atomically(tmp_path / "mine", "mine")
    assert (tmp_path / "other").read_text() == "somebody else's"
    assert not (tmp_path / "mine").is_symlink()


def test_of_several_writers_one_wins(tmp_path: Path) -> None:
    assert publish(tmp_path / "secret", "first")
    assert not publish(tmp_path / "secret", "second")
    assert (tmp_path / "secret").read_text() == "first"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_file_system_that_cannot_sync_folders_is_good_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fsync = os.fsync

    def files_only(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "Invalid argument")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", files_only)
    write_atomically(tmp_path / "marks.csv", "there")
    assert (tmp_path / "marks.csv").read_text() == "there"


def test_a_full_disk_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "marks.csv"
    write_atomically(path, "first")

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_atomically(path, "second")
    assert path.read_text() == "first"
    assert list(tmp_path.iterdir()) == [path]
