"""A link that reads no symbols of torch: only for what has linked before, and with the same libraries."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cusimt.support.toolchain import host_compiler
from grader.compilation import BuildRequest
from grader.compilation.quick import link as quick_link
from grader.compilation.steps import link_command

REQUEST = BuildRequest("threads", "torch_library", (), "simt")
SOURCE = """
namespace at { int get_num_threads(); }
extern "C" int threads() { return at::get_num_threads(); }
"""
PROGRAM = """
import ctypes, sys, torch
assert ctypes.CDLL(sys.argv[1]).threads() == torch.get_num_threads()
"""


def needed(library: Path) -> set[str]:
    """The libraries that the loader opens for `library`."""
    listed = subprocess.run(["readelf", "-d", library], capture_output=True, text=True, check=True).stdout
    return {line.split("[")[1].rstrip("]") for line in listed.splitlines() if "(NEEDED)" in line}


def test_only_what_has_linked_is_linked_quickly(tmp_path: Path) -> None:
    one, two = f"one {tmp_path}", f"two {tmp_path}"
    assert quick_link.stand_ins(REQUEST, {one, two}) is None
    quick_link.remember(REQUEST, {two, one})
    folder = quick_link.stand_ins(REQUEST, {one, two})
    assert folder is not None
    assert sorted(path.name for path in folder.glob("*.so")) == ["libc10.so", "libtorch_cpu.so"]
    assert quick_link.stand_ins(REQUEST, {one, two, "three"}) is None


@pytest.mark.slow("compiles, links and imports torch")
def test_the_symbols_are_found_in_torch_itself(tmp_path: Path) -> None:
    compiled, library = tmp_path / "threads.o", tmp_path / "libthreads.so"
    command = [*host_compiler().command, "-fPIC", "-x", "c++", "-c", "-", "-o", compiled]
    subprocess.run(command, input=SOURCE, text=True, check=True)
    quick_link.remember(REQUEST, {"at::get_num_threads"})
    stand_ins = quick_link.stand_ins(REQUEST, {"at::get_num_threads"})
    subprocess.run(link_command(REQUEST, [compiled], library, stand_ins), check=True)
    assert {"libtorch_cpu.so", "libc10.so"} <= needed(library)
    subprocess.run([sys.executable, "-c", PROGRAM, library], check=True)
