"""Submissions that want a pass without the kernel: which check refuses each, and with which sentence.

The honest solution of the same exercise has to pass every one of those checks. docs/reference/trust.md says
what no check here can refuse.
"""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from cusimt.support.toolchain import host_compiler
from grader.audit import Objection, audit_library, audit_python, audit_sources
from grader.checks import grade
from grader.course.catalog import Catalog, Exercise
from grader.run import landlock
from grader.verdict import CheckResult, Status

ROOT = Path(__file__).resolve().parents[2]


def replaced(catalog: Catalog, number: str, name: str, old: str, new: str) -> None:
    path = catalog.find(number).root / name
    text = path.read_text()
    assert text.count(old) == 1, f"{old!r} is in {path} {text.count(old)} times"
    path.write_text(text.replace(old, new))


def objection_to(exercise: Exercise, files: Path) -> Objection | None:
    """What the audits of everything that was written say on simt."""
    return audit_sources(exercise, files, "simt") or audit_python(exercise, files)


def refusal(catalog: Catalog, number: str) -> str:
    """The sentence of that; empty when there is no objection."""
    exercise = catalog.find(number)
    objection = objection_to(exercise, exercise.root)
    return objection.sentence if objection else ""


def judged(catalog: Catalog, number: str) -> dict[str, CheckResult]:
    exercise = catalog.find(number)
    return {check.name: check for check in grade(exercise, exercise.root, backend="simt").checks}


# ---- the audit has nothing against honest work -------------------------------------------------------------


def every_solution() -> list[tuple[Catalog, str]]:
    courses = [Catalog.open(ROOT), Catalog.open(ROOT / "tests" / "toy_course")]
    return [(course, exercise.slug) for course in courses for exercise in course.exercises]


@pytest.mark.parametrize(("catalog", "slug"), every_solution(), ids=lambda value: str(value)[:20])
def test_the_audit_accepts_every_solution_and_every_stub(catalog: Catalog, slug: str) -> None:
    exercise = catalog.find(slug)
    for files in (exercise.solution_dir, exercise.root):
        assert objection_to(exercise, files) is None


@pytest.mark.parametrize(
    "line",
    [
        "#define CUDA_CHECK(call) do { (void)(call); } while (false)",
        "#ifndef KERNEL_H_\n#define KERNEL_H_\n#endif",
        "#pragma unroll 4",
        "#include <cub/block/block_reduce.cuh>",
        "#include <curand_kernel.h>",
        "struct alignas(16) Packed { float4 values; };",
        "[[nodiscard]] __attribute__((always_inline)) inline int one() { return 1; }",
        '// asm("nop"); simt_reset(); #pragma GCC optimize("O3")',
        'const char* kText = "asm simt_reset";',
    ],
)
def test_the_audit_accepts_ordinary_cuda(solved_course: Catalog, line: str) -> None:
    replaced(solved_course, "01", "kernel.cu", "#include <cstdint>", f"#include <cstdint>\n{line}")
    assert refusal(solved_course, "01") == ""


@pytest.mark.parametrize(
    "line",
    [
        "from torch.nn import functional as F",
        "class Layer(torch.nn.Module):\n    def __init__(self): self._cache = {}",
        "def scaled(x): return math.sqrt(2.0) * x",
        "half = torch.float16",
        "import numpy as np\nhalf = np.float16(0.5)",
        "class Layer:\n    __slots__ = ('scale',)",
        "def same(x: 'torch.Tensor') -> 'torch.Tensor': return x",
        "kinds: dict[str, type[int]] = {}\nsame = type(kinds) is dict",
        "def to_host(x): return x.detach().cpu().numpy()",
    ],
)
def test_the_audit_accepts_ordinary_python(solved_course: Catalog, line: str) -> None:
    replaced(solved_course, "01", "op.py", "import grader\n", f"import grader\nimport math\n{line}\n")
    assert refusal(solved_course, "01") == ""


# ---- what the audit says ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("simt_reset", "C++, CUDA and PyTorch have documented names for what a kernel needs: use those."),
        ("_mm_pause", "Every access is checked here: write it in plain CUDA C++."),
        (
            "cublasSgemm",
            "Your own kernels must do the work, not a library's.",
        ),
        ("Dispatcher", "A class of your own needs another name."),
    ],
)
def test_the_rule_is_the_one_that_was_broken(solved_course: Catalog, name: str, rule: str) -> None:
    replaced(solved_course, "01", "kernel.cu", "#include <cstdint>", f"#include <cstdint>\nint {name}();")
    sentence = refusal(solved_course, "01")
    assert f" uses `{name}`, which " in sentence
    assert sentence.endswith(f". {rule}")


