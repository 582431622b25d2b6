"""The filters, run by a packet filter machine of our own: what is refused does not depend on this machine."""

from __future__ import annotations

import errno
import struct

import pytest

from grader.run import seccomp, syscalls
from grader.run.seccomp import SANDBOX, Refusal, assemble, worker_filter
from grader.run.syscalls import ARCHITECTURES, Architecture, number

ALLOWED, KILLED = "allowed", "killed"
BOTH = pytest.mark.parametrize("of", ARCHITECTURES.values(), ids=ARCHITECTURES.keys())
PID = 4711


def decide(program: bytes, audit: int, call: int, *arguments: int) -> str:
    """What the kernel would do about a system call: ALLOWED, KILLED, or the name of an error."""
    data = struct.pack("<IIQ6Q", call, audit, 0, *arguments, *[0] * (6 - len(arguments)))
    accumulator = position = 0
    while True:
        code, if_true, if_false, operand = struct.unpack_from("=HBBI", program, 8 * position)
        position += 1
        if code == 0x20:
            (accumulator,) = struct.unpack_from("<I", data, operand)
        elif code == 0x06:
            action, value = operand & 0xFFFF0000, operand & 0xFFFF
            if action == 0x00050000:
                return errno.errorcode[value]
            return {0x7FFF0000: ALLOWED, 0x80000000: KILLED}[action]
        else:
            holds = {
                0x15: accumulator == operand, 0x35: accumulator >= operand, 0x45: bool(accumulator & operand)
            }[code]  # fmt: skip
            position += if_true if holds else if_false


def ask(filter_: tuple[Refusal, ...], of: Architecture, name: str, *arguments: int) -> str:
    call = number(name, of)
    assert call is not None
    return decide(assemble(filter_, of), of.audit, call, *arguments)


@BOTH
@pytest.mark.parametrize("name", ["ptrace", "bpf", "mount", "unshare", "keyctl", "io_uring_setup"])
def test_the_sandbox_refuses(of: Architecture, name: str) -> None:
    assert ask(SANDBOX, of, name) == "EPERM"


@BOTH
def test_processes_are_started_in_the_sandbox_and_namespaces_are_not(of: Architecture) -> None:
    assert ask(SANDBOX, of, "clone", 17) == ALLOWED
    assert ask(SANDBOX, of, "execve") == ALLOWED
    for namespace in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
        assert ask(SANDBOX, of, "clone", 17 | namespace) == "EPERM"
    assert ask(SANDBOX, of, "clone3") == "ENOSYS"


@BOTH
def test_a_worker_starts_threads_alone(of: Architecture) -> None:
    thread = 0x3D0F00  # what pthread_create asks for
    assert ask(worker_filter(PID), of, "clone", thread) == ALLOWED
    assert ask(worker_filter(PID), of, "clone", 17) == "EPERM"
    assert ask(worker_filter(PID), of, "execve") == "EPERM"


@BOTH
@pytest.mark.parametrize("name", ["kill", "tgkill", "rt_sigqueueinfo"])
def test_a_worker_signals_itself_alone(of: Architecture, name: str) -> None:
    assert ask(worker_filter(PID), of, name, PID) == ALLOWED
    for other in (PID - 1, 1, 0, 2**32 - 1, 2**64 - 1):
        assert ask(worker_filter(PID), of, name, other) == "EPERM"


@BOTH
def test_a_worker_changes_its_own_limits_alone(of: Architecture) -> None:
    assert ask(worker_filter(PID), of, "prlimit64", 0) == ALLOWED
    assert ask(worker_filter(PID), of, "prlimit64", PID) == ALLOWED
    assert ask(worker_filter(PID), of, "prlimit64", PID - 1) == "EPERM"


@BOTH
def test_the_high_half_of_an_argument_does_not_hide_the_low_one(of: Architecture) -> None:
    """The kernel takes 32 bits of these, whatever stands above them."""
    high = 0xDEAD << 32
    assert ask(worker_filter(PID), of, "kill", high | (PID - 1)) == "EPERM"
    assert ask(SANDBOX, of, "ioctl", 0, high | 0x5412) == "EPERM"
    assert ask(SANDBOX, of, "ioctl", 0, 0x5401) == ALLOWED


@BOTH
def test_sockets_by_family(of: Architecture) -> None:
    assert [ask(SANDBOX, of, "socket", family) for family in (1, 2, 10, 16)] == [ALLOWED] * 4
    assert [ask(SANDBOX, of, "socket", family) for family in (17, 38, 40, 44)] == ["EAFNOSUPPORT"] * 4


@BOTH
def test_other_architectures_are_killed_and_later_calls_unknown(of: Architecture) -> None:
    program = assemble(SANDBOX, of)
    assert decide(program, 0x40000003, 20) == KILLED  # 32-bit x86
    assert decide(program, of.audit, syscalls.LAST_KNOWN) == ALLOWED
    assert decide(program, of.audit, syscalls.LAST_KNOWN + 1) == "ENOSYS"
    assert decide(program, of.audit, 0x40000000) == "ENOSYS"  # x32


@BOTH
def test_everyday_calls_are_allowed(of: Architecture) -> None:
    everyday = range(30) if of.column == 0 else (56, 57, 62, 63, 64, 78, 79, 80, 214, 215, 222, 226)
    program = assemble(SANDBOX, of)
    assert {decide(program, of.audit, call) for call in everyday} == {ALLOWED}


def test_a_call_is_refused_in_one_place() -> None:
    twice = (Refusal(("mount",)), Refusal(("mount",), argument=0, equal=(1,)))
    with pytest.raises(ValueError, match="mount is refused twice"):
        assemble(twice, ARCHITECTURES["x86_64"])


def test_an_unknown_architecture_is_told() -> None:
    assert syscalls.architecture("riscv64") is None


def test_the_filters_fit_into_the_kernel() -> None:
    for of in ARCHITECTURES.values():
        for filter_ in (SANDBOX, worker_filter(PID)):
            assert len(seccomp.assemble(filter_, of)) // 8 <= 4096
