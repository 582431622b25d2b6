"""Collects the findings of this process and of the processes that it starts.

    collect_from_children()                # children will leave theirs where this process looks
    for finding in take_all():   # what was found since the last call, here and in children that have ended

A child writes its finding records as JSON lines into the folder that its environment names. Children killed
by a signal write nothing.
"""

from __future__ import annotations

import atexit
import json
import os
import tempfile
from collections.abc import Iterator
from multiprocessing import util as multiprocessing_util
from pathlib import Path
from typing import Any

from cusimt import findings
from cusimt.findings import Finding

FOLDER_VARIABLE = "CUSIMT_FINDINGS"
_SUFFIX = ".jsonl"

_folder: tempfile.TemporaryDirectory[str] | None = None  # gone when this process ends


def collect_from_children() -> None:
    """Let child processes write their findings for this process; later calls do nothing."""
    global _folder
    if _folder is not None:
        return
    _folder = tempfile.TemporaryDirectory(prefix="cusimt-findings-", ignore_cleanup_errors=True)
    os.environ[FOLDER_VARIABLE] = _folder.name
    _leave_in_forked_children()


def take_all() -> list[Finding]:
    """The findings of this process and its children since the last call, merged by kind and line."""
    return findings.symbolise([*findings.take_raw(), *_left_by_children()])


def write_at_exit() -> None:
    """In a child: write its findings at exit for the collecting process."""
    atexit.register(_leave)
    _leave_in_forked_children()


def _leave() -> None:
    folder, found = os.environ.get(FOLDER_VARIABLE), findings.take_raw()
    if not folder or not found or not Path(folder).is_dir():
        return
    file = Path(folder, f"{os.getpid()}.writing")
    file.write_text("".join(f"{json.dumps(each)}\n" for each in found))
    file.rename(file.with_suffix(_SUFFIX))


def _leave_in_forked_children() -> None:
    """A fork inherits what its parent has found, and leaves without the parent's exit handlers."""
    os.register_at_fork(after_in_child=findings.take_raw)
    multiprocessing_util.register_after_fork(_leave, _when_this_process_ends)


def _when_this_process_ends(leave: Any) -> None:
    multiprocessing_util.Finalize(None, leave, exitpriority=0)


def _left_by_children() -> Iterator[dict[str, Any]]:
    if _folder is None:
        return
    for file in sorted(Path(_folder.name).glob(f"*{_SUFFIX}")):
        yield from map(json.loads, file.read_text().splitlines())
        file.unlink()
