"""What a compiler says reaches a verdict without this machine's folders."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pytest

from cusimt.support import cache
from cusimt.support.toolchain import torch_install
from grader.compilation import diagnostics, ninja
from grader.compilation.host_paths import without_host_paths

STARTED = (
    "ninja: Entering directory `/tmp/x'\n[1/2] g++ -c /home/me/a.cu\nFAILED: /home/me/object.o\ng++ -c\n"
)


def test_known_folders_are_left_out(tmp_path: Path) -> None:
    place = cache.cache_root() / "objects" / ("0" * 32 + ".12.building")
    lines = (
        f"{tmp_path}/kernel.cu:3:1: error: no",
        f"{place}/translated/kernel.cu:3: note",
        f"{torch_install().include_dirs[0]}/c10/util/Half.h:2: here",
        f"{Path.home()}/notes.txt {tempfile.gettempdir()}/cusimt-scratch-build-abc_1/x {sys.prefix}/lib/y",
    )
    shown = without_host_paths("\n".join(lines), tmp_path).splitlines()
    assert shown[:2] == ["kernel.cu:3:1: error: no", "kernel.cu:3: note"]
    assert shown[2] == "torch/include/c10/util/Half.h:2: here"
    for hidden in (tmp_path, cache.cache_root(), Path.home(), tempfile.gettempdir(), sys.prefix):
        assert f"{hidden}/" not in "\n".join(shown)


@pytest.mark.parametrize(
    "said",
    [
        "g++: fatal error: File size limit exceeded signal terminated program as",
        "kernel.cu:(.text+0x7): relocation truncated to fit: R_X86_64_PC32 against `.bss'",
    ],
)
def test_an_object_that_is_too_large_gets_a_sentence(said: str, tmp_path: Path) -> None:
    log = f"{STARTED}{said}\n"
    text = diagnostics.trim(log, [tmp_path / "kernel.cu"])
    assert (
        text
        == "error: the compiled code or its static data is too large. Allocate large arrays while it runs"
    )


def test_ninjas_own_lines_are_left_out(tmp_path: Path) -> None:
    log = f"{STARTED}as: out of luck\nninja: build stopped\n"
    assert diagnostics.trim(log, [tmp_path / "kernel.cu"]) == "as: out of luck"


@pytest.mark.parametrize(
    ("first", "runs"),
    [
        ("kill -9 $PPID", 2),  # ninja
        ("echo 'g++: fatal error: Killed signal terminated program cc1plus'; exit 1", 2),
        ("echo 'no such file'; exit 1", 1),
    ],
)
def test_a_compiler_that_somebody_killed_gets_another_try(tmp_path: Path, first: str, runs: int) -> None:
    out = tmp_path / "out"
    seen = tmp_path / "seen"
    script = f"echo >> {tmp_path}/runs; [ -e {seen} ] || {{ touch {seen}; {first}; }}; touch {out}"
    outcome = ninja.run([ninja.Edge(out, (), ("sh", "-c", script))], tmp_path)
    assert len((tmp_path / "runs").read_text()) == runs
    assert outcome.ok is (runs == 2)


def test_a_source_that_takes_all_memory_is_killed_twice(tmp_path: Path) -> None:
    script = f"echo >> {tmp_path}/runs; echo \"'cicc' died due to signal 9\"; exit 1"
    outcome = ninja.run([ninja.Edge(tmp_path / "out", (), ("sh", "-c", script))], tmp_path)
    assert not outcome.ok and outcome.killed
    assert len((tmp_path / "runs").read_text()) == 2


def test_an_output_cannot_grow_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ninja, "MOST_FILE_BYTES", 1 << 20)
    out = tmp_path / "out"
    command = ("sh", "-c", f"sleep 0.2; head -c 4000000 /dev/zero > {out}")
    assert not ninja.run([ninja.Edge(out, (), command)], tmp_path).ok
    assert out.stat().st_size <= 1 << 20
