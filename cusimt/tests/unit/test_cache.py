"""The cache: published once, verified on every hit, unharmed by kills, races, damage and lack of rights."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cusimt.support import cache
from cusimt.support.errors import InfrastructureError
from cusimt.support.manifest import let_go
from cusimt.tests.waiting import wait_for


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CUSIMT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def fill(key: str, text: str = "content") -> Path:
    with cache.entry([key]) as slot:
        assert slot.missing
        (slot.folder / "file").write_text(text)
    return slot.path


def is_held(key: str) -> bool:
    said = cache.holds([key])
    with cache.entry([key]) as slot:
        assert said is not slot.missing
        if slot.missing:
            slot.discard()
    return not slot.missing


def start(code: str, root: Path, *arguments: str, stdin: int | None = None) -> subprocess.Popen[str]:
    """Another Python process that uses the same cache."""
    environment = {**os.environ, "CUSIMT_CACHE": str(root), "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", textwrap.dedent(code), *arguments]
    return subprocess.Popen(command, env=environment, stdin=stdin, stdout=subprocess.PIPE, text=True)


def test_root_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CUSIMT_CACHE", str(tmp_path / "chosen"))
    assert cache.cache_root() == tmp_path / "chosen"
    monkeypatch.delenv("CUSIMT_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache.cache_root() == tmp_path / "xdg/cusimt"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache.cache_root() == tmp_path / ".cache/cusimt"


def test_digest_keeps_the_boundaries_of_its_parts() -> None:
    assert cache.digest(["ab", "c"]) != cache.digest(["a", "bc"])
    assert cache.digest(["a", 1]) == cache.digest(["a", "1"])


def test_tree_digest_sees_names_and_contents(tmp_path: Path) -> None:
    (tmp_path / "a.h").write_text("1")
    before = cache.tree_digest(tmp_path)
    (tmp_path / "a.h").rename(tmp_path / "b.h")
    renamed = cache.tree_digest(tmp_path)
    (tmp_path / "b.h").write_text("2")
    assert len({before, renamed, cache.tree_digest(tmp_path)}) == 3
    assert cache.tree_digest(tmp_path, (".py",)) == cache.tree_digest(tmp_path / "nothing here")


def test_an_entry_is_built_once_and_found_afterwards() -> None:
    path = fill("key", "once")
    with cache.entry(["key"]) as slot:
        assert not slot.missing
        assert slot.folder == slot.path == path
        assert (slot.path / "file").read_text() == "once"


def test_rooms_are_apart(root: Path) -> None:
    with cache.entry(["key"], room="objects") as one:
        pass
    with cache.entry(["key"], room="headers") as other:
        assert other.missing
    assert one.path.parent == root / "objects"
    assert other.path.parent == root / "headers"


def test_an_exception_leaves_no_trace(root: Path) -> None:
    with pytest.raises(ZeroDivisionError), cache.entry(["key"]) as slot:
        (slot.folder / "half").write_text("")
        raise ZeroDivisionError
    assert list((root / "builds").iterdir()) == []
    assert not is_held("key")


def test_a_discarded_entry_is_not_published(root: Path) -> None:
    with cache.entry(["key"]) as slot:
        (slot.folder / "file").write_text("")
        slot.discard()
    assert list((root / "builds").iterdir()) == []


@pytest.mark.parametrize("damage", ["same size", "shorter", "removed", "manifest gone", "manifest garbled"])
def test_a_damaged_entry_is_built_again_with_one_line_in_the_log(root: Path, damage: str) -> None:
    path = fill("key", "content")
    match damage:
        case "same size":
            (path / "file").write_text("CONTENT")
        case "shorter":
            (path / "file").write_text("")
        case "removed":
            (path / "file").unlink()
        case "manifest gone":
            (path / cache.MANIFEST).unlink()
        case "manifest garbled":
            (path / cache.MANIFEST).write_text('{"files": [1')
    fill("key", "repaired")
    assert (path / "file").read_text() == "repaired"
    lines = (root / "cache.log").read_text().splitlines()
    assert len(lines) == 1
    assert f"builds/{path.name} is built again" in lines[0]


def test_a_copied_cache_is_believed_after_reading_its_content() -> None:
    path = fill("key")
    os.utime(path / "file", (1, 1))
    assert is_held("key")


def test_least_recently_used_goes_first() -> None:
    old, middle, new = (fill(key, "x" * 1000) for key in ("old", "middle", "new"))
    for age, path in enumerate((new, old, middle)):  # `old` was used again after `middle` and before `new`
        os.utime(path / cache.MANIFEST, (1000 - age, 1000 - age))
    let_go()
    assert cache.trim(2000) == [middle]
    assert not middle.exists()
    assert old.exists() and new.exists()


def test_what_is_in_use_is_not_evicted() -> None:
    path = fill("key", "x" * 1000)
    assert cache.trim(0) == []
    assert path.exists()


def test_a_clock_that_was_set_forward_evicts_nothing_in_use(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = fill("key", "x" * 1000)
    code = "from cusimt.support import cache\nwith cache.entry(['key']): pass\nprint(flush=True)\ninput()"
    with start(code, root, stdin=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        now = time.time()
        monkeypatch.setattr(time, "time", lambda: now + 10 * 24 * 3600)
        assert cache.trim(0) == []  # in use here, and in another process
        let_go()
        assert cache.trim(0) == []
        other.communicate("done\n")
    assert cache.trim(0) == [path]


def test_a_clock_that_was_set_back_does_not_stop_trimming(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = fill("old", "x" * 1000)
    os.utime(old / cache.MANIFEST, (1, 1))
    let_go()
    stamp = root / "locks" / "trimmed"
    ahead = time.time() + 10 * 24 * 3600
    os.utime(stamp, (ahead, ahead))
    monkeypatch.setenv("CUSIMT_CACHE_LIMIT", "1")
    fill("new")
    assert not old.exists()


@pytest.mark.parametrize("where", ["key", "another"])
def test_what_a_killed_builder_left_goes_with_the_next_build(root: Path, where: str) -> None:
    room, name = root / "builds", cache.place([where]).name
    half = room / f"{name}.1.building"
    half.mkdir(parents=True)
    (half / "file").write_text("half")
    (root / "locks").mkdir()
    (root / "locks" / f"builds-{name}").touch()
    fill("key")
    assert [path.name for path in room.iterdir()] == [cache.place(["key"]).name]
    assert [path.name for path in (root / "locks").iterdir()] == ["trimmed"]


def test_what_another_process_builds_is_left_alone(root: Path) -> None:
    code = (
        "from cusimt.support import cache\nwith cache.entry(['other']):\n    print(flush=True)\n    input()"
    )
    with start(code, root, stdin=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        fill("key")
        other.communicate("done\n")
    assert other.returncode == 0
    assert is_held("other")


def test_damage_that_leaves_size_and_time_is_found(root: Path) -> None:
    path = fill("key", "sound")
    before = (path / "file").stat()
    (path / "file").write_text("wrong")
    os.utime(path / "file", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert not is_held("key")


def test_the_limit_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    path = fill("key", "x" * 1000)
    let_go()
    os.utime(path / cache.MANIFEST, (1, 1))
    monkeypatch.setenv("CUSIMT_CACHE_LIMIT", "1001")
    assert cache.trim() == []
    monkeypatch.setenv("CUSIMT_CACHE_LIMIT", "999")
    assert cache.trim() == [path]


def test_two_processes_build_one_entry_once(root: Path) -> None:
    code = """
        import sys, time
        from cusimt.support import cache
        with cache.entry(["key"]) as slot:
            if slot.missing:
                time.sleep(0.3)
                (slot.folder / "file").write_text("whole")
            print(slot.missing)
        assert (slot.path / "file").read_text() == "whole"
    """
    both = [start(code, root), start(code, root)]
    answers = sorted(process.communicate(timeout=60)[0].strip() for process in both)
    assert answers == ["False", "True"]
    assert [process.returncode for process in both] == [0, 0]
    assert [path.name for path in (root / "locks").iterdir()] == ["trimmed"]


def test_a_killed_builder_leaves_no_lock_and_no_half_entry(root: Path, tmp_path: Path) -> None:
    code = """
        import sys, time
        from pathlib import Path
        from cusimt.support import cache
        with cache.entry(["key"]) as slot:
            (slot.folder / "file").write_text("half")
            Path(sys.argv[1]).touch()
            time.sleep(600)
    """
    victim = start(code, root, str(tmp_path / "started"))
    wait_for(tmp_path / "started")
    victim.send_signal(signal.SIGKILL)
    victim.communicate(timeout=60)
    assert len(list((root / "builds").glob("*.building"))) == 1
    path = fill("key", "whole")
    assert (path / "file").read_text() == "whole"
    assert list((root / "builds").iterdir()) == [path]


WITHOUT_RIGHTS = """
    import os
    from cusimt.support import cache
    from cusimt.support.errors import InfrastructureError
    if os.geteuid() == 0:  # root is stopped by no file mode
        os.setgid(65534)
        os.setuid(65534)
