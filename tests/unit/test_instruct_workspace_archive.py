"""The zip file that learners get: what comes out of it, and what is refused."""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path

import pytest

from grader.cli import main
from grader.course.catalog import Catalog
from grader.handout import Release, create, pack, read_archive
from grader.handout.manifest import MANIFEST
from grader.instruct.workspace import release_of
from grader.support.errors import UsageError

KERNEL = "exercises/00_negate/kernel.cu"


@pytest.fixture
def release(toy_catalog: Catalog) -> Release:
    return release_of(toy_catalog)


@pytest.fixture
def packed(release: Release, tmp_path: Path) -> Path:
    path = tmp_path / "course-1.zip"
    path.write_bytes(pack(release, "course-1"))
    return path


def repacked(
    packed: Path, changes: dict[str, bytes | None], manifest: dict[str, object] | None = None
) -> Path:
    """`packed` with entries exchanged, added, or (None) taken out; `manifest` updates that of the archive."""
    with zipfile.ZipFile(packed) as before:
        entries: dict[str, bytes | None] = {name: before.read(name) for name in before.namelist()}
    entries |= changes
    if manifest is not None:
        name = f"course-1/{MANIFEST}"
        entries[name] = json.dumps(json.loads(entries[name] or b"{}") | manifest).encode()
    path = packed.with_name("changed.zip")
    with zipfile.ZipFile(path, "w") as after:
        for name, content in entries.items():
            if content is not None:
                after.writestr(name, content)
    return path


def test_what_is_packed_comes_out(release: Release, packed: Path) -> None:
    read = read_archive(packed)
    assert dict(read.files) == dict(release.files)
    assert (read.edit, dict(read.exercises), read.grader) == (
        release.edit, dict(release.exercises), release.grader,
    )  # fmt: skip


def test_unpacked_it_is_the_workspace(release: Release, packed: Path, tmp_path: Path) -> None:
    create(release, tmp_path / "made")
    with zipfile.ZipFile(packed) as archive_:
        archive_.extractall(tmp_path / "unpacked")
    made, unpacked = tmp_path / "made", tmp_path / "unpacked" / "course-1"
    contents = [
        {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}
        for root in (made, unpacked)
    ]
    assert contents[0] == contents[1] != {}


def test_the_same_release_makes_the_same_bytes(release: Release, toy_course: Path, packed: Path) -> None:
    (toy_course / KERNEL).touch()
    again = release_of(Catalog.open(toy_course))
    assert pack(again, "course-1") == packed.read_bytes()


@pytest.mark.parametrize(
    ("changes", "manifest", "reason"),
    [
        ({f"course-1/{KERNEL}": b"forged"}, None, f"{KERNEL} is not what was packed"),
        ({f"course-1/{KERNEL}": None}, None, "There is no item named"),
        ({f"course-1/{MANIFEST}": None}, None, "it is no workspace"),
        ({f"second/{MANIFEST}": b"{}"}, None, "it is no workspace"),
        ({f"course-1/{MANIFEST}": b"no json"}, None, "Expecting value"),
        ({}, {"format": 99}, "has no format that this grader knows"),
        ({}, {"files": {"../outside.txt": "sha256:0"}}, "leads out of the folder"),
        ({}, {"files": {"/etc/passwd": "sha256:0"}}, "leads out of the folder"),
        ({}, {"files": {"a\\..\\b": "sha256:0"}}, "leads out of the folder"),
        ({}, {"files": 3}, "is not complete"),
        ({}, {"edit": [3]}, "leads out"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_is_no_release_is_refused(
    packed: Path, changes: dict[str, bytes | None], manifest: dict[str, object] | None, reason: str
) -> None:
    with pytest.raises(UsageError) as refused:
        read_archive(repacked(packed, changes, manifest))
    assert reason in refused.value.what


def test_what_would_fill_the_disk_is_refused(packed: Path) -> None:
    with pytest.raises(UsageError) as refused:
        read_archive(repacked(packed, {"course-1/zeros": bytes(65 << 20)}, None))
    assert "it would unpack to 65 MiB" in refused.value.what


def test_a_file_that_is_no_archive_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.zip").write_text("no archive")
    for name in ("text.zip", "missing.zip"):
        with pytest.raises(UsageError, match=f"{name} cannot be used: (File is not a zip|No such) file"):
            read_archive(tmp_path / name)


def test_a_learner_updates_from_it(
    release: Release,
    packed: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    old = Release(
        {**release.files, KERNEL: b"old stub\n", "README.md": b"old\n"},
        release.edit, release.exercises, release.grader,
    )  # fmt: skip
    workspace = tmp_path / "workspace"
    create(old, workspace)
    (workspace / KERNEL).write_text("mine\n")
    monkeypatch.chdir(workspace)
    monkeypatch.setattr(sys, "argv", ["grader", "update", str(packed)])
    assert main() == 0
    said = capsys.readouterr().out
    assert f"You and the new version both changed {KERNEL}: yours stayed." in said
    assert "1 file written" in said and said.endswith("Next: grader list\n")
    assert (workspace / KERNEL).read_text() == "mine\n"
    assert (workspace / "README.md").read_bytes() == release.files["README.md"]
