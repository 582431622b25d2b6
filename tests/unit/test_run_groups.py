"""Control groups, in folders that look like the kernel's: where one is made, what is written and left."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from grader.run import groups

Files = Mapping[str, tuple[str, ...]]


def _mount(root: Path, monkeypatch: pytest.MonkeyPatch, files: Files) -> Path:
    """A mount whose folders are `files`: what is made in one of them gets files of these names at once."""
    make, remove = Path.mkdir, Path.rmdir
    for name in files:
        (root / name).mkdir(parents=True, exist_ok=True)

    def mkdir(folder: Path) -> None:
        make(folder)
        for name in files.get(str(folder.parent.relative_to(root)), ()):
            (folder / name).touch()

    def rmdir(folder: Path) -> None:
        for file in folder.iterdir():
            file.unlink()
        remove(folder)

    monkeypatch.setattr(Path, "mkdir", mkdir)
    monkeypatch.setattr(Path, "rmdir", rmdir)
    return root


def test_version_two_below_a_delegated_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"user/app": ("pids.max", "memory.max", "memory.swap.max"), "user/app/own.scope": ()}
    mount = _mount(tmp_path, monkeypatch, files)
    group = groups.open_group(100, 2**30, mount, "0::/user/app/own.scope\n")
    assert group is not None
    (folder,) = group.folders
    assert folder.parent == mount / "user/app"  # beside this process: below it, nothing is shared out
    assert (folder / "pids.max").read_text() == "100"
    assert (folder / "memory.max").read_text() == str(2**30)
    assert (folder / "memory.swap.max").read_text() == "0"
    group.close()
    assert not folder.exists()
    assert list((mount / "user/app/own.scope").iterdir()) == []


def test_version_one_has_a_folder_for_each_controller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"pids": ("pids.max",), "memory/job": ("memory.limit_in_bytes",)}
    mount = _mount(tmp_path, monkeypatch, files)
    group = groups.open_group(100, 2**30, mount, "8:pids:/\n4:memory:/job\n0::/\n")
    assert group is not None
    assert [folder.parent for folder in group.folders] == [mount / "pids", mount / "memory/job"]
    assert (group.folders[1] / "memory.limit_in_bytes").read_text() == str(2**30)


def test_without_controllers_there_is_none_and_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mount = _mount(tmp_path, monkeypatch, {"user": (), "user/own": ()})
    assert groups.open_group(100, 2**30, mount, "0::/user/own\n") is None
    assert [path.name for path in mount.rglob("*")] == ["user", "own"]


def test_what_a_killed_grader_left_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mount = _mount(tmp_path, monkeypatch, {".": ("pids.max", "memory.max")})
    (mount / "cu2grad-999999999-0").mkdir()
    (mount / f"cu2grad-{os.getpid()}-77777").mkdir()
    group = groups.open_group(100, 2**30, mount, "0::/\n")
    assert group is not None
    assert not (mount / "cu2grad-999999999-0").exists()
    assert (mount / f"cu2grad-{os.getpid()}-77777").exists()


def test_the_command_enters_the_group_before_anything_else() -> None:
    line = groups.Group((Path("/a"), Path("/b"))).joining(["bwrap", "--x"])
    assert line[:2] == ["/bin/sh", "-c"]
    assert "'/a' '/b'" in line[2]
    assert line[2].endswith('exec "$@"')
    assert line[-2:] == ["bwrap", "--x"]


def test_a_group_that_cannot_be_entered_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files: Files = {"user": ("pids.max", "memory.max"), "user/own": ()}
    mount = _mount(tmp_path, monkeypatch, files)
    monkeypatch.setattr(groups, "_JOIN", "exit 125 # {groups}")
    assert groups.open_group(100, 2**30, mount, "0::/user/own\n") is None
    assert [path.name for path in mount.rglob("*")] == ["user", "own"]


@pytest.mark.skipif(
    groups.process_limit() != "a control group", reason="needs a control group of the kernel's"
)
def test_closing_a_group_ends_what_is_in_it() -> None:
    group = groups.open_group(10, 2**30)
    assert group is not None
    with subprocess.Popen(group.joining(["sleep", "1000"])) as sleeping:
        while sleeping.pid not in map(int, (group.folders[0] / "cgroup.procs").read_text().split()):
            time.sleep(0.01)
        group.close()
        assert sleeping.wait(10) == -signal.SIGKILL
    assert not group.folders[0].exists()
