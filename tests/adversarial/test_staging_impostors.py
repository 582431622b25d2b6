"""Exercise 01 computes on arrays in host memory: impostors that launch the kernel and compute on the host."""

from __future__ import annotations

from pathlib import Path

from grader.catalog import Catalog, Exercise
from grader.checks import grade
from grader.verdict import CheckResult, Status

ROOT = Path(__file__).resolve().parents[2]
EXERCISE: Exercise = Catalog.open(ROOT).find("01")
SUM = "d_out[i] = d_a[i] + d_b[i];"
COPIED_BACK = """               "copy of out");
"""
LOOP = """    for (int64_t i = 0; i < n; ++i) {
        static_cast<float*>(out.mutable_data())[i] = dense_a.data()[i] + dense_b.data()[i];
    }
"""


def judged(folder: Path, **edits: tuple[str, str]) -> dict[str, CheckResult]:
    """The checks of the reference solution in which each named file has one passage replaced."""
    for path in EXERCISE.solution_dir.iterdir():
        if path.is_file():
            (folder / path.name).write_text(path.read_text())
    for stem, (old, new) in edits.items():
        [path] = folder.glob(f"{stem}.*")
        assert path.read_text().count(old) == 1
        path.write_text(path.read_text().replace(old, new))
    return {check.name: check for check in grade(EXERCISE, folder, backend="simt").checks}


def test_a_loop_on_the_host_after_the_kernel(tmp_path: Path) -> None:
    loop = LOOP.replace("dense_b.data()[i]", "(dense_b.data()[i] + 0.0f)")
    wrong_kernel = (SUM, SUM.replace("+", "-"))
    checks = judged(tmp_path, binding=(COPIED_BACK, COPIED_BACK + loop), kernel=wrong_kernel)

    assert checks["correctness"].status is Status.PASS
    assert checks["device_work"].status is Status.FAIL
    assert "not what was copied back from memory that your kernel wrote" in checks["device_work"].sentence


def test_a_kernel_that_only_carries_what_the_host_computed(tmp_path: Path) -> None:
    first_copy = "    check_cuda(cudaMemcpy(d_a.get(), dense_a.data(),"
    computed = LOOP + first_copy.replace("dense_a.data()", "out.data()")
    carrier = (SUM, "d_out[i] = d_a[i];")
    checks = judged(tmp_path, binding=(first_copy, computed), kernel=carrier)

    assert checks["correctness"].status is Status.PASS
    assert checks["device_work"].status is Status.FAIL
    assert "copied data to the device that is not one of its arguments" in checks["device_work"].sentence
