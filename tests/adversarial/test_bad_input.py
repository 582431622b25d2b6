"""Bad input gets a clear answer and loses nothing: `grader check` as a program, on a copy of a course folder.

Every test asserts the exit code, the sentence a learner reads, and that no traceback appears. Where a test is
about the verdict alone, one lane grades for all of them: a program of its own would import torch twice.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cusimt.compiler import libraries
from cusimt.support.cache import cache_root
from cusimt.tests.waiting import waited
from grader.checks import grade
from grader.checks.lanes import open_lane
from grader.course.catalog import Catalog
from grader.run import Limits, Zygote
from grader.verdict import Status
from tests.conftest import TOY_COURSE
from tests.desks import desk
from tests.processor_time import MADE_ONCE

ROOT = Path(__file__).resolve().parents[2]
PASSED, NOT_PASSED, USAGE, INFRASTRUCTURE = 0, 1, 2, 3


@dataclass(frozen=True)
class Run:
    """What one `grader` command returned and printed."""

    code: int
    out: str
    err: str

    @property
    def text(self) -> str:
        """Everything printed, with line breaks as spaces: sentences may be wrapped."""
        return " ".join((self.out + " " + self.err).split())


def start(
    *arguments: str, environment: Mapping[str, str] | None = None, inside: Sequence[str] = ()
) -> subprocess.Popen[str]:
    """`grader ARGUMENTS`, run by the command ``inside`` if there is one."""
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "CU2GRAD_BACKEND": "simt", **(environment or {})}
    return subprocess.Popen(
        [*inside, sys.executable, "-m", "grader", *arguments],
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def finish(process: subprocess.Popen[str]) -> Run:
    out, err = process.communicate(timeout=400)
    run = Run(process.returncode, out, err)
    assert "Traceback" not in run.text
    assert "The grader itself failed" not in run.text
    return run


def grader(*arguments: str, environment: Mapping[str, str] | None = None) -> Run:
    return finish(start(*arguments, environment=environment))


def assert_passed(run: Run) -> None:
    assert run.code == PASSED, run.out + run.err


def check(catalog: Catalog, exercise: str, *options: str, **environment: str) -> Run:
    place = ("--course", str(catalog.course), "--plain")
    return grader("check", exercise, *place, *options, environment=environment)


Ruling = tuple[int, dict[str, Any]]  # the exit code, and the checks of the JSON verdict by name
Judge = Callable[[Catalog, str], Ruling]


@pytest.fixture
def verdict(lane: Zygote) -> Judge:
    """What `grader check --json` returns and prints, by the lane. What no test edits is compiled once."""

    def judge(catalog: Catalog, name: str) -> Ruling:
        exercise = Catalog.open(TOY_COURSE).find(name)
        with desk(exercise) as files:
            for each in (*exercise.edit, *exercise.given):
                shutil.copy(catalog.find(name).root / each, files)
            graded = grade(exercise, files, backend="simt", seed=1, zygote=lane)
        return graded.exit_code, {each["name"]: each for each in json.loads(graded.to_json())["checks"]}

    return judge


def edit(catalog: Catalog, exercise: str, name: str, old: str, new: str) -> None:
    path = catalog.find(exercise).root / name
    text = path.read_text()
    assert text.count(old) == 1, f"{old!r} is in {path} {text.count(old)} times"
    path.write_text(text.replace(old, new))


def edit_op(catalog: Catalog, body: str) -> None:
    """Gives `negate` of 00 another body; ``x`` is its argument and ``y`` the right answer."""
    lines = "\n".join(f"    {line}" for line in ("y = torch.ops.toy_negate.negate(x)", *body.splitlines()))
    edit(catalog, "00", "op.py", "    return torch.ops.toy_negate.negate(x)", lines)


def edit_backward(catalog: Catalog, result: str) -> None:
    old = "return product(grad, b, 0.0), product(grad, a, 0.0), None"
    edit(catalog, "01", "op.py", old, f"return {result}")


# The course itself


def test_the_solved_course_passes(solved_course: Catalog) -> None:
    run = grader("check", "--all", "--course", str(solved_course.course))
    assert_passed(run)
    assert "Every exercise is passed." in run.text


def test_an_untouched_stub_names_every_open_todo(toy_catalog: Catalog) -> None:
    run = check(toy_catalog, "00")
    assert run.code == NOT_PASSED
    assert "kernel.cu:6: TODO(index): compute this thread's global index" in run.text
    assert "kernel.cu:7: TODO(store): store minus the element" in run.text
    assert "grader hint 00" in run.text


@pytest.mark.parametrize(
    ("wanted", "nearest"),
    [("42", "00_negate, 01_muladd"), ("mulad", "01_muladd"), ("exercises/01_mulad", "01_muladd")],
)
def test_an_unknown_exercise_is_answered_with_the_nearest(
    toy_catalog: Catalog, wanted: str, nearest: str
) -> None:
    run = check(toy_catalog, wanted)
    assert run.code == USAGE
    assert f"There is no exercise '{wanted}'" in run.text
    assert f"nearest are {nearest}." in run.text
    assert run.err.splitlines()[-1] == "Run: grader list"


# What the compiler refuses


def test_a_syntax_error_shows_the_learners_lines_and_with_verbose_all(solved_course: Catalog) -> None:
    edit(solved_course, "00", "kernel.cu", "y[i] = -x[i];", "y[i] = -x[i]")
    run = check(solved_course, "00")
    assert run.code == NOT_PASSED
    assert "kernel.cu:8" in run.text
    assert re.search(r"error: expected .;. before", run.text)
    assert "ninja" not in run.text
    assert len(check(solved_course, "00", "--verbose").out) > len(run.out)


def test_a_missing_header_is_named(solved_course: Catalog) -> None:
    edit(solved_course, "00", "kernel.cu", "#include <cstdint>", "#include <cub/nowhere.cuh>")
    run = check(solved_course, "00")
    assert run.code == NOT_PASSED
    assert "kernel.cu:2" in run.text
    assert "cub/nowhere.cuh" in run.text


def test_a_missing_compiler_is_this_machines_fault(solved_course: Catalog, tmp_path: Path) -> None:
    run = check(solved_course, "00", CXX="/nowhere/g++", CUSIMT_CACHE=str(tmp_path / "cache"))
    assert run.code == INFRASTRUCTURE
    assert "/nowhere/g++" in run.text
    assert "grader doctor" in run.text


# What op.py does


def test_an_op_that_raises_on_import_names_the_line(solved_course: Catalog) -> None:
    edit(solved_course, "01", "op.py", "import grader\n", "import grader\nraise KeyError('what I forgot')\n")
    run = check(solved_course, "01")
    assert run.code == NOT_PASSED
    assert "KeyError at op.py:8: 'what I forgot'" in run.text


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ("return torch.cat([y.reshape(-1), y.reshape(-1)])", "fail", ["shape", "(2,)", "(1,)"]),
        ("return y.double()", "fail", ["float64", "float32"]),
        ("return y.cpu()", "fail", ["cpu", "cuda:0"]),
        ("return None", "fail", ["None"]),
        ("return y * float('nan')", "fail", ["nan"]),
        ("raise ValueError('what I think')", "fail", ["ValueError", "what I think", "op.py:12"]),
        ("print('x' * (1 << 30))\nreturn y", "crash", ["printed more than"]),
    ],
    ids=["shape", "dtype", "device", "None", "NaN", "exception", "1 GB of printing"],
)
def test_what_op_py_returns_or_does_wrong_is_said(
    solved_course: Catalog, body: str, status: str, words: list[str], verdict: Judge
) -> None:
    edit_op(solved_course, body)
    code, checks = verdict(solved_course, "00")
    assert code == NOT_PASSED
    assert checks["build"]["status"] == "pass"
    assert checks["correctness"]["status"] == status
    told = " ".join(str(checks["correctness"][key]) for key in ("sentence", "expected", "got"))
    assert [word for word in words if word not in told] == [], told


def test_a_missing_gradient_names_the_input(solved_course: Catalog, verdict: Judge) -> None:
    edit_backward(solved_course, "product(grad, b, 0.0), None, None")
    code, checks = verdict(solved_course, "01")
    assert code == NOT_PASSED
    assert checks["correctness"]["status"] == "pass"
    assert checks["gradient"]["status"] == "fail"
    assert "None" in checks["gradient"]["sentence"] and " b" in checks["gradient"]["sentence"]


def test_a_nan_gradient_is_not_a_pass(solved_course: Catalog, verdict: Judge) -> None:
    edit_backward(solved_course, "product(grad, b, 0.0) * float('nan'), product(grad, a, 0.0), None")
    code, checks = verdict(solved_course, "01")
    assert (code, checks["gradient"]["status"]) == (NOT_PASSED, "fail")
    assert "nan" in checks["gradient"]["sentence"] + checks["gradient"]["got"]


# What stands in for a kernel


def test_a_loop_on_the_host_is_not_device_work(solved_course: Catalog, verdict: Judge) -> None:
    path = solved_course.find("00").root / "kernel.cu"
    text = path.read_text()
    launch = text[text.index("    negate_kernel<<<") : text.rindex("}")]
    path.write_text(text.replace(launch, "    for (int64_t i = 0; i < n; ++i) y[i] = -x[i];\n"))
    code, checks = verdict(solved_course, "00")
    assert (code, checks["device_work"]["status"]) == (NOT_PASSED, "fail")
    assert checks["correctness"]["not_own"] == "host code computed them"


def test_a_library_call_is_not_device_work(solved_course: Catalog, verdict: Judge) -> None:
    edit_op(solved_course, "return torch.neg(x)")
    code, checks = verdict(solved_course, "00")
    assert (code, checks["device_work"]["status"]) == (NOT_PASSED, "fail")
    assert "neg" in checks["device_work"]["sentence"]


# What a kernel or a launcher does


def test_an_endless_kernel_is_stopped(solved_course: Catalog) -> None:
    """After a time of the processor that only a lane can set: the command's is half a minute."""
    edit(solved_course, "00", "kernel.cu", "y[i] = -x[i];", "for (volatile int spin = 1; spin;) {}")
    exercise = solved_course.find("00")
    limits = Limits(seconds=5.0)
    with open_lane("simt", solved_course.course, [exercise], isolate=False, limits=limits) as lane:
        verdict = grade(exercise, exercise.root, backend="simt", seed=1, zygote=lane)
    said = {each.name: each.sentence for each in verdict.checks}
    assert verdict.status is Status.FAIL
    assert "raised AcceleratorError at op.py:11: CUDA error: the launch timed out" in said["correctness"]
    assert "The kernel exceeded its time limit and was stopped." in said["safety"], said["safety"]


