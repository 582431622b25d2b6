"""Builds in a sandbox: what compilers, and programs that a source gets to run, can read, take and leave."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from grader.compilation import ninja
from grader.compilation.ninja import Edge, NinjaRun
from grader.packages import PackageRequest, build_package, outputs, running
from grader.run import Limits, compilers
from grader.support.errors import BuildFailed
from tests.adversarial.lane import isolated
from tests.adversarial.test_packages import tiny

pytestmark = [isolated]


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file of this user's, which any compiler outside of a sandbox would read."""
    path = tmp_path / "secret.h"
    path.write_text("int secret = 987654321;\n")
    return path


@pytest.fixture(autouse=True)
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compilers, "_MEMORY_BYTES", 2**28)
    monkeypatch.setattr(ninja, "ENCLOSED_SECONDS", 20.0)


def compile_(tmp_path: Path, source: str, *flags: str) -> NinjaRun:
    """Compile a source that lies in a folder of its own."""
    folder = tmp_path / "learner"
    folder.mkdir(exist_ok=True)
    (folder / "kernel.cpp").write_text(source)
    return run(tmp_path, "g++", *flags, "-c", str(folder / "kernel.cpp"), "-o", str(_object(tmp_path)))


def run(tmp_path: Path, *command: str) -> NinjaRun:
    """What one command of a build comes to."""
    scratch = tmp_path / "scratch"
    for folder in (scratch, _object(tmp_path).parent):
        folder.mkdir(exist_ok=True)
    edge = Edge(_object(tmp_path), (), command)
    return ninja.run([edge], scratch, enclose=compilers.enclosing("plain"))


def _object(tmp_path: Path) -> Path:
    return tmp_path / "objects" / "object.o"


def test_an_honest_source_compiles(tmp_path: Path) -> None:
    (tmp_path / "learner").mkdir()
    (tmp_path / "learner/own.h").write_text("#include <vector>\n")
    outcome = compile_(tmp_path, '#include "own.h"\nint size() { return std::vector<int>(3).size(); }\n')
    assert outcome.ok, outcome.log
    assert _object(tmp_path).stat().st_size > 0


@pytest.mark.parametrize(
    "source",
    [
        '#include "{secret}"\nint main() {{ return secret; }}\n',
        '#include "../secret.h"\nint main() {{ return secret; }}\n',
        'asm(".incbin \\"{secret}\\"");\n',
    ],
)
def test_other_files_cannot_be_included(tmp_path: Path, secret: Path, source: str) -> None:
    outcome = compile_(tmp_path, source.format(secret=secret))
    assert not outcome.ok
    assert "No such file" in outcome.log or "file not found" in outcome.log
    assert "987654321" not in outcome.log


def test_processes_and_environment_of_the_grader_are_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_SECRET", "hidden")
    outcome = run(tmp_path, "sh", "-c", "env; cat /proc/*/environ; exit 1")
    assert "/proc" not in outcome.log.replace("cat /proc", "")
    assert "hidden" not in outcome.log
    outcome = run(tmp_path, "sh", "-c", "ls -d /proc/[0-9]* | wc -l; exit 1")
    numbers = [int(line) for line in outcome.log.splitlines() if line.isdecimal()]
    assert numbers[0] < 12


def test_nothing_is_written_but_outputs(tmp_path: Path) -> None:
    stolen = tmp_path / "stolen"
    outcome = run(tmp_path, "sh", "-c", f"echo x > {_object(tmp_path)}; echo x > {stolen}; echo x > /usr/x")
    assert "Read-only file system" in outcome.log
    assert not stolen.exists()  # what it wrote into is a scratch folder of the sandbox
    assert _object(tmp_path).read_text() == "x\n"


def test_a_macro_bomb_runs_out_of_memory_and_not_the_machine(tmp_path: Path) -> None:
    bomb = "#define A0 1,\n"
    bomb += "".join(f"#define A{n} A{n - 1} A{n - 1} A{n - 1} A{n - 1}\n" for n in range(1, 16))
    outcome = compile_(tmp_path, f"{bomb}int numbers[] = {{ A15 }};\n")
    assert not outcome.ok
    assert "memory" in outcome.log or "stopped after" in outcome.log or "Killed" in outcome.log


