"""What was audited is what runs: no worker reads a Python file of the submission by itself."""

from __future__ import annotations

import py_compile
from pathlib import Path

import pytest

from grader.run import WorkerCrashed, Zygote
from grader.run.failures import LoadFailed
from grader.run.loading import Loading, sources_of
from tests.adversarial.submissions import Load, assert_serves, load, zygote

__all__ = ["load", "zygote"]

NEIGHBOURS = (
    "colorsys.py",
    "helper.py",
    "sitecustomize.py",
    "numpy.py",
    "op/__init__.py",
    "colorsys/__init__.py",
)


def test_a_file_beside_op_py_is_not_imported(load: Load, tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("VALUE = 3\n")
    with pytest.raises(LoadFailed, match="No module named 'helper'"):
        load("import helper\n")


def test_a_file_beside_op_py_hides_no_module_of_pythons(load: Load, tmp_path: Path) -> None:
    """colorsys is a module that nothing has imported yet, so a file of its name would be found."""
    for name in NEIGHBOURS:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("raise RuntimeError('a neighbour ran')\n")
    session = load("import colorsys\ndef entry():\n    return colorsys.rgb_to_hsv(0, 0, 1)[2]\n")
    assert session.call("entry", []).outputs[0].value == 1
    assert_serves(session)


def test_what_was_compiled_before_is_not_run(load: Load, tmp_path: Path) -> None:
    planted, op_file = tmp_path / "planted.py", tmp_path / "op.py"
    planted.write_text("def entry():\n    return 'planted'\n")
    load("def entry():\n    return 'read'\n")
    for tag in ("cpython-311", "cpython-312", "cpython-313"):
        py_compile.compile(str(planted), str(tmp_path / "__pycache__" / f"op.{tag}.pyc"), str(op_file))
    session = load("def entry():\n    return 'read'\n")
    assert session.call("entry", []).outputs[0].value == "read"


def test_a_file_that_changes_after_it_was_read_changes_nothing(load: Load, tmp_path: Path) -> None:
    """Not in the first worker, and not in the one that follows a crash and loads the submission again."""
    session = load("import os\ndef entry():\n    return 'read'\ndef crash():\n    os.abort()\n")
    (tmp_path / "op.py").write_text("def entry():\n    return 'changed'\n")
    with pytest.raises(WorkerCrashed):
        session.call("crash", [])
    assert session.call("entry", []).outputs[0].value == "read"


def test_the_audited_text_runs_whatever_lies_there(zygote: Zygote, tmp_path: Path) -> None:
    op_file = tmp_path / "op.py"
    op_file.write_bytes(b"# coding: utf-7\n#+AAo-raise SystemExit\n")
    audited = {"op.py": "def entry():\n    return __file__\n"}
    with zygote.spawn_worker() as session:
        session._workers.load(Loading(None, op_file, tmp_path, False, audited))
        assert session.call("entry", []).outputs[0].value == str(op_file)


def test_a_text_is_decoded_in_one_way(tmp_path: Path) -> None:
    op_file = tmp_path / "op.py"
    op_file.write_bytes("\ufeffx = 'µ'\n".encode())
    assert sources_of(None, op_file) == {"op.py": "x = 'µ'\n"}