def test_a_barrier_that_not_all_threads_reach_is_named(solved_course: Catalog) -> None:
    edit(solved_course, "00", "kernel.cu", "y[i] = -x[i];", "if (i % 2) __syncthreads(); y[i] = -x[i];")
    run = check(solved_course, "00")
    assert run.code == NOT_PASSED
    assert "__syncthreads" in run.text
    assert "kernel.cu:8" in run.text


def test_an_exception_in_a_launcher_is_an_error_of_the_call(solved_course: Catalog, verdict: Judge) -> None:
    edit(solved_course, "00", "kernel.cu", "#include <cstdint>", "#include <cstdint>\n#include <stdexcept>")
    old = "    if (n == 0) return;\n"
    edit(solved_course, "00", "kernel.cu", old, 'throw std::runtime_error("launcher gave up");\n')
    code, checks = verdict(solved_course, "00")
    assert (code, checks["correctness"]["status"]) == (NOT_PASSED, "fail")
    assert "launcher gave up" in checks["correctness"]["sentence"]


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("*reinterpret_cast<volatile int*>(8) = 0;", ["SIGSEGV"]),
        ("_exit(0);", ["ended its own worker", "exit code 0"]),
    ],
    ids=["segfault", "_exit(0)"],
)
def test_a_launcher_that_ends_its_worker_is_told_how(
    solved_course: Catalog, code: str, words: list[str], verdict: Judge
) -> None:
    edit(solved_course, "00", "kernel.cu", "#include <cstdint>", "#include <cstdint>\n#include <unistd.h>")
    edit(solved_course, "00", "kernel.cu", "    if (n == 0) return;\n", f"    {code}\n")
    exit_code, checks = verdict(solved_course, "00")
    assert (exit_code, checks["correctness"]["status"]) == (NOT_PASSED, "crash")
    assert [word for word in words if word not in checks["correctness"]["sentence"]] == []