def test_a_header_beside_the_kernel_is_audited_too(solved_course: Catalog) -> None:
    root = solved_course.find("01").root
    (root / "mine.cuh").write_text('#pragma once\nasm(".incbin \\"/etc/passwd\\"");\n')
    replaced(
        solved_course, "01", "kernel.cu", "#include <cstdint>", '#include "mine.cuh"\n#include <cstdint>'
    )
    assert refusal(solved_course, "01").startswith("mine.cuh:2 uses `asm`")


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ('extern "C" void* dlsym(void*, const char*); void* f() { return dlsym(0, "x"); }', "`dlsym`"),
        ('extern "C" long syscall(long, ...); long f() { return syscall(1); }', "`syscall`"),
        ('extern "C" void simt_reset(); void f() { simt_reset(); }', "`simt_reset`"),
        ("#include <fstream>\nvoid f() { std::ofstream(\"x\") << 1; }", "basic_ofstream"),
        ("#include <thread>\nvoid f() { std::thread([] {}).detach(); }", "thread"),
        ('extern "C" void* PyObject_Str(void*); void* f() { return PyObject_Str(0); }', "`PyObject_Str`"),
        ('extern "C" void simt_writers() {}', "defines `simt_writers`"),
    ],
)  # fmt: skip
def test_a_library_that_asks_for_more_than_a_kernel_needs_is_refused(
    toy_catalog: Catalog, tmp_path: Path, code: str, words: str
) -> None:
    source, library = tmp_path / "mine.cpp", tmp_path / "mine.so"
    source.write_text(code + "\n")
    command = [*host_compiler().command, "-std=c++20", "-shared", "-fPIC", str(source), "-o", str(library)]
    subprocess.run(command, check=True)
    objection = audit_library(toy_catalog.find("01"), library, "simt")
    assert objection is not None
    assert words in objection.sentence


def test_a_refused_submission_is_not_run_and_earns_nothing(solved_course: Catalog) -> None:
    replaced(solved_course, "01", "op.py", "import grader\n", "import grader\nimport ctypes\n")
    checks = judged(solved_course, "01")
    assert checks["build"].sentence.startswith("op.py:8 imports `ctypes`. It may import abc, ")
    assert {check.status for check in checks.values()} == {Status.FAIL}
    assert sum(check.points for check in checks.values()) == 0
    assert checks["correctness"].sentence == "Not judged: it is refused."


# ---- the answer is computed on the CPU, and a kernel is launched for show ----------------------------------

IDENTITY = ("y[i] = a[i] * b[i] + c;", "y[i] = a[i];")
HOST_LOOP = """AT_DISPATCH_FLOATING_TYPES(a.scalar_type(), "loop", [&] {
        for (int64_t i = 0; i < a.numel(); ++i)
            TARGET.mutable_data_ptr<scalar_t>()[i] = a.const_data_ptr<scalar_t>()[i] *
                b.const_data_ptr<scalar_t>()[i] + static_cast<scalar_t>(c);
    });"""


def assert_host_work(catalog: Catalog) -> None:
    checks = judged(catalog, "01")
    assert checks["correctness"].sentence.startswith("The values are right, but host code took part in ")
    assert checks["device_work"].status is Status.FAIL
    assert "host code read or wrote device memory" in checks["device_work"].sentence
    assert checks["safety"].status is Status.FAIL
    assert checks["safety"].findings[0].kind == "device_pointer_on_host"


@pytest.mark.parametrize("scratch", ["at::zeros_like(a)", "a.clone()"])
def test_a_host_loop_before_a_kernel_that_only_copies(solved_course: Catalog, scratch: str) -> None:
    """Scratch memory that something else wrote first: for the kernel that reads it, all is well."""
    loop = f"at::Tensor made = {scratch};\n    {HOST_LOOP.replace('TARGET', 'made')}\n    "
    line = "at::Tensor y = at::empty_like(a);"
    replaced(solved_course, "01", "binding.cpp", line, loop + line)
    old = "launch_muladd<scalar_t>(a.const_data_ptr"
    replaced(solved_course, "01", "binding.cpp", old, old.replace("(a.", "(made."))
    replaced(solved_course, "01", "kernel.cu", *IDENTITY)
    assert_host_work(solved_course)


# ---- a worker that got past the audit can still not leave --------------------------------------------------

ESCAPES = {
    "the build cache is written": "open(CACHE + '/poison', 'w')",
    "another file is read": "open(SECRET).read()",
    "the parent's memory is read": "open(f'/proc/{os.getppid()}/mem', 'rb')",
    "the parent is stopped": "os.kill(os.getppid(), 0)",
    "a program is started": "os.execv('/bin/true', ['true'])",
    "a file is removed": "os.unlink(SECRET)",
}


@pytest.mark.skipif(landlock.version() < 6, reason="needs Landlock as of Linux 6.12")
@pytest.mark.parametrize("code", ESCAPES.values(), ids=ESCAPES.keys())
def test_a_confined_process_is_denied(tmp_path: Path, code: str) -> None:
    secret = tmp_path / "secret"
    secret.write_text("hidden")
    program = f"""
        import os, sys
        from pathlib import Path
        from grader.run import landlock, sandbox
        CACHE, SECRET = {str(tmp_path)!r}, {str(secret)!r}
        allowed = sandbox.worker_readable([])
        if sys.argv[1] == "confined":
            assert landlock.confine(allowed)
        try:
            {code}
        except PermissionError:
            print("denied")
        else:
            print("done")
    """
    said = [
        subprocess.run(
            [sys.executable, "-c", textwrap.dedent(program), how],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for how in ("confined", "free")
    ]
    assert said[0] == "denied"
    assert said[1] != "denied"  # so it is Landlock that denies it


def test_the_honest_solution_passes_every_check(solved_course: Catalog) -> None:
    checks = judged(solved_course, "01")
    assert {check.status for check in checks.values()} <= {Status.PASS, Status.UNAVAILABLE}
