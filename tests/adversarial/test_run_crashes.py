"""Submissions that end, hang or multiply: each costs its own request and nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cusimt.tests.waiting import has_ended
from grader.run import LoadFailed, WorkerCrashed, WorkerTimeout
from grader.support import deadlines
from grader.support.deadlines import Usage
from tests.adversarial.submissions import Load, assert_serves, load, zygote

__all__ = ["load", "zygote"]


@pytest.mark.parametrize(
    ("statement", "signal"),
    [
        ("ctypes.string_at(0)", "SIGSEGV"),
        ("os.abort()", "SIGABRT"),
        ("os.kill(os.getpid(), 9)", "SIGKILL"),
    ],
)
def test_a_signal_is_named_with_the_line(load: Load, statement: str, signal: str) -> None:
    session = load(f"import ctypes, os\ndef entry():\n    {statement}\n")
    with pytest.raises(WorkerCrashed, match=f"crashed with {signal} while calling `entry`") as caught:
        session.call("entry", [])
    assert caught.value.signal == signal
    assert caught.value.ended_with is None
    if signal != "SIGKILL":  # which nobody can catch
        assert caught.value.where == "op.py:3"
    assert_serves(session)


def test_exit_zero_is_not_a_result(load: Load) -> None:
    session = load("import os\ndef entry():\n    os._exit(0)\n")
    with pytest.raises(WorkerCrashed, match="ended its own worker with exit code 0 while calling") as caught:
        session.call("entry", [])
    assert caught.value.ended_with == 0
    assert_serves(session)


@pytest.mark.parametrize("statement", ["sys.exit(3)", "raise KeyboardInterrupt", "raise SystemExit"])
def test_python_exits_end_the_call_only(load: Load, statement: str) -> None:
    session = load(f"import sys\nkept = []\ndef entry():\n    kept.append(1)\n    {statement}\n"
                   "def count():\n    return len(kept)\n")  # fmt: skip
    reply = session.call("entry", [])
    assert reply.error is not None
    assert reply.error.type in ("SystemExit", "KeyboardInterrupt")
    assert reply.error.where == "op.py:5"
    assert session.call("count", []).outputs[0].value == 1  # the same worker


def test_an_endless_loop_is_stopped_with_all_it_started(load: Load) -> None:
    session = load(
        """
        import os, subprocess, time
        def begin():
            child = subprocess.Popen(["sleep", "1000"])
            told, tell = os.pipe()
            if os.fork() == 0:                     # leaves the process group, and its parent dies
                os.setsid()
                if os.fork() == 0:
                    os.write(tell, str(os.getpid()).encode())
                    time.sleep(1000)
                os._exit(0)
            return child.pid, int(os.read(told, 20))
        def entry():
            while True:
                pass
        """
    )
    started = [output.value for output in session.call("begin", []).outputs]
    with pytest.raises(WorkerTimeout, match=r"still calling `entry` after 1 s") as caught:
        session.call("entry", [], seconds=1.0)
    assert caught.value.seconds == 1.0
    assert len(started) == 2
    assert [pid for pid in started if not has_ended(int(str(pid)))] == []
    assert_serves(session)


def test_a_busy_machine_costs_nothing(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ready, and without a processor: what a worker looks like while others have them all."""
    session = load("import time\ndef entry():\n    time.sleep(0.8)\n    return 7\n")
    monkeypatch.setattr(deadlines, "usage_of", lambda pid: Usage(0.0, ready=True))
    assert session.call("entry", [], seconds=0.6).outputs[0].value == 7
    monkeypatch.setattr(deadlines, "PATIENCE", 1.0)
    with pytest.raises(WorkerTimeout):  # without it, the same call is too long
        session.call("entry", [], seconds=0.6)


def test_the_time_of_a_worker_is_that_of_what_it_started(load: Load) -> None:
    session = load(
        """
        import os
        def entry():
            if os.fork():
                os.wait()
            while True:
                pass
        """
    )
    with pytest.raises(WorkerTimeout) as caught:
        session.call("entry", [], seconds=1.0)
    assert caught.value.seconds == 1.0
    assert_serves(session)


