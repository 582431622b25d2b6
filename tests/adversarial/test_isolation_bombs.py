"""Bombs in a sandbox whose code may start processes: what setup.py runs in, and a GPU's workers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.run import WorkerCrashed, Zygote, groups
from grader.run.limits import processes_are_counted_in_namespaces
from tests.adversarial.lane import LIMITS, TOOLS, isolated
from tests.adversarial.submissions import HONEST, assert_serves

ROOT = Path(__file__).resolve().parents[2]
BOMBS = """
def processes():
    '''How many can be started at once.'''
    started = []
    try:
        while len(started) < 1000:
            child = os.fork()
            if child == 0:
                time.sleep(60)
                os._exit(0)
            started.append(child)
    except OSError as error:
        return [len(started), errno.errorcode[error.errno]]
    return [len(started), ""]

def threads():
    gate = threading.Event()
    count = 0
    threading.stack_size(65536)
    try:
        while count < 1000:
            threading.Thread(target=gate.wait, daemon=True).start()
            count += 1
    except RuntimeError:
        pass
    gate.set()
    return count

def shared_memory():
    '''Counts against no limit of a process.'''
    import mmap
    kept = []
    for _ in range(64):
        kept.append(mmap.mmap(-1, 2**26))
        kept[-1][::4096] = bytes(2**26 // 4096)
    return len(kept)
"""


LIMIT = groups.process_limit()
bounded = pytest.mark.skipif(
    not LIMIT, reason="needs a control group, or Linux 5.14 and a user other than root"
)
pytestmark = [isolated]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bomb")
    (folder / "op.py").write_text(TOOLS + BOMBS + HONEST)
    return folder


@pytest.fixture(scope="module")
def zygote(folder: Path) -> Iterator[Zygote]:
    with Zygote.start("plain", isolate=True, limits=LIMITS, readable=[folder]) as zygote:
        yield zygote


@pytest.fixture(autouse=True)
def the_next_is_served(zygote: Zygote, folder: Path) -> Iterator[None]:
    yield
    with zygote.spawn_worker() as session:
        session.load(None, folder / "op.py", folder)
        assert_serves(session)


@bounded
def test_a_fork_bomb_is_bounded(zygote: Zygote, folder: Path) -> None:
    with zygote.spawn_worker() as session:
        session.load(None, folder / "op.py", folder)
        count, error = (output.value for output in session.call("processes", []).outputs)
    assert error == "EAGAIN"
    assert 0 < int(str(count)) < LIMITS.processes


@bounded
def test_a_thread_bomb_is_bounded(zygote: Zygote, folder: Path) -> None:
    with zygote.spawn_worker() as session:
        session.load(None, folder / "op.py", folder)
        assert 0 < int(str(session.call("threads", []).outputs[0].value)) < LIMITS.processes


@pytest.mark.skipif(LIMIT != "a control group", reason="needs a control group, which root can make")
def test_shared_memory_is_bounded_too(zygote: Zygote, folder: Path) -> None:
    with zygote.spawn_worker() as session:
        session.load(None, folder / "op.py", folder)
        with pytest.raises(WorkerCrashed, match="SIGKILL"):
            session.call("shared_memory", [])


@pytest.mark.skipif(os.geteuid() != 0, reason="the tests above were an ordinary user's already")
@pytest.mark.skipif(shutil.which("setpriv") is None, reason="needs setpriv, of util-linux")
@pytest.mark.skipif(not processes_are_counted_in_namespaces(), reason="needs Linux 5.14")
def test_an_ordinary_user_is_held_by_the_limit_of_the_namespace() -> None:
    """Who cannot make control groups: RLIMIT_NPROC counts what runs in the sandbox, and nothing outside."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "op.py").write_text(TOOLS + BOMBS + HONEST)
        script = f"""
            from pathlib import Path
            from grader.run import Limits, Zygote, groups
            folder = Path({name!r})
            limits = Limits(processes={LIMITS.processes})
            with Zygote.start("plain", isolate=True, limits=limits, readable=[folder]) as zygote:
                with zygote.spawn_worker() as session:
                    session.load(None, folder / "op.py", folder)
                    answer = [output.value for output in session.call("processes", []).outputs]
            print(groups.open_group(10, 2**30) is None, *answer)
        """
        done = _as_nobody(textwrap.dedent(script))
    grouped, count, error = done.stdout.split() or pytest.fail(done.stderr)
    assert (grouped, error) == ("True", "EAGAIN")
    assert 0 < int(count) < LIMITS.processes


def _as_nobody(script: str) -> subprocess.CompletedProcess[str]:
    """Run it with a Python that other users may start: this one, else the system's with our packages."""
    packages = sysconfig.get_path("purelib")
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": f"{ROOT}:{packages}", "HOME": "/nonexistent"}
    usable = (
        "import importlib.util, os, sys, grader; assert importlib.util.find_spec('torch'); "
        "assert os.access(os.path.realpath(sys.executable), os.X_OK)"
    )
    for python in (sys.executable, "/usr/bin/python3"):
        command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", python, "-B", "-P", "-c"]

        def run(text: str, command: list[str] = command) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                [*command, text], capture_output=True, text=True, check=False, timeout=600, env=environment,
                cwd="/",
            )  # fmt: skip

        if run(usable).returncode == 0:
            return run(script)
    pytest.skip("needs a Python and a checkout that other users may read")