"""


@pytest.fixture
def read_only() -> Iterator[Path]:
    """A cache with one entry that everybody may read and nobody but root may write."""
    with tempfile.TemporaryDirectory() as parent, pytest.MonkeyPatch.context() as patch:
        root = Path(parent, "cache")
        patch.setenv("CUSIMT_CACHE", str(root))
        fill("key")
        Path(parent).chmod(0o755)
        folders = [root, *(path for path in root.rglob("*") if path.is_dir())]
        for folder in folders:
            folder.chmod(0o555)
        yield root
        for folder in folders:
            folder.chmod(0o755)


def test_a_read_only_cache_serves_what_it_holds(read_only: Path) -> None:
    code = """
    with cache.entry(["key"]) as slot:
        print(slot.missing, (slot.path / "file").read_text())
    """
    printed, _ = start(WITHOUT_RIGHTS + code, read_only).communicate(timeout=60)
    assert printed == "False content\n"


def test_a_read_only_cache_says_so_when_something_is_missing(read_only: Path) -> None:
    code = """
    try:
        with cache.entry(["another"]):
            print("entered")
    except InfrastructureError as error:
        print(error)
    """
    printed, _ = start(WITHOUT_RIGHTS + code, read_only).communicate(timeout=60)
    assert printed.startswith(f"The cache folder {read_only} cannot be written.")
    assert "CUSIMT_CACHE" in printed


def test_a_root_that_is_a_file_is_an_error_in_words(root: Path) -> None:
    root.write_text("")
    with pytest.raises(InfrastructureError, match="cannot be written"), cache.entry(["key"]):
        pass


def test_the_manifest_records_sizes_and_hashes() -> None:
    manifest = json.loads((fill("key", "abc") / cache.MANIFEST).read_text())
    assert manifest["bytes"] == 3
    assert manifest["files"]["file"]["sha256"] == cache.file_digest(fill("other", "abc") / "file")