def test_the_clock_of_a_busy_machine_is_named() -> None:
    sentence = WorkerTimeout("calling `f`", 10.0, 63.2).what
    assert "was still calling `f` after 10 s (63 s by the clock of a busy machine) and was" in sentence
    assert WorkerTimeout("loading", 10.0, 10.2).what == (
        "The submission was still loading after 10 s and was stopped."
    )


def test_a_stopped_worker_is_killed_all_the_same(load: Load) -> None:
    session = load("import os, signal\ndef entry():\n    os.kill(os.getpid(), signal.SIGSTOP)\n")
    with pytest.raises(WorkerTimeout):
        session.call("entry", [], seconds=1.0)
    assert_serves(session)


def test_many_processes_end_with_their_worker(load: Load, tmp_path: Path) -> None:
    session = load(
        """
        import os, time
        def entry():
            for index in range(60):
                if os.fork() == 0:
                    if index % 2:
                        os.setsid()
                    os.fork()
                    open(f"pid-{os.getpid()}", "w").close()
                    time.sleep(1000)
            while len([name for name in os.listdir() if name.startswith("pid-")]) < 120:
                time.sleep(0.01)
            os._exit(1)
        """
    )
    with pytest.raises(WorkerCrashed, match="exit code 1"):
        session.call("entry", [])
    pids = [int(path.name[4:]) for path in tmp_path.glob("pid-*")]
    assert len(pids) == 120
    assert [pid for pid in pids if not has_ended(pid)] == []
    assert_serves(session)


def test_a_crash_while_loading_is_a_crash(load: Load) -> None:
    with pytest.raises(WorkerCrashed, match=r"SIGSEGV while loading at op\.py:2"):
        load("import ctypes\nctypes.string_at(0)\n")


def test_an_endless_import_is_stopped(load: Load) -> None:
    with pytest.raises(WorkerTimeout, match="was still loading after 1 s"):
        load("import time\ntime.sleep(1000)\n", load_seconds=1.0)


@pytest.mark.parametrize(
    ("source", "type_", "where"),
    [
        ("x = 1\nraise ValueError('not today')\n", "ValueError", "op.py:2"),
        ("x = 1\ny = (\n", "SyntaxError", "op.py:2"),
        ("import no_such_module\n", "ModuleNotFoundError", "op.py:1"),
        ("raise SystemExit(0)\n", "SystemExit", "op.py:1"),
    ],
)
def test_what_an_import_raises_is_told_with_its_place(
    load: Load, source: str, type_: str, where: str
) -> None:
    with pytest.raises(LoadFailed, match=f"Loading the submission raised {type_} at {where}") as caught:
        load(source)
    assert (caught.value.error.type, caught.value.error.where) == (type_, where)


def test_the_zygote_outlives_its_murder(load: Load) -> None:
    session = load("import os\ndef entry():\n    os.kill(os.getppid(), 9)\n    while True: pass\n")
    with pytest.raises(Exception, match="stopped the process that starts workers"):
        session.call("entry", [], seconds=5.0)
    assert_serves(session)


def test_a_frozen_zygote_is_replaced(load: Load) -> None:
    session = load(
        "import os, signal\ndef entry():\n    os.kill(os.getppid(), signal.SIGSTOP)\n    os._exit(4)\n"
    )
    with pytest.raises(Exception, match="stopped the process that starts workers"):
        session.call("entry", [])
    assert_serves(session)


def test_nothing_is_left_of_a_closed_session(load: Load) -> None:
    session = load("import os\ndef entry():\n    return os.getpid()\n")
    pid = session.call("entry", []).outputs[0].value
    assert isinstance(pid, int)
    assert Path(f"/proc/{pid}").exists()
    session.close()
    assert has_ended(pid)
    assert pid != os.getpid()
