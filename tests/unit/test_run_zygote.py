"""Starting and ending: the zygote is quick to return, says why it failed, and outlives nobody."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from cusimt.programs.schedules import SAMPLE_VARIABLE
from cusimt.tests.waiting import PATIENCE, has_ended
from grader.run import Limits, Zygote, limits
from grader.support.errors import InfrastructureError, UsageError
from grader.support.processes import ends_within
from tests.adversarial.submissions import LIMITS, Load, assert_serves, load, zygote

__all__ = ["load", "zygote"]
ROOT = Path(__file__).resolve().parents[2]


def _python(script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=False,
        timeout=600, env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
    )  # fmt: skip


def test_starting_a_zygote_imports_no_torch() -> None:
    done = _python(
        """
        import sys
        from grader.run import Zygote
        with Zygote.start("plain"):
            print("torch" in sys.modules, "numpy" in sys.modules)
        """
    )
    assert (done.stdout, done.stderr) == ("False False\n", "")


def test_a_confined_worker_knows_the_folder_for_temporary_files() -> None:
    """Torch's compiler asks for it, which a first call of a custom operator imports. Where dill is installed,
    torch imports that, and dill has asked before.
    """
    done = _python(
        """
        import sys, tempfile
        sys.modules["dill"] = None
        from grader.run import zygote
        zygote.prepare("simt")
        tempfile._get_default_tempdir = None  # as good as forbidden
        import torch._dynamo
        print(tempfile.gettempdir())
        """
    )
    assert done.returncode == 0 and Path(done.stdout.strip()).is_dir(), done.stderr


def test_an_unknown_backend_is_refused() -> None:
    with pytest.raises(InfrastructureError, match="no backend `metal`"):
        Zygote.start("metal")


@pytest.mark.parametrize("backend", ["plain", "simt"])
def test_nothing_is_judged_in_a_sampled_run(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SAMPLE_VARIABLE, "4")
    with pytest.raises(UsageError, match="grading runs every block"):
        Zygote.start(backend)


def test_a_zygote_that_does_not_start_is_told_with_its_last_words(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = tmp_path / "torch"
    broken.mkdir()
    (broken / "__init__.py").write_text("raise ImportError('libtorch_cpu.so: file too short')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    zygote = Zygote.start("plain")
    with pytest.raises(InfrastructureError, match="plain backend did not start") as caught:
        zygote.spawn_worker()
    assert "libtorch_cpu.so: file too short" in caught.value.what
    assert caught.value.next == "Run `grader doctor`."
    zygote.close()


@pytest.mark.slow("starts a process that imports torch")
def test_a_file_in_the_current_folder_is_not_imported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "torch.py").write_text("raise SystemExit('a learner named a file torch.py')\n")
    monkeypatch.chdir(tmp_path)
    with Zygote.start("plain") as zygote, zygote.spawn_worker() as session:
        session.close()


@pytest.mark.slow("starts a process that imports torch")
def test_zygote_and_workers_end_with_the_parent(tmp_path: Path) -> None:
    (tmp_path / "op.py").write_text("import os\ndef pid(): return os.getpid()\n")
    done = _python(
        f"""
        import os
        from pathlib import Path
        from grader.run import Zygote
        zygote = Zygote.start("plain")
        session = zygote.spawn_worker()
        folder = Path({str(tmp_path)!r})
        session.load(None, folder / "op.py", folder)
        print(zygote.pid, session.call("pid", []).outputs[0].value, flush=True)
        os.kill(os.getpid(), 9)
        """
    )
    pids = [int(word) for word in done.stdout.split()]
    assert len(pids) == 2, done.stderr
    assert [pid for pid in pids if not has_ended(pid)] == []


@pytest.mark.slow("starts a process that imports torch")
def test_a_zygote_outlives_the_thread_that_started_it() -> None:
    started: list[Zygote] = []
    thread = threading.Thread(target=lambda: started.append(Zygote.start("plain")))
    thread.start()
    thread.join()
    with started[0] as zygote:
        zygote.spawn_worker().close()
        assert Path(f"/proc/{zygote.pid}/exe").exists()  # a zombie has none


@pytest.mark.slow("starts processes that import torch")
def test_a_worker_is_started_ahead_or_when_it_is_asked_for() -> None:
    for ahead in (True, False):
        with Zygote.start("plain", ahead=ahead) as zygote:
            zygote.spawn_worker().close()
            zygote.clear()
            assert zygote.pid is not None
            until = time.monotonic() + (PATIENCE if ahead else 0.5)
            while not (children := limits.children_of(zygote.pid)) and time.monotonic() < until:
                time.sleep(0.01)
            assert bool(children) is ahead
            zygote.spawn_worker().close()


@pytest.mark.slow("starts processes that import torch")
def test_a_lazy_zygote_has_ended_its_workers_before_it_forks_another() -> None:
    with Zygote.start("plain", lazy=True) as zygote:
        session = zygote.spawn_worker()
        workers = limits.children_of(zygote.pid or 0)
        session.close()
        zygote.clear()
        with zygote.spawn_worker():
            now = limits.children_of(zygote.pid or 0)
    assert workers and now and not set(workers) & set(now)


def test_a_closed_zygote_starts_no_more_workers() -> None:
    zygote = Zygote.start("plain")
    zygote.close()
    with pytest.raises(InfrastructureError, match="had been closed"):
        zygote.spawn_worker()
    zygote.close()


def test_several_workers_live_side_by_side(zygote: Zygote, load: Load) -> None:
    sessions = [load("import os\ndef pid(): return os.getpid()\n") for _ in range(3)]
    pids = {session.call("pid", []).outputs[0].value for session in sessions}
    assert len(pids) == 3
    sessions[1].close()
    assert_serves(sessions[0])
    assert_serves(sessions[2])


def test_a_worker_has_no_descriptors_of_its_neighbours(load: Load) -> None:
    source = """
        import os
        def sockets():
            found = []
            for name in os.listdir("/proc/self/fd"):
                try:
                    if os.readlink(f"/proc/self/fd/{name}").startswith("socket:"): found.append(name)
                except FileNotFoundError:
                    pass
            return len(found)
        """
    assert [load(source).call("sockets", []).outputs[0].value for _ in range(3)] == [1, 1, 1]


def test_limits_are_in_force_in_a_worker(load: Load) -> None:
    session = load(
        """
        import resource, os
        def limits():
            return [resource.getrlimit(which)[0]
                    for which in (resource.RLIMIT_DATA, resource.RLIMIT_FSIZE, resource.RLIMIT_CORE)]
        def leader(): return os.getpgrp() == os.getpid() == os.getsid(0)
        """
    )
    values = [out.value for out in session.call("limits", []).outputs]
    assert values == [LIMITS.memory_bytes, LIMITS.file_bytes, 0]
    assert session.call("leader", []).outputs[0].value is True


def test_the_default_memory_limit_leaves_room_for_torch() -> None:
    assert 2 * 2**30 <= Limits().memory_bytes <= 16 * 2**30


def test_children_are_found_and_strangers_are_not() -> None:
    with subprocess.Popen(["sleep", "1000"]) as child:
        assert child.pid in limits.children_of(os.getpid())
        assert os.getpid() not in limits.children_of(os.getpid())
        assert child.pid not in limits.children_of(child.pid)
        child.kill()


def test_a_worker_that_cannot_start_is_not_the_submissions_fault(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Every fork of this zygote dies before it serves, as where the device cannot be opened."""
    (tmp_path / "sitecustomize.py").write_text(
        "import os\nos.register_at_fork(after_in_child=lambda: os._exit(9))\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with Zygote.start("plain") as zygote, pytest.raises(InfrastructureError) as caught:
        zygote.spawn_worker()
    assert caught.value.what.startswith("A worker could not start.")
    assert "nothing counts against the submission" in caught.value.rule


def test_a_worker_that_is_late_says_how_long_it_was_waited_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Every fork of this zygote sleeps before it serves, as on a machine that has no time for it."""
    (tmp_path / "sitecustomize.py").write_text(
        "import os, time\nos.register_at_fork(after_in_child=lambda: time.sleep(60))\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with (
        Zygote.start("plain", limits=Limits(load_seconds=0.0)) as zygote,
        pytest.raises(InfrastructureError) as caught,
    ):
        zygote.spawn_worker()
    assert caught.value.what.startswith("A worker could not start within 0 s: is the machine busy?")


def test_a_start_that_fails_once_harms_neither_the_next_nor_other_files(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Of a restart after a submission: the killed process is not killed again, nor its descriptors closed."""
    source = Zygote.start("plain", limits=LIMITS)
    monkeypatch.setattr(type(source), "reusable", False)
    start = subprocess.Popen

    def refused(*_: object, **__: object) -> subprocess.Popen[bytes]:
        raise BlockingIOError("no more processes")

    with source:
        source.spawn_worker().close()
        source.clear()
        before = list(Path("/proc/self/fd").iterdir())
        monkeypatch.setattr(subprocess, "Popen", refused)
        with pytest.raises(BlockingIOError):
            source.clear()
        monkeypatch.setattr(subprocess, "Popen", start)
        files = [(tmp_path / str(number)).open("w") for number in range(8)]  # take the numbers that are free
        source.spawn_worker().close()
        source.clear()
        assert len(list(Path("/proc/self/fd").iterdir())) == len(before) + len(files)
        for file in files:
            file.write("still open")
            file.close()


def test_a_process_that_has_ended_keeps_its_number_until_it_is_reaped() -> None:
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(0.2)"])
    assert not ends_within(child.pid, 0)
    assert ends_within(child.pid, PATIENCE)
    assert os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT) is not None
    child.wait()


def test_closing_ends_the_zygote_though_what_was_put_off_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    source = Zygote.start("plain", limits=LIMITS, lazy=True)
    session = source.spawn_worker()

    def failing(*_: object) -> None:
        raise OSError("retiring failed")

    monkeypatch.setattr(source, "end", failing)
    session.close()
    pid = source.pid
    assert pid is not None
    with pytest.raises(OSError, match="retiring failed"):
        source.close()
    assert source.pid is None
    assert has_ended(pid)
