"""Attacks from inside a lane: on the zygote, on the next submission, on the machine. Each is stopped, and
whoever comes next is served by the same zygote.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.run import OutputFlood, WorkerCrashed, WorkerTimeout, Zygote, landlock
from grader.run.zygote_process import Settings
from tests.adversarial.lane import LIMITS, Lane, isolated, reusable

pytestmark = [isolated, reusable]


@pytest.fixture(scope="module")
def lane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lane]:
    spool = tmp_path_factory.mktemp("spool")
    with Zygote.start("plain", isolate=True, limits=LIMITS, spool=spool) as zygote:
        yield Lane(zygote, spool)


@pytest.fixture(autouse=True)
def the_next_is_served_by_the_same_process(lane: Lane) -> Iterator[None]:
    before = lane.zygote.pid
    yield
    lane.assert_next_is_served()
    assert lane.zygote.pid == before


# ---- on the zygote, and on what the next one inherits ------------------------------------------------------


def test_the_zygote_cannot_be_traced_or_read(lane: Lane) -> None:
    answers = lane.ask(
        """
        def attack():
            one = (ctypes.c_ulong * 2)(0, 8)
            return [
                refused(libc.ptrace, 16, zygote, 0, 0),
                refused(libc.process_vm_readv, zygote, one, 1, one, 1, 0),
                refused(libc.process_vm_writev, zygote, one, 1, one, 1, 0),
                attempt(lambda: open(f"/proc/{zygote}/mem", "rb").read(1)),
                attempt(lambda: open(f"/proc/{zygote}/environ", "rb").read()),
                attempt(lambda: os.readlink(f"/proc/{zygote}/fd/1")),
                attempt(lambda: open(f"/proc/{zygote}/fd/0")),
                attempt(lambda: open(f"/proc/{zygote}/mem", "r+b")),
            ]
        """
    )
    assert set(answers) <= {"EPERM", "EACCES"}
    assert answers[:3] == ["EPERM"] * 3


def test_nobody_can_be_signalled(lane: Lane) -> None:
    answers = lane.ask(
        """
        def attack():
            number, pair = signal.SIGKILL, socket.socketpair()
            import fcntl
            return [
                attempt(lambda: os.kill(zygote, number)),
                attempt(lambda: os.kill(-1, number)),
                attempt(lambda: os.kill(1, number)),
                attempt(lambda: os.killpg(os.getpgid(zygote), number)),
                attempt(lambda: signal.pidfd_send_signal(os.pidfd_open(zygote), number)),
                refused(libc.syscall, 200, zygote, 9),
                attempt(lambda: fcntl.fcntl(pair[0], fcntl.F_SETOWN, zygote)),
                attempt(lambda: fcntl.ioctl(pair[0], 0x8902, struct.pack("i", zygote))),
            ]
        """
        if _is_x86()
        else "def attack():\n    return [attempt(lambda: os.kill(zygote, 9))]"
    )
    assert set(answers) == {"EPERM"}


def test_limits_and_priority_of_the_zygote_are_its_own(lane: Lane) -> None:
    """They would be those of every later worker: a memory limit of a megabyte, or a single core."""
    answers = lane.ask(
        """
        def attack():
            return [
                attempt(lambda: resource.prlimit(zygote, resource.RLIMIT_DATA, (2**20, 2**20))),
                attempt(lambda: resource.prlimit(zygote, resource.RLIMIT_CPU, (1, 1))),
                attempt(lambda: os.setpriority(os.PRIO_PROCESS, zygote, 19)),
                attempt(lambda: os.setpriority(os.PRIO_USER, 0, 19)),
                attempt(lambda: os.sched_setaffinity(zygote, {0})),
                attempt(lambda: os.sched_setscheduler(zygote, os.SCHED_IDLE, os.sched_param(0))),
            ]
        """
    )
    assert set(answers) == {"EPERM"}


def test_nothing_is_left_for_the_next(lane: Lane) -> None:
    lane.ask(
        """
        def attack():
            for folder in ("/tmp", "/dev/shm", "/box", "."):
                attempt(lambda: open(folder + "/left", "w").write("answers"))
                attempt(lambda: os.mkfifo(folder + "/pipe"))
            made = [refused(libc.shmget, 77, 4096, 0o1666), refused(libc.msgget, 77, 0o1666),
                    refused(libc.mq_open, b"/left", 0o102, 0o666, None)]
            abstract = socket.socket(socket.AF_UNIX)
            abstract.bind("\\0left")
            assert made == ["EPERM"] * 3, made
            return 1
        """
    )
    found = lane.ask(
        """
        def attack():
            folders = ("/tmp", "/dev/shm", "/box", ".")
            names = [attempt(lambda: open(folder + "/left").read()) for folder in folders]
            talking = attempt(lambda: socket.socket(socket.AF_UNIX).connect("\\0left"))
            return [*names, refused(libc.shmget, 77, 4096, 0), talking]
        """
    )
    assert set(found) <= {"EACCES", "ENOENT", "EPERM", "ECONNREFUSED"}


# ---- on the neighbours -------------------------------------------------------------------------------------


def test_another_submission_in_the_spool_is_out_of_sight(lane: Lane) -> None:
    beside = lane.spool / "neighbour"
    beside.mkdir(exist_ok=True)
    (beside / "op.py").write_text("the neighbour's answer")
    answers = lane.ask(
        f"""
        def attack():
            place = {str(beside)!r}
            return [
                attempt(lambda: open(place + "/op.py").read()),
                attempt(lambda: os.listdir(place)),
                attempt(lambda: os.listdir({str(lane.spool)!r})),
                attempt(lambda: os.chdir("..") or open("neighbour/op.py").read()),
                attempt(lambda: open(place + "/op.py", "w")),
                refused(libc.inotify_init1, 0),
            ]
        """
    )
    assert set(answers) <= {"EACCES", "EPERM", "EROFS"}
    assert answers[0] == "EACCES"


def test_two_workers_at_once_do_not_reach_each_other(lane: Lane) -> None:
    source = """
        def whoami():
            return os.getpid()
        def attack(other):
            one = (ctypes.c_ulong * 2)(0, 8)
            return [attempt(lambda: os.kill(other, 9)), refused(libc.ptrace, 16, other, 0, 0),
                    refused(libc.process_vm_readv, other, one, 1, one, 1, 0),
                    attempt(lambda: open(f"/proc/{other}/mem", "rb"))]
    """
    with lane.submission("attacker", source) as session:
        folder = lane.spool / "attacker"
        with lane.zygote.spawn_worker() as other:
            other.load(None, folder / "op.py", folder)
            victim = other.call("whoami", []).outputs[0].value
            assert isinstance(victim, int)
            answers = [output.value for output in session.call("attack", [victim]).outputs]
            assert other.call("whoami", []).outputs[0].value == victim
    assert set(answers) <= {"EPERM", "EACCES"}


# ---- on the kernel -----------------------------------------------------------------------------------------


def test_calls_that_no_kernel_of_ours_needs_are_refused(lane: Lane) -> None:
    answers = lane.ask(
        """
        from grader.run import syscalls
        def attack():
            here = syscalls.architecture()
            names = ("bpf", "userfaultfd", "perf_event_open", "keyctl", "io_uring_setup", "unshare", "setns",
                     "mount", "pivot_root", "kexec_load", "init_module", "fsopen", "open_tree", "ptrace",
                     "process_vm_readv", "memfd_create", "fanotify_init", "add_key", "open_by_handle_at")
            found = [refused(libc.syscall, syscalls.number(name, here), 0, 0, 0, 0, 0) for name in names]
            clone, new_user = syscalls.number("clone", here), 0x10000000
            return [*found, refused(libc.syscall, clone, new_user | 17, 0, 0, 0, 0)]
        """
    )
    assert answers == ["EPERM"] * 20


def test_calls_of_later_kernels_are_unknown(lane: Lane) -> None:
    answers = lane.ask(
        """
        from grader.run import syscalls
        def attack():
            return [refused(libc.syscall, syscalls.LAST_KNOWN + 1, 0, 0), refused(libc.syscall, 435, 0, 0)]
        """
    )
    assert answers == ["ENOSYS", "ENOSYS"]


def test_sockets_that_no_namespace_holds_are_refused(lane: Lane) -> None:
    answers = lane.ask(
        """
        def attack():
            families = (socket.AF_VSOCK, socket.AF_ALG, socket.AF_PACKET, socket.AF_CAN)
            return [attempt(lambda: socket.socket(family, socket.SOCK_DGRAM)) for family in families]
        """
    )
    assert set(answers) == {"EAFNOSUPPORT"}


def test_code_for_another_architecture_is_killed(lane: Lane) -> None:
    if not _is_x86():
        pytest.skip("needs x86-64, whose kernels also run 32-bit code")
    source = """
        import mmap
        def attack():   # mov eax, 20 (getpid of the 32-bit table); int 0x80; ret
            page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
            page.write(bytes.fromhex("b814000000cd80c3"))
            return ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
    """
    with (
        lane.submission("attacker", source) as session,
        pytest.raises(WorkerCrashed, match=r"SIGSYS|SIGSEGV"),
    ):
        session.call("attack", [])


# ---- bombs -------------------------------------------------------------------------------------------------


def test_a_fork_bomb_does_not_begin(lane: Lane) -> None:
    answers = lane.ask(
        """
        import subprocess
        def attack():
            program = "/bin/true"
            return [attempt(os.fork), attempt(lambda: subprocess.run([program])),
                    attempt(lambda: os.posix_spawn(program, [program], {})),
                    attempt(lambda: os.execv(program, [program]))]
        """
    )
    assert set(answers) <= {"EPERM", "EACCES"}


def test_a_memory_bomb_ends_in_an_error(lane: Lane) -> None:
    answers = lane.ask("def attack():\n    return attempt(lambda: len(bytearray(2**31)))")
    assert answers == ["MemoryError"]


def test_a_reply_does_not_take_the_memory_of_the_grader(lane: Lane) -> None:
    source = "import torch\ndef attack():\n    return torch.zeros(2**25, dtype=torch.uint8)"
    with lane.submission("attacker", source) as session:
        error = session.call("attack", []).error
    assert error is not None
    assert error.type == "MessageTooLarge"


def test_a_disk_bomb_finds_no_disk(lane: Lane) -> None:
    answers = lane.ask(
        """
        def attack():
            places = ("/tmp", "/dev/shm", "/box", ".", "/var/tmp", "/proc/self")
            return [attempt(lambda: open(place + "/bomb", "wb").write(bytes(2**20))) for place in places]
        """
    )
    assert set(answers) <= {"EACCES", "EROFS", "ENOENT"}


def test_an_endless_loop_that_ignores_signals_is_ended(lane: Lane) -> None:
    source = """
        def attack():
            for number in range(1, 32):
                attempt(lambda: signal.signal(number, signal.SIG_IGN))
            threading.Thread(target=lambda: [None for _ in iter(int, 1)], daemon=True).start()
            while True: pass
    """
    zygote = lane.zygote.pid
    with lane.submission("attacker", source) as session, pytest.raises(WorkerTimeout):
        session.call("attack", [], seconds=1.0)
    assert lane.zygote.pid == zygote, "it had to be replaced"


def test_a_flood_of_output_is_cut_off(lane: Lane) -> None:
    source = "def attack():\n    while True: os.write(1, b'x' * 65536)"
    with lane.submission("attacker", source) as session, pytest.raises(OutputFlood):
        session.call("attack", [])


def test_a_crash_leaves_no_core(lane: Lane) -> None:
    source = """
        def attack():
            attempt(lambda: resource.setrlimit(resource.RLIMIT_CORE, (2**30, 2**30)))
            ctypes.string_at(0)
    """
    with lane.submission("attacker", source) as session, pytest.raises(WorkerCrashed, match="SIGSEGV"):
        session.call("attack", [])
    assert [path.name for path in (lane.spool / "attacker").iterdir()] == ["op.py"]


# ---- what a lane does where it may not be reused -----------------------------------------------------------


def test_without_landlock_every_submission_gets_a_fresh_zygote(
    lane: Lane, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Zygote.start("plain", isolate=True, limits=LIMITS, spool=lane.spool) as zygote:
        monkeypatch.setattr(landlock, "version", lambda: 0)
        assert not zygote.reusable
        first = zygote.pid
        zygote.clear()
        assert zygote.pid != first
        monkeypatch.undo()
        assert zygote.reusable


def test_a_gpu_is_never_shared_by_reuse(tmp_path: Path) -> None:
    assert not Settings("cuda", isolate=True, limits=LIMITS, spool=tmp_path).reusable
    assert Settings("cuda", isolate=False, limits=LIMITS, spool=tmp_path).reusable  # these are trusted


def _is_x86() -> bool:
    return os.uname().machine == "x86_64"