# What happens around the grader


def seeded_cache(folder: Path) -> dict[str, str]:
    """The settings for a cache of one's own that begins with what is made once per machine, and nothing else.

    That is the simulated GPU, and the precompiled headers that there are.
    """
    device = libraries.device_library().parent
    for room in MADE_ONCE:
        (folder / "cache" / room).mkdir(parents=True)
        for entry in (cache_root() / room).glob("*/"):
            if entry.suffix != ".building":
                (folder / "cache" / room / entry.name).symlink_to(entry)
    with pytest.MonkeyPatch.context() as patch:  # the device's name depends on where the runtime is
        patch.setenv("CUSIMT_CACHE", str(folder / "cache"))
        libraries._device.__wrapped__().path.parent.symlink_to(device)
    return {"CUSIMT_CACHE": str(folder / "cache")}


def damage(folder: Path) -> int:
    """Cuts off every file that was compiled for the toy exercise; returns how many there were."""
    compiled = [path for room in ("objects", "libraries") for path in folder.joinpath(room).glob("*/*.[os]*")]
    for path in compiled:
        path.chmod(0o644)
        path.write_bytes(path.read_bytes()[:100])
    return len(compiled)


def test_a_corrupted_cache_is_rebuilt(solved_course: Catalog, tmp_path: Path) -> None:
    cache = seeded_cache(tmp_path)
    assert_passed(check(solved_course, "00", **cache))
    assert damage(tmp_path / "cache") >= 2
    assert_passed(check(solved_course, "00", **cache))


