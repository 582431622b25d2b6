"""What only this machine can be blamed for is said in sentences, and never by a submission's own words."""

from __future__ import annotations

import errno
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from grader.cli import main
from grader.compilation import ninja
from grader.support import machine
from grader.support.errors import InfrastructureError

FULL = "echo \"as: can't write 12 bytes to section .text: 'No space left on device'\"; exit 1"


@pytest.mark.parametrize(
    ("number", "what"),
    [
        (errno.ENOSPC, "has no room left"),
        (errno.EFBIG, "cannot take a file this large"),
        (errno.EROFS, "read-only"),
        (errno.EMFILE, "too many files"),
    ],
)
def test_a_fault_of_the_machine_names_the_place_and_the_cure(number: int, what: str) -> None:
    fault = machine.fault_of(OSError(number, os.strerror(number), "/data/x"))
    assert fault is not None and fault.exit_code == 3
    assert fault.what.startswith("/data/x ") and what in fault.what
    assert "no submission loses points" in fault.rule
    assert fault.next.endswith("then run the same command again.")


@pytest.mark.parametrize(
    ("number", "what"), [(errno.ENOMEM, "no memory left"), (errno.EAGAIN, "another process or thread")]
)
def test_what_no_place_lacks_names_none(number: int, what: str) -> None:
    fault = machine.fault_of(OSError(number, os.strerror(number)))
    assert fault is not None and fault.what.startswith("This machine ") and what in fault.what


def test_a_file_that_is_in_use_is_no_lack_of_processes() -> None:
    assert machine.fault_of(BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN), "/data/x")) is None


def test_a_mistake_of_the_graders_own_is_none() -> None:
    assert machine.fault_of(FileNotFoundError(errno.ENOENT, "", "/data/x")) is None
    assert machine.fault_of(PermissionError(errno.EACCES, "", "/data/x")) is None


def test_a_disk_with_room_is_not_full_whatever_a_compiler_prints(tmp_path: Path) -> None:
    assert machine.full([tmp_path]) is None
    edge = ninja.Edge(tmp_path / "out", (), ("sh", "-c", FULL))
    outcome = ninja.run([edge], tmp_path)
    assert not outcome.ok
    assert "No space left on device" in outcome.log


def test_a_compiler_on_a_full_disk_is_no_fault_of_the_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(descriptor: int, offset: int, length: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", refuse)
    edge = ninja.Edge(tmp_path / "out", (), ("sh", "-c", FULL))
    with pytest.raises(InfrastructureError, match=r"has no room left\.") as caught:
        ninja.run([edge], tmp_path)
    assert str(tmp_path) in caught.value.what
    edge = ninja.Edge(tmp_path / "out", (), ("sh", "-c", "echo 'kernel.cu:1: error: no'; exit 1"))
    assert not ninja.run([edge], tmp_path).ok


def test_a_bound_on_files_is_met_as_a_full_disk_is(tmp_path: Path) -> None:
    """The system's own refusal, where no disk can be filled: a file may not grow."""
    program = (
        "import sys\nfrom pathlib import Path\nfrom grader.support import machine\n"
        f"print(machine.full([Path({str(tmp_path)!r})]))\n"
    )

    def bound() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))

    done = subprocess.run(
        [sys.executable, "-c", program], preexec_fn=bound, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith(f"{tmp_path} cannot take a file this large")


def test_a_command_ends_with_the_sentence_and_not_with_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(arguments: list[str]) -> bool:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/data/x")

    monkeypatch.setattr("grader.cli.fast_start.answered", refuse)
    assert main() == 3
    assert capsys.readouterr().err.splitlines()[0] == "/data/x has no room left."
