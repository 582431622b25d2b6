"""The CUDA runtime API beyond memory and streams: launches with attributes, volumes, pools, device models."""

from __future__ import annotations

import signal
import subprocess

import pytest

from cusimt.tests.runtime_program import program, run

OK = "cudaSuccess"
REFUSED = "cudaErrorNotSupported"
NO_DEVICE = "cudaErrorInvalidDevice"
INVALID = "cudaErrorInvalidValue"
NO_MEMORY = "cudaErrorMemoryAllocation"
COLUMN_COPIED = "0 1 1 3 4 4 6 7 7 9 10 10"
CASES = {
    "extended_launch": [OK, OK, "0 1.5 6 9 12 15 18 7"],
    "cooperative_launch": [OK, "4950"],
    "clusters": [REFUSED, REFUSED, OK, "0 3 6 9 12 15 18 21"],
    "volumes": [OK, OK, OK, OK, "0 1 0 3 4 0 6 7 0 9 10 0", INVALID, OK, OK, COLUMN_COPIED, NO_DEVICE],
    "rows": [OK, "0 0 2 0 0 5", OK, "0 2 0 5", "cudaErrorInvalidPitchValue"],
    "bounds": [*[INVALID] * 5, NO_MEMORY, NO_MEMORY, OK, INVALID, INVALID, INVALID, OK],
    "pools": [OK, OK, OK, OK, OK, "1 4096", OK, OK, REFUSED],
    # A multiprocessor's 233472 bytes hold 4 blocks of 50000 + 1024, and 2 of 1024 threads and 102400 + 1024.
    "occupancy": [OK, OK, "4 264 1024", OK, "1056 256", OK, "4224 16", OK, "115712"],
    "callbacks": [OK, OK, "ab"],
    "attributes": [OK, "1 1", "2048 39321600 0", INVALID],
    "banks": [OK, "cudaErrorInvalidDeviceFunction", OK, OK, "1"],
    "clocks": [OK, "1 1"],
    "attached": [OK, OK, OK, *[INVALID] * 4],
    "peers": [OK, OK, OK, "0 1 1", NO_DEVICE, NO_DEVICE, INVALID],
    "driver": ["0 101", "0 1", "0 32", "0 cusimt", "1 CUDA_ERROR_INVALID_VALUE: out of memory"],
}


def shown(case: str) -> list[str]:
    """The lines that a case prints."""
    done = run(program("toolkit", checked=False), case)
    assert done.returncode == 0, done.stderr
    return [line.rstrip() for line in done.stdout.splitlines()]


@pytest.mark.parametrize("case", CASES)
def test_the_runtime_api(case: str) -> None:
    assert shown(case) == CASES[case]


@pytest.mark.parametrize(
    ("name", "facts"),
    [
        ("h200", "90 132 2048 233472 232448 9 8"),
        ("a100", "80 108 2048 167936 166912 8 8"),
        ("rtx4090", "89 128 1536 102400 101376 8 6"),
        ("t4", "75 40 1024 65536 65536 7 4"),
    ],
)
def test_a_named_device(name: str, facts: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program("toolkit", checked=False)  # compiled for the default device
    monkeypatch.setenv("CUSIMT_DEVICE", name)
    assert shown("device") == [facts, "the host's branch"]


def test_an_unknown_device_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    executable = program("toolkit", checked=False)
    monkeypatch.setenv("CUSIMT_DEVICE", "voodoo2")
    done = subprocess.run([executable, "device"], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert "CUSIMT_DEVICE=voodoo2 is not a simulated device" in done.stderr
    assert "h200, a100, rtx4090 and t4" in done.stderr


def test_device_code_takes_the_branch_of_its_architecture() -> None:
    assert shown("architecture") == ["90 1 2"]


def test_a_device_function_called_by_the_host_says_so() -> None:
    done = run(program("toolkit", checked=False), "host_calls")
    assert done.returncode == -signal.SIGABRT
    assert done.stderr.startswith(
        "Host code called __syncthreads_count or its kin, by way of a __device__ function."
    )
