"""`grader.load` in programs: on the simulated GPU that `python -m cusimt` puts in place, and without it."""

from __future__ import annotations

from pathlib import Path

import pytest

from cusimt.tests.scaling_project import run, script, write_project


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_project(tmp_path)
    return tmp_path


def test_our_load_has_the_same_results(project: Path) -> None:
    (project / "package").mkdir()
    script(
        project,
        """
        import grader
        path = grader.load("scaling", ["../kernel.cu", "../binding.cpp"], is_python_module=False)
        """,
        "package/op.py",
    )
    program = script(
        project,
        """
        import torch
        from package.op import path
        print(path.rpartition("/")[2], torch.ops.scaling.scale(torch.ones(2, device="cuda")).tolist())
        """,
    )
    assert run(project, program).stdout == "scaling.so [3.0, 3.0]\n"
    alone = run(project, program, simulated=False)
    assert alone.returncode == 1
    expected = "There is no usable GPU here, and torch was imported without the simulated one."
    assert expected in alone.stderr
    assert "python -m cusimt script.py" in alone.stderr


def test_our_load_activates_by_itself_when_torch_is_not_imported_yet(project: Path) -> None:
    program = script(
        project,
        """
        import grader
        grader.load("scaling", ["kernel.cu", "binding.cpp"], is_python_module=False)
        import torch
        print(torch.ops.scaling.scale(torch.ones(1, device="cuda")).tolist())
        """,
    )
    assert run(project, program, simulated=False).stdout == "[3.0]\n"
