"""The lines of a submission's own files in what the preprocessor left."""

from __future__ import annotations

from pathlib import Path

from grader.compilation.preprocessing import _unit


def test_a_line_feed_alone_ends_a_line(tmp_path: Path) -> None:
    """As for the compiler: neither a form feed nor any separator that Unicode has."""
    own, output = tmp_path / "kernel.cu", tmp_path / "build" / "unit.ii"
    output.parent.mkdir()
    lines = ["int a;\f int b;\n", "int c;\r\n", "// \u2028 \x1c \x85\n", "int last;"]
    text = f'# 1 "{own}"\n{lines[0]}{lines[1]}# 7 "/usr/include/math.h" 1 3\nint foreign;\n# 3 "{own}" 2\n'
    output.write_text(text + lines[2] + lines[3], "utf-8", newline="\n")
    found = _unit(own, output, tmp_path)
    assert [(each.number, each.text) for each in found.lines] == list(enumerate(lines, 1))
    assert all(each.file == own for each in found.lines)
    assert [(each.number, each.path) for each in found.includes] == [(3, "/usr/include/math.h")]
