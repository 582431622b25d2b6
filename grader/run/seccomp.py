"""Seccomp: the kernel refuses system calls that code from strangers does not need.

Two filters. `SANDBOX` is for everything inside bubblewrap, compilers included: no tracing, no new
namespaces or mounts, no kernel interface that is young, privileged or often exploited.
`worker_filter` comes on top in a worker: it starts no processes, and touches no process but itself. A
refused call returns an error (EPERM) and raises no signal, so that a library that only probes can go on.

A filter is a program for the kernel's packet filter machine, of 8-byte instructions; the kernel runs it at
every system call. https://docs.kernel.org/userspace-api/seccomp_filter.html
"""

from __future__ import annotations

import ctypes
import errno
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.run.syscalls import LAST_KNOWN, Architecture, architecture, number

_LOAD_WORD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _FAIL, _KILL_PROCESS = 0x7FFF0000, 0x00050000, 0x80000000
_CALL, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data

_PR_SET_NO_NEW_PRIVS = 38
_SET_MODE_FILTER, _FLAG_TSYNC = 1, 1

_CLONE_THREAD = 0x00010000
_CLONE_NAMESPACES = 0x7E020000  # CLONE_NEW{NS,CGROUP,UTS,IPC,USER,PID,NET}
_TERMINAL_INPUT = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX: type into the terminal that started this
_OWNER_BY_IOCTL = (0x8901, 0x8902)  # FIOSETOWN, SIOCSPGRP: have the kernel send a signal to ...
_OWNER_BY_FCNTL = (8, 10, 15)  # F_SETOWN, F_SETSIG, F_SETOWN_EX: ... another process
_FAMILIES = (1, 2, 10, 16)  # AF_UNIX, AF_INET, AF_INET6, AF_NETLINK: all that a network namespace holds apart


@dataclass(frozen=True)
class Refusal:
    """System calls that fail with `error`: always, or depending on the low half of one `argument`.

    The call is refused if the argument has one of the bits `having`, has none of the bits `lacking`, is one
    of `equal`, or is none of `other_than`; a refusal uses only one of the four.
    """

    names: tuple[str, ...]
    error: int = errno.EPERM
    argument: int | None = None
    having: int = 0
    lacking: int = 0
    equal: tuple[int, ...] = ()
    other_than: tuple[int, ...] = ()


def _always(names: str, error: int = errno.EPERM) -> Refusal:
    return Refusal(tuple(names.split()), error)


SANDBOX: tuple[Refusal, ...] = (
    # Other processes: their memory, their descriptors, what they do.
    _always("ptrace process_vm_readv process_vm_writev pidfd_getfd kcmp perf_event_open process_madvise"),
    # Namespaces and mounts: inside new ones a process has every capability again.
    _always("unshare setns mount umount2 pivot_root chroot open_tree move_mount fsopen fsconfig fsmount"),
    _always("fspick mount_setattr open_by_handle_at name_to_handle_at"),
    Refusal(("clone",), argument=0, having=_CLONE_NAMESPACES),
    _always("clone3", errno.ENOSYS),  # its flags lie in memory, out of a filter's sight; libc then uses clone
    # The kernel itself.
    _always("bpf userfaultfd io_uring_setup io_uring_enter io_uring_register keyctl add_key request_key"),
    _always("kexec_load kexec_file_load init_module finit_module delete_module reboot syslog acct swapon"),
    _always("swapoff quotactl quotactl_fd nfsservctl lookup_dcookie iopl ioperm modify_ldt uselib vhangup"),
    _always("settimeofday clock_settime adjtimex clock_adjtime sethostname setdomainname fanotify_init"),
    # What no namespace holds apart: sockets to the hypervisor, of the kernel's cryptography, of packets.
    Refusal(("socket", "socketpair"), errno.EAFNOSUPPORT, argument=0, other_than=_FAMILIES),
    Refusal(("ioctl",), argument=1, equal=_TERMINAL_INPUT),
)


