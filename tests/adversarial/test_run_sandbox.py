"""Isolated grading: what learner code can see, reach and write when bubblewrap is around it."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cusimt.tests.waiting import has_ended
from grader.run import WorkerCrashed, WorkerTimeout, Zygote, groups, sandbox
from grader.run.session import Session
from grader.support.errors import InfrastructureError
from tests.adversarial.lane import isolated
from tests.adversarial.submissions import HONEST, LIMITS, assert_serves

ROOT = Path(__file__).resolve().parents[2]
PROBE = """
import os, socket, ctypes, pathlib, subprocess, time

def attempt(action):
    try:
        return str(action())
    except BaseException as error:
        return type(error).__name__

def read(path): return attempt(lambda: len(pathlib.Path(path).read_bytes()))
def write(path): return attempt(lambda: pathlib.Path(path).write_text("x"))
def listing(path): return attempt(lambda: sorted(os.listdir(path)))
def processes(): return len([name for name in os.listdir("/proc") if name.isdigit()])
def connect(port): return attempt(lambda: socket.create_connection(("127.0.0.1", port), 1))
def variable(name): return os.environ.get(name)
def namespace(): return ctypes.CDLL(None, use_errno=True).unshare(0x10000000)
def mount(): return ctypes.CDLL(None).mount(b"none", b"/box", b"tmpfs", 0, None)
def capabilities():
    return [line.split()[1] for line in open("/proc/self/status") if line.startswith("CapEff")][0]
def crash(): ctypes.string_at(0)
def hang():
    subprocess.Popen(["sleep", "1000"])
    while True: time.sleep(1)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("learner")
    (folder / "op.py").write_text(PROBE + "\n" + HONEST)
    return folder


@pytest.fixture(scope="module")
def session(folder: Path) -> Iterator[Session]:
    os.environ["A_SECRET"] = "hidden"
    with (
        Zygote.start("plain", isolate=True, limits=LIMITS, readable=[folder]) as zygote,
        zygote.spawn_worker() as session,
    ):
        session.load(None, folder / "op.py", folder)
        yield session
    del os.environ["A_SECRET"]


def _ask(session: Session, entry: str, *args: str | int) -> object:
    reply = session.call(entry, list(args))
    assert reply.error is None, reply.error
    return reply.outputs[0].value


@isolated
def test_an_honest_submission_is_served(session: Session) -> None:
    assert_serves(session)


