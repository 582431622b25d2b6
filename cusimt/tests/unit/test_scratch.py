"""Temporary folders go with their process; what a killed one left goes with the next."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cusimt.support.scratch import PREFIX, scratch, sweep

LEAVES = """
import os, signal, sys
from pathlib import Path
from cusimt.support.scratch import scratch
with scratch("test", Path(sys.argv[1])) as folder:
    (folder / "file").touch()
    if sys.argv[2] == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    print(folder, flush=True)
    input()
"""


def started(place: Path, what: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", LEAVES, str(place), what]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_a_folder_is_private_and_gone_afterwards(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), scratch("test", tmp_path) as folder:
        assert folder.stat().st_mode & 0o777 == 0o700
        (folder / "file").touch()
        raise KeyboardInterrupt
    assert not list(tmp_path.iterdir())


def test_what_a_killed_process_left_goes_and_what_is_in_use_stays(tmp_path: Path) -> None:
    with started(tmp_path, "live") as living:
        assert living.stdout is not None
        folder = Path(living.stdout.readline().strip())
        with started(tmp_path, "die") as killed:
            assert killed.wait() == -signal.SIGKILL
        assert len(list(tmp_path.iterdir())) == 2
        (tmp_path / "not_ours").mkdir()
        with scratch("test", tmp_path) as own:
            left = {path.name for path in tmp_path.iterdir()}
            assert left == {folder.name, own.name, "not_ours"}
            assert (folder / "file").exists()
        living.communicate("done\n")
    assert not folder.exists()


def test_a_folder_that_is_swept_before_it_is_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opening, swept = os.open, []

    def late(path: Path, *rest: int, **how: Any) -> int:
        if not swept:
            swept.append(path)
            sweep(tmp_path)
        return opening(path, *rest, **how)

    with scratch("first", tmp_path):
        pass
    monkeypatch.setattr(os, "open", late)
    with scratch("test", tmp_path) as folder:
        assert folder.is_dir() and folder != swept[0]
        assert folder.name.startswith(PREFIX)