def test_a_compiler_that_does_not_end_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ninja, "ENCLOSED_SECONDS", 1.0)
    outcome = run(tmp_path, "sleep", "1000")
    assert not outcome.ok
    assert outcome.log.endswith("error: the compiler was stopped after 1 seconds\n")


def test_a_flood_of_errors_is_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ninja, "MOST_LOG_BYTES", 2**20)
    outcome = run(tmp_path, "sh", "-c", "head -c 8000000 /dev/zero | tr '\\0' x; exit 1")
    assert not outcome.ok
    assert len(outcome.log) < 2**20 + 100
    assert outcome.log.endswith("error: the compiler was stopped after it had printed 1 MiB\n")


def test_a_huge_output_is_cut_off(tmp_path: Path) -> None:
    outcome = run(tmp_path, "sh", "-c", f"head -c 600000000 /dev/zero > {_object(tmp_path)}")
    assert not outcome.ok
    assert _object(tmp_path).stat().st_size <= 2**28


# ---- setup.py ----------------------------------------------------------------------------------------------


def attempt(tmp_path: Path, lines: str) -> str:
    """What the build says of a setup.py that does this and then ends."""
    request: PackageRequest = tiny(tmp_path, f"{lines}\nraise SystemExit('came through')", isolate=True)
    with pytest.raises(BuildFailed) as caught:
        build_package(request)
    return f"{caught.value} {caught.value.log}"


def test_setup_py_cannot_read_private_files_or_have_private_files_read_for_it(
    tmp_path: Path, secret: Path
) -> None:
    """A link in the place of the log or the report would be followed outside, where the file is there."""
    seen = attempt(tmp_path, f"print(os.path.exists({str(secret)!r}), os.path.exists('/etc/passwd'))")
    assert "False False" in seen
    said = attempt(
        tmp_path,
        "out = [path for path in pathlib.Path('..').resolve().glob('out')][0]\n"
        "for name in ('build.log', 'report.json', 'tiny-1.0-py3-none-any.whl'):\n"
        "    (out / name).unlink(missing_ok=True)\n"
        f"    (out / name).symlink_to({str(secret)!r})\n",
    )
    assert "987654321" not in said


def test_setup_py_leaves_no_objects_for_the_next_one(tmp_path: Path) -> None:
    """Objects are kept from one build to the next, but not where a stranger could have made them."""
    left = "pathlib.Path('build/temp.any/kernel.o')"
    attempt(tmp_path, f"{left}.parent.mkdir(parents=True)\n{left}.write_text('another kernel')")
    assert "here: False" in attempt(tmp_path, f"print('here:', {left}.exists())")


def test_nothing_of_the_simulated_gpu_is_compiled_again_for_a_setup_py(tmp_path: Path) -> None:
    """Who adds to the cache takes a lock first; within the sandbox, what is added is lost at the end."""
    locks = "pathlib.Path(os.environ['CUSIMT_CACHE']) / 'locks'"
    assert "locks: []" in attempt(tmp_path, f"print('locks:', [*({locks}).glob('*')])")


def test_a_pipe_in_the_place_of_the_log_keeps_nobody_waiting(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert outputs.text(pipe) == ""
    with pytest.raises(OSError, match="regular"):
        outputs.content(pipe, 10)


def test_a_fork_bomb_in_setup_py_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "Limits", lambda: Limits(processes=60))
    said = attempt(
        tmp_path,
        "import time\ncount = 0\n"
        "try:\n"
        "    while count < 100:\n"
        "        if os.fork() == 0:\n"
        "            time.sleep(60)\n"
        "            os._exit(0)\n"
        "        count += 1\n"
        "except OSError as error:\n"
        "    print('stopped by', error)\n",
    )
    assert "stopped by [Errno 11]" in said


def test_setup_py_that_fills_the_disk_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "MOST_FILES", 1000)
    said = attempt(
        tmp_path,
        "import time\nfor number in range(3000):\n    pathlib.Path(f'file{number}').touch()\ntime.sleep(60)",
    )
    assert "The build was stopped when it had written" in said
