"""However a program ends, and whatever it does on the way: its findings reach the process that collects."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cusimt.compiler import nvcc
from cusimt.findings import Finding
from cusimt.programs import child_findings

PROGRAM = """\
#include <cassert>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

__global__ void overrun(int* x) { x[threadIdx.x] = 1; }
__global__ void overrun_forever(int* x, volatile int* never) {
    x[threadIdx.x] = 1;
    while (!*never) {}
}
__global__ void deep(int* x, int depth) {
    volatile char frame[32 * 1024];
    memset(const_cast<char*>(frame), depth, sizeof frame);
    x[threadIdx.x] = frame[depth];
    volatile char* beyond = frame;
    for (;;) beyond[-depth++ * 4096] = 1;
}

int main(int, char** words) {
    auto is = [&](const char* word) { return strcmp(words[1], word) == 0; };
    int *x, *never;
    cudaMalloc(&x, 31 * sizeof(int));
    cudaMalloc(&never, sizeof(int));
    cudaMemset(never, 0, sizeof(int));
    if (is("kernel")) overrun_forever<<<1, 32>>>(x, never);
    for (int i = 0; i < 3; ++i) overrun<<<1, 32>>>(x);
    if (is("assert")) assert(!"this error");
    if (is("exception")) throw std::runtime_error("uncaught");
    if (is("_exit")) _exit(3);
    if (is("quick_exit")) quick_exit(3);
    if (is("fault")) *(volatile int*)nullptr = 1;
    if (is("stack")) deep<<<1, 1>>>(x, 1);
    if (is("exec")) execl("/bin/true", "true", nullptr);
    if (is("closed")) {
        for (int i = 3; i < 1000; ++i) close(i);
        int* null = nullptr;
        overrun<<<1, 1>>>(null);
    }
    if (is("fork")) {
        if (fork() == 0) _exit(0);
        wait(nullptr);
    }
    if (const char* number = getenv("SIGNAL")) raise(atoi(number));
    return 0;
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checked program whose kernel writes one element past the end, three times."""
    folder = tmp_path_factory.mktemp("endings")
    (folder / "ending.cu").write_text(PROGRAM)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(nvcc.CHECKS_VARIABLE, "1")
        assert nvcc.main([str(folder / "ending.cu"), "-o", str(folder / "ending")]) == 0
    return folder / "ending"


@pytest.fixture
def collecting(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """This process collects as `python -m cusimt` does, until the test ends."""
    monkeypatch.setattr(child_findings, "_folder", None)
    monkeypatch.setenv(child_findings.FOLDER_VARIABLE, "")
    child_findings.collect_from_children()
    yield
    assert child_findings._folder is not None
    child_findings._folder.cleanup()


def the_overrun(found: list[Finding]) -> Finding:
    (finding,) = (each for each in found if each.kernel == "overrun")
    assert (finding.kind, finding.frame.line, finding.thread) == ("out_of_bounds", 9, (31, 0, 0))
    return finding


ENDINGS = ["return", "assert", "exception", "_exit", "quick_exit", "fault", "stack", "exec", "fork"]
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL, signal.SIGABRT]


@pytest.mark.parametrize("ending", [*ENDINGS, *SIGNALS])
@pytest.mark.usefixtures("collecting")
def test_findings_survive_every_end(program: Path, ending: str | signal.Signals) -> None:
    environment = {**os.environ, **({"SIGNAL": str(int(ending))} if isinstance(ending, int) else {})}
    subprocess.run([program, str(ending)], env=environment, capture_output=True, timeout=60)
    collected = child_findings.take_all()
    assert the_overrun(collected.findings).count == 3
    assert child_findings.take_all().findings == []


@pytest.mark.usefixtures("collecting")
def test_a_program_that_closes_all_descriptors_keeps_its_findings(program: Path) -> None:
    subprocess.run([program, "closed"], capture_output=True, timeout=60)
    found = child_findings.take_all().findings
    assert the_overrun([each for each in found if each.allocation]).count >= 3
    assert len(found) == 2


@pytest.mark.usefixtures("collecting")
def test_a_kernel_that_never_ends_has_told_what_it_did_before(program: Path) -> None:
    process = subprocess.Popen([program, "kernel"])
    assert child_findings._folder is not None
    folder = Path(child_findings._folder.name)
    while not any(file.stat().st_size for file in folder.iterdir()):
        time.sleep(0.02)
    assert child_findings.take_all().findings == [], "the process lives"
    process.kill()
    process.wait()
    (finding,) = child_findings.take_all().findings
    assert (finding.kind, finding.kernel) == ("out_of_bounds", "overrun_forever")


def _heed_interrupts() -> None:
    """A suite that was started in the background ignores SIGINT, and so would all that it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_to_cusimt_ends_the_command_and_findings_are_printed(
    program: Path, number: signal.Signals
) -> None:
    words = ["sh", "-c", f"{program} return; echo begun; exec sleep 600"]
    process = subprocess.Popen(
        [sys.executable, "-m", "cusimt", "--", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        start_new_session=True,
        preexec_fn=_heed_interrupts,
    )
    with process:
        assert process.stdout is not None and process.stdout.readline() == "begun\n"
        process.send_signal(number)
        try:
            _, printed = process.communicate(timeout=60)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 128 + number
    assert "Invalid __global__ write of size 4 bytes: element 31" in printed


ENDED_BY = {
    "os._exit(3)": 3,
    "os.abort()": -signal.SIGABRT,
    "os.kill(os.getpid(), signal.SIGTERM)": -signal.SIGTERM,
    "os.kill(os.getpid(), signal.SIGKILL)": -signal.SIGKILL,
    "os.wait()": 1,
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checked library whose function `run` launches a kernel that writes one element past the end."""
    folder = tmp_path_factory.mktemp("library")
    (folder / "kernel.cu").write_text(
        "__global__ void overrun(int* x) { x[threadIdx.x] = 1; }\n"
        'extern "C" void run() { int* x; cudaMalloc(&x, 124); overrun<<<1, 32>>>(x); }\n'
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(nvcc.CHECKS_VARIABLE, "1")
        flags = ["-shared", "-Xcompiler", "-fPIC", "-o", str(folder / "library.so")]
        assert nvcc.main([*flags, str(folder / "kernel.cu")]) == 0
    return folder / "library.so"


def run_python(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", *words]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("ending", ENDED_BY)
def test_a_python_program_that_ends_without_a_word(tmp_path: Path, library: Path, ending: str) -> None:
    """In its own process, as an extension does that it has loaded: nobody is left there to report."""
    (tmp_path / "program.py").write_text(
        f"import ctypes, os, signal\nctypes.CDLL('{library}').run()\nprint('begun', flush=True)\n{ending}\n"
    )
    done = run_python(tmp_path, "cusimt", "program.py")
    assert (done.returncode, done.stdout) == (ENDED_BY[ending], "begun\n"), done.stderr
    assert done.stderr.count("Invalid __global__ write of size 4 bytes: element 31") == 1


def test_a_suite_that_one_of_its_tests_ends(tmp_path: Path, library: Path) -> None:
    (tmp_path / "test_abort.py").write_text(
        f"import ctypes, os\ndef test_abort():\n    ctypes.CDLL('{library}').run()\n    os.abort()\n"
    )
    done = run_python(tmp_path, "pytest", "-p", "cusimt", "test_abort.py")
    assert done.returncode == -signal.SIGABRT, done.stdout
    assert done.stderr.count("Invalid __global__ write of size 4 bytes: element 31") == 1