def worker_filter(pid: int) -> tuple[Refusal, ...]:
    """For the worker `pid`, in whose zygote the next submission will be graded too."""
    return (
        # No processes: threads only, which end with it.
        _always("fork vfork execve execveat"),
        Refusal(("clone",), argument=0, lacking=_CLONE_THREAD),
        # Signals to itself alone.
        Refusal(("kill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"), argument=0, other_than=(pid,)),
        _always("tkill pidfd_open pidfd_send_signal process_mrelease"),
        Refusal(("fcntl",), argument=1, equal=_OWNER_BY_FCNTL),
        Refusal(("ioctl",), argument=1, equal=_OWNER_BY_IOCTL),
        # A zygote's limits and priority are those of every worker after this one.
        Refusal(("prlimit64", "sched_setaffinity"), argument=0, other_than=(0, pid)),
        _always("setpriority ioprio_set sched_setscheduler sched_setparam sched_setattr migrate_pages"),
        _always("move_pages"),
        # What outlives a process without being a file, and memory that counts against no limit.
        _always("shmget shmat shmctl semget semop semtimedop semctl msgget msgsnd msgrcv msgctl mq_open"),
        _always("mq_unlink memfd_create memfd_secret"),
        # Landlock does not keep from watching what others do to files.
        _always("inotify_init inotify_init1"),
    )


def is_supported() -> bool:
    """Whether this architecture's system calls are known here; seccomp itself is in every kernel."""
    return architecture() is not None


def install(refusals: Sequence[Refusal]) -> None:
    """Put a filter on all threads of this process and on all that they start, for good.

    Raises OSError where that is not possible.
    """
    of = architecture()
    if of is None:
        raise OSError(errno.ENOSYS, "the system calls of this architecture are not known")
    instructions = assemble(refusals, of)
    code = ctypes.create_string_buffer(instructions, len(instructions))
    program = struct.pack("HxxxxxxP", len(instructions) // 8, ctypes.addressof(code))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, ctypes.c_ulong(1), 0, 0, 0) or libc.syscall(
        number("seccomp", of), _SET_MODE_FILTER, _FLAG_TSYNC, program
    ):
        raise OSError(ctypes.get_errno(), "a seccomp filter could not be installed")


def assemble(refusals: Sequence[Refusal], of: Architecture) -> bytes:
    """The filter's instructions. Each system call may be named once: its first block decides."""
    program = [
        _instruction(_LOAD_WORD, _ARCHITECTURE),
        _instruction(_JUMP_EQUAL, of.audit, 1, 0),
        _instruction(_RETURN, _KILL_PROCESS),  # 32-bit code has other numbers
        _instruction(_LOAD_WORD, _CALL),
        _instruction(_JUMP_AT_LEAST, LAST_KNOWN + 1, 0, 1),
        _instruction(_RETURN, _FAIL | errno.ENOSYS),
    ]
    seen: set[str] = set()
    for refusal in refusals:
        block = list(_block(refusal))
        for name in refusal.names:
            if name in seen:
                raise ValueError(f"{name} is refused twice")
            seen.add(name)
            call = number(name, of)
            if call is not None:
                program += [_instruction(_JUMP_EQUAL, call, 0, len(block)), *block]
    return b"".join([*program, _instruction(_RETURN, _ALLOW)])


def _block(refusal: Refusal) -> Iterator[bytes]:
    """The instructions for one system call; every path through them ends with a return."""
    refuse, allow = _instruction(_RETURN, _FAIL | refusal.error), _instruction(_RETURN, _ALLOW)
    if refusal.argument is None:
        yield refuse
        return
    yield _instruction(_LOAD_WORD, _ARGUMENTS + 8 * refusal.argument)  # both architectures: low half first
    if refusal.having:
        yield from (_instruction(_JUMP_ANY_BIT, refusal.having, 0, 1), refuse, allow)
    elif refusal.lacking:
        yield from (_instruction(_JUMP_ANY_BIT, refusal.lacking, 1, 0), refuse, allow)
    elif refusal.equal:
        for value in refusal.equal:
            yield from (_instruction(_JUMP_EQUAL, value, 0, 1), refuse)
        yield allow
    else:
        for value in refusal.other_than:
            yield from (_instruction(_JUMP_EQUAL, value, 0, 1), allow)
        yield refuse


def _instruction(code: int, operand: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, operand)