def unfinished(cache: Path) -> list[str]:
    """The folders that a build fills now. One may go while it is listed, for which rglob would raise."""
    found = [Path(folder, name) for folder, inside, _ in os.walk(cache) for name in inside]
    return [str(path.relative_to(cache)) for path in found if path.suffix == ".building"]


def test_a_build_that_was_killed_leaves_nothing_behind(solved_course: Catalog, tmp_path: Path) -> None:
    cache = seeded_cache(tmp_path)
    process = start("check", "00", "--course", str(solved_course.course), environment=cache)
    assert waited(lambda: unfinished(tmp_path / "cache"))
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert_passed(check(solved_course, "00", **cache))
    assert unfinished(tmp_path / "cache") == []


@pytest.mark.usefixtures("interruptible")
def test_an_interrupted_check_leaves_quietly(solved_course: Catalog) -> None:
    edit(solved_course, "00", "kernel.cu", "y[i] = -x[i];", "for (volatile int spin = 1; spin;) {}")
    process = start("check", "00", "--course", str(solved_course.course))
    assert process.stderr is not None
    assert "00_negate:" in process.stderr.readline()  # ten seconds of work are reported, so it is under way
    os.killpg(process.pid, signal.SIGINT)
    run = finish(process)
    assert run.code == 128 + signal.SIGINT
    assert (
        run.err.splitlines()[-1] == "Interrupted. What was finished is kept; the same command does the rest."
    )


def test_two_graders_at_once_agree(solved_course: Catalog) -> None:
    edit(solved_course, "00", "kernel.cu", "// y = -x,", f"// Edited by process {os.getpid()}.\n// y = -x,")
    arguments = ("check", "00", "--course", str(solved_course.course))
    first, second = start(*arguments), start(*arguments)
    assert (finish(first).code, finish(second).code) == (PASSED, PASSED)


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs the package bubblewrap")
def test_a_read_only_course_is_graded_and_progress_is_kept(solved_course: Catalog, tmp_path: Path) -> None:
    course = str(solved_course.course)
    read_only = ["bwrap", "--dev-bind", "/", "/", "--ro-bind", course, course]
    cache = seeded_cache(tmp_path)
    run = finish(start("check", "00", "--plain", "--course", course, environment=cache, inside=read_only))
    assert_passed(run)
    listed = finish(start("list", "--course", course, environment=cache, inside=read_only))
    assert "2 exercises, 1 passed." in listed.text
    refused = finish(start("reset", "00", "--course", course, environment=cache, inside=read_only))
    assert refused.code == USAGE
    assert "cannot be written" in refused.text
    assert not (solved_course.course / ".cu2grad").exists()
