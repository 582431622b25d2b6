"""A library compiled for another version of the runtime is not loaded; the message says what to do."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from cusimt.tests.runtime_program import program, run

VERSION = re.compile(rb"(?<=cusimt_runtime_)[0-9a-f]{8}(?=_IS_MISSING)")


def test_another_version(tmp_path: Path) -> None:
    right, wrong = program("recovery", False), tmp_path / "wrong"
    shutil.copy(right, wrong)
    versions = set(VERSION.findall(right.read_bytes()))
    assert len(versions) == 1
    wrong.write_bytes(VERSION.sub(b"00000000", right.read_bytes()))

    assert run(right, "after_deadlock").returncode == 0
    refused = run(wrong, "after_deadlock")
    assert refused.returncode != 0
    assert "this_library_needs_another_version_build_it_again" in refused.stderr