@isolated
def test_other_files_are_not_there(session: Session, folder: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("x")
    assert _ask(session, "read", str(secret)) == "FileNotFoundError"
    assert _ask(session, "read", "/etc/passwd") == "FileNotFoundError"
    assert _ask(session, "read", str(folder / "op.py")) == str(len(PROBE + "\n" + HONEST))
    assert _ask(session, "listing", "/box") == "[]"
    beside = ast.literal_eval(str(_ask(session, "listing", str(ROOT))))
    assert set(beside) <= {"cusimt", "grader", ".venv"}  # no solutions; Python may be there


@isolated
def test_nothing_but_scratch_can_be_written(session: Session, folder: Path) -> None:
    assert _ask(session, "write", str(folder / "op.py")) == "OSError"
    assert _ask(session, "write", str(ROOT / "grader" / "new.py")) == "OSError"
    assert _ask(session, "write", "/usr/new") == "OSError"
    scratch = f"/tmp/new-{os.getpid()}"  # nobody else's
    assert _ask(session, "write", scratch) == "1"
    assert not Path(scratch).exists()


@isolated
def test_no_network_no_neighbours_no_rights(session: Session) -> None:
    assert _ask(session, "connect", 22) in ("ConnectionRefusedError", "OSError")
    assert int(str(_ask(session, "processes"))) <= 3  # bubblewrap, the zygote, this worker
    assert _ask(session, "capabilities") == "0000000000000000"
    assert _ask(session, "namespace") == -1
    assert _ask(session, "mount") == -1
    assert _ask(session, "variable", "A_SECRET") is None
    assert _ask(session, "variable", "HOME") == "/box"
    assert _ask(session, "read", "/proc/1/environ") == "0"  # bubblewrap's own


@isolated
def test_crashes_and_hangs_are_told_as_outside(session: Session) -> None:
    with pytest.raises(WorkerCrashed, match=r"SIGSEGV while calling `crash` at op\.py:"):
        session.call("crash", [])
    with pytest.raises(WorkerTimeout):
        session.call("hang", [], seconds=1.0)
    assert int(str(_ask(session, "processes"))) <= 3
    assert_serves(session)


@isolated
def test_everything_ends_with_the_parent(folder: Path) -> None:
    script = f"""
        import os
        from pathlib import Path
        from grader.run import Zygote
        zygote = Zygote.start("plain", isolate=True, readable=[Path({str(folder)!r})])
        session = zygote.spawn_worker()
        print(zygote.pid, flush=True)
        os.kill(os.getpid(), 9)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, timeout=600,
    )  # fmt: skip
    assert has_ended(int(done.stdout), 5.0), "bubblewrap outlived its parent"


@isolated
def test_a_zygote_that_is_closed_at_once_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In its first moments bubblewrap's child waits for its parent, and would outlive it."""
    monkeypatch.setattr(groups, "open_group", lambda *_: None)  # which would end it as well
    for number in range(20):
        zygote = Zygote.start("plain", isolate=True, readable=[tmp_path])
        time.sleep(0.001 * number)
        zygote.close()
    for _ in range(100):
        left = [path for path in Path("/proc").glob("[0-9]*/cmdline") if str(tmp_path) in _text(path)]
        if not left:
            return
        time.sleep(0.1)
    raise AssertionError(f"still there: {left}")


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


def test_a_missing_bubblewrap_is_said_plainly(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InfrastructureError, match="needs bubblewrap, and there is no `bwrap`") as caught:
        Zygote.start("plain", isolate=True)
    assert "apt install bubblewrap" in caught.value.next


def test_a_bubblewrap_that_fails_is_told_with_its_words(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    zygote = Zygote.start("plain", isolate=True)
    with pytest.raises(InfrastructureError, match="uid map: Permission denied") as caught:
        zygote.spawn_worker()
    assert caught.value.next == "Run `grader doctor`."


def test_the_command_hides_the_environment_and_binds_read_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fake = tmp_path / "bwrap"
    fake.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    environment = {"LANG": "C.UTF-8", "PATH": "/somewhere", "CUDA_VISIBLE_DEVICES": "GPU-1"}
    secrets = {"SECRET": "x", "NVIDIA_API_KEY": "x", "CU2GRAD_TOKEN": "x", "TORCH_X": "x", "CUDA_X": "x"}
    line = sandbox.prefix("plain", [tmp_path], environment | secrets)
    assert line[-3:] == ["--chdir", "/box", "--"]
    passed = {line[index + 1]: line[index + 2] for index, word in enumerate(line) if word == "--setenv"}
    assert passed.keys() == {"LANG", "PATH", "CUDA_VISIBLE_DEVICES", "HOME", "USER", "TMPDIR"}
    assert passed["CUDA_VISIBLE_DEVICES"] == "GPU-1" and passed["PATH"] != "/somewhere"
    for needed in ("--unshare-all", "--clearenv", "--die-with-parent", "--disable-userns"):
        assert needed in line
    bound = [line[index + 1] for index, word in enumerate(line) if word == "--ro-bind"]
    assert str(tmp_path) in bound
    assert not {"/", str(ROOT), str(Path.home()), str(ROOT / "solutions")} & set(bound)
    assert "--bind" not in line
    assert "--dev-bind" not in line


def test_no_program_opens_a_whole_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "real"
    (home / "bin").mkdir(parents=True)
    (home / "gcc-15" / "bin").mkdir(parents=True)
    for program in (home / "bin" / "g++", home / "gcc-15" / "bin" / "g++"):
        program.touch()
    (tmp_path / "linked").symlink_to(home)
    for name in ("real", "linked"):
        monkeypatch.setenv("HOME", str(tmp_path / name))
        assert sandbox.installed_in(tmp_path / name / "bin" / "g++") == home / "bin"
        assert sandbox.installed_in(tmp_path / name / "gcc-15" / "bin" / "g++") == home / "gcc-15"
