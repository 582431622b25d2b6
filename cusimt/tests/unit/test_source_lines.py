"""The text of a source line is that of the file as it is now."""

from __future__ import annotations

import os
from pathlib import Path

from cusimt.records.source_lines import Frame, compiled_sources


def test_a_file_that_was_saved_again_is_quoted_as_it_is_now(tmp_path: Path) -> None:
    """Each `grader watch` is one process, and its copies of the files keep their names."""
    file = tmp_path / "kernel.cu"
    file.write_text("int first;\nint second;\n")
    assert compiled_sources(Frame(str(file), 2)).source == "int second;"

    before = file.stat()
    file.write_text("int second;\nint third;\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns + 1))

    assert compiled_sources(Frame(str(file), 2)).source == "int third;"


def test_what_is_no_file_has_no_lines(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name in ("pipe", "missing", ""):
        assert compiled_sources(Frame(str(tmp_path / name), 1)).source == ""
